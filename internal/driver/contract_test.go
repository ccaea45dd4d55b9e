package driver

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// between are texts that stand between a product and a sum.
var between = []string{
	"", "L:", "bra L; L:", "@p bra L; L:",
	"@p bra L; add.f32 %f3,%f3,%f3; L:", "@p bra L; st.global.f32 [%rd1+32],%f3; bar.sync 0; L:",
	"@p ret;", "@p exit;", "@p trap;", "membar.gl;", "bar.sync 0;",
	"M: add.f32 %f3,%f3,%f2; sub.u32 %r1,%r1,1; setp.ne.u32 p,%r1,0; @p bra M;",
	"div.rn.f32 %f3,%f1,%f3;", "@p div.rn.f32 %f3,%f1,%f3;", "sqrt.rn.f32 %f3,%f3;",
	".reg .f64 %d<4>; cvt.f64.f32 %d1,%f3; div.rn.f64 %d1,%d1,%d1; cvt.rn.f32.f64 %f3,%d1;",
	".reg .f64 %d<4>; cvt.f64.f32 %d1,%f3; sqrt.rn.f64 %d1,%d1; cvt.rn.f32.f64 %f3,%d1;",
	".reg .b64 %q<4>; cvt.rzi.u64.f32 %q1,%f3; div.u64 %q1,%rd1,%q1; cvt.rn.f32.u64 %f3,%q1;",
	"cvt.rzi.u32.f32 %r3,%f3; div.u32 %r3,%r1,%r3; cvt.rn.f32.u32 %f3,%r3;",
	"@p add.f32 %f3,%f3,%f3;", "@p mov.f32 %f3,0f00000000;", "@p ld.global.f32 %f3,[%rd1+32];", "@p st.global.f32 [%rd1+32],%f3;",
	"@p red.global.add.u32 [%rd1+64],1;", "@p shfl.sync.bfly.b32 %f3,%f3,1,31,-1;", "shfl.sync.bfly.b32 %f3,%f3,1,31,-1;",
}

// TestContraction asks the reference across which texts a product and a sum
// become one instruction, and whether we agree.
func TestContraction(t *testing.T) {
	x := oracle.Find(t)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "k.ptx"), filepath.Join(dir, "k.cubin")
	fused := func() bool {
		r := x.Run("", "nvdisasm", "-c", out)
		if r.Exit != 0 {
			t.Fatal(r.Stderr)
		}
		return strings.Contains(r.Stdout, "FFMA R") && !strings.Contains(r.Stdout, "FMUL R")
	}
	agreed, fusions := 0, 0
	for n, mid := range between {
		if testing.Short() && n%4 != 0 {
			continue
		}
		text := `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a)
{ .reg .f32 %f<20>; .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred p;
 ld.param.u64 %rd1,[a]; ld.global.f32 %f1,[%rd1]; ld.global.f32 %f2,[%rd1+4]; ld.global.f32 %f3,[%rd1+8]; ld.global.u32 %r1,[%rd1+12];
 setp.eq.u32 p,%r1,0;
 mul.f32 %f4,%f1,%f2;
` + mid + `
 add.f32 %f5,%f4,%f3;
 st.global.f32 [%rd1+16],%f5;
 ret; }
`
		if strings.Contains(mid, "div.rn.f32") || strings.Contains(mid, "sqrt") || strings.Contains(mid, "div.u") || strings.Contains(mid, "div.rn.f64") {
			// their own products hide ours: only the sum tells
			text = strings.ReplaceAll(text, "mul.f32 %f4,%f1,%f2", "mul.f32 %f4,%f1,0f40490FDB")
		}
		if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if r := x.Ptxas("-arch", "sm_90a", in, "-o", out); r.Exit != 0 {
			t.Fatalf("%s: %s", mid, r.Stderr)
		}
		tell := func() bool {
			if !strings.Contains(text, "0f40490FDB") {
				return fused()
			}
			r := x.Run("", "nvdisasm", "-c", out)
			for line := range strings.Lines(r.Stdout) {
				if strings.Contains(line, "3.1415927410125732422") {
					return strings.Contains(line, "FFMA")
				}
			}
			return false
		}
		want := tell()
		var log bytes.Buffer
		b, ok := CompileTexts(context.Background(), []string{"-arch", "sm_90a"}, []Text{{Name: in, Text: []byte(text)}}, &log)
		if !ok {
			t.Fatalf("%s: %s", mid, log.String())
		}
		if err := os.WriteFile(out, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := tell(); got != want {
			t.Errorf("%q: fused %v, the reference %v", mid, got, want)
			continue
		}
		agreed++
		if want {
			fusions++
		}
	}
	t.Logf("%d of %d texts alike, %d of them fuse", agreed, len(between), fusions)
}
