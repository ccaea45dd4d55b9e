package driver

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// oddText is a kernel with registers and vectors of all kinds, and one
// instruction whose results it stores.
func oddText(line string) string {
	return ".version 8.8\n.target sm_90\n.address_size 64\n.global .texref t;\n.global .surfref s;\n.visible .entry k(.param .u64 p)\n{\n" +
		".reg .b32 %r<30>; .reg .b64 %rd<20>; .reg .v2 .b32 %v<3>; .reg .v4 .b32 %w<3>; .reg .v2 .b64 %d; .reg .v2 .b16 %h; .reg .f32 %f<20>;\n" +
		"ld.param.u64 %rd1,[p]; ld.global.u32 %r1,[%rd1]; ld.global.u32 %r2,[%rd1+4]; ld.global.u64 %rd2,[%rd1+8]; mov.b32 %f5,%r1; mov.b32 %f6,%r2;\n" + line + "\nret;\n}\n"
}

// oddMoves are moves of vectors from what is none, or not whole.
var oddMoves = [...]string{
	"mov.v2.b32 %v1, 1; st.global.v2.b32 [%rd1],%v1;",
	"mov.v2.u32 %v1, 7; st.global.v2.b32 [%rd1],%v1;",
	"mov.v4.b32 %w1, 1; st.global.v4.b32 [%rd1],%w1;",
	"mov.v2.b32 %v1, 0x500000003; st.global.v2.b32 [%rd1],%v1;",
	"mov.v2.b32 %v1, 0x70005; st.global.v2.b32 [%rd1],%v1;",
	"mov.v4.b32 %w1, 0x87654321; st.global.v4.b32 [%rd1],%w1;",
	"mov.v2.b32 %v1, -2; st.global.v2.b32 [%rd1],%v1;",
	"mov.v2.b64 %d, 0x500000003; st.global.v2.b64 [%rd1],%d;",
	"mov.v2.b16 %h, 0x3002; st.global.v2.b16 [%rd1],%h;",
	"mov.v2.b32 {%r3,%r4}, 0x70005; st.global.v2.b32 [%rd1],{%r3,%r4};",
	"mov.v2.b32 {%r3,_}, 0x70005; st.global.b32 [%rd1],%r3;",
	"mov.v2.b32 %v1, {_,%r1}; st.global.v2.b32 [%rd1],%v1;",
	"mov.v2.b32 {%r3,%r4}, {%r2,_}; st.global.b32 [%rd1],%r3;",
	"mov.v4.b32 %w1, {%r1,_,%r2,_}; st.global.v4.b32 [%rd1],%w1;",
	"mov.v2.b32 {%r3,%r4}, {%r2,9}; st.global.v2.b32 [%rd1],{%r3,%r4};",
}

// oddVectors are vectors of lengths that no instruction has.
var oddVectors = [...]string{
	"tex.3d.v4.f32.f32 {%f1,%f2,%f3,%f4},[t,{%f5,%f6,%f5}];",
	"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4},[t,{%f5,%f6,%f5}];",
	"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4},[t,{%f5,%f6,%f5,%f5,%f5}];",
	"tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4},[t,{%f5,%f6,%f5}];",
	"tex.level.3d.v4.f32.f32 {%f1,%f2,%f3,%f4},[t,{%f5,%f6,%f5}],%f6;",
	"tld4.r.2d.v4.f32.f32 {%f1,%f2,%f3,%f4},[t,{%f5,%f6,%f5}];",
	"suld.b.3d.b32.trap %r1,[s,{%r1,%r2,%r1}];",
	"sust.b.2d.b32.trap [s,{%r1,%r2,%r1}],%r1;",
	"mov.b64 %rd3, {_,%r1};",
	"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4},[t,{%f5,%f6}];",
}

// oddScopes are scopes that asynchronous stores to other blocks do not have.
var oddScopes = [...]string{
	"st.async.cluster.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1],%r2,[%r1+64];",
	"st.async.cta.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1],%r2,[%r1+64];",
	"st.async.gpu.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1],%r2,[%r1+64];",
	"st.async.sys.mbarrier::complete_tx::bytes.b32 [%r1],%r2,[%r1+64];",
	"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1],%r2,[%r1+64];",
	"red.async.relaxed.cta.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1],%r2,[%r1+64];",
	"red.async.relaxed.sys.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1],%r2,[%r1+64];",
	"red.async.relaxed.gpu.mbarrier::complete_tx::bytes.add.u32 [%r1],%r2,[%r1+64];",
}

// TestOddVectors: both compilers say the same of each of them, and moves do
// the same.
func TestOddVectors(t *testing.T) {
	x := oracle.Find(t)
	dir := t.TempDir()
	in := filepath.Join(dir, "k.ptx")
	list, err := launch.Parse("//: run k grid=1 block=1\n//: buf 64 bits 5\n")
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range slices.Concat(oddMoves[:], oddVectors[:], oddScopes[:]) {
		if err := os.WriteFile(in, []byte(oddText(line)), 0o644); err != nil {
			t.Fatal(err)
		}
		ref, our := filepath.Join(dir, "ref"), filepath.Join(dir, "our")
		r := x.Ptxas("-arch=sm_90", in, "-o", ref)
		var log strings.Builder
		code := Main(context.Background(), Env{Args: []string{"-arch=sm_90", in, "-o", our}, Stdout: &log, Stderr: &log})
		if (code == 0) != (r.Exit == 0) || log.String() != r.Stderr {
			t.Errorf("%s\n%s\nthe reference says\n%s", line, log.String(), r.Stderr)
			continue
		}
		if n >= len(oddMoves) {
			continue
		}
		want, got := runLinked(t, ref, list, line), runLinked(t, our, list, line)
		if len(want) != 1 || len(got) != 1 || !bytes.Equal(want[0][0], got[0][0]) {
			t.Errorf("%s: %x, the reference leaves %x", line, got, want)
		}
	}
}
