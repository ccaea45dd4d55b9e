// Package figures_test compares what -v says of frames, and how often messages
// are said, with the reference.
package figures_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/driver"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// TestMissingSections: of a text that says .target debug and has nothing for
// debuggers there is one error, and one more for each routine that its
// instructions call, between the warnings of the routines.
func TestMissingSections(t *testing.T) {
	const head = ".version 8.0\n.target sm_75, debug\n.address_size 64\n.visible .entry k()\n{\n.reg .f64 %d<9>; .reg .b64 %rd<2>; .reg .f32 %f<3>; .reg .pred %p<2>; .reg .b32 %r<2>;\n"
	for _, c := range []struct {
		body, arch string
		errors     int
	}{
		{"add.f32 %f1,%f1,%f2;", "sm_75", 1},
		{"div.rn.f32 %f1,%f1,%f2; div.full.f32 %f1,%f1,%f2;", "sm_75", 2},
		{"div.rn.f32 %f1,%f1,%f2; div.rn.ftz.f32 %f1,%f1,%f2; div.rn.f32 %f2,%f1,%f2;", "sm_75", 3},
		{"div.rn.f64 %d1,%d1,%d2; rcp.rn.f64 %d1,%d2; sqrt.rn.f32 %f1,%f2;", "sm_90", 4},
		{"div.u64 %rd1,%rd1,%rd1; rem.u64 %rd1,%rd1,%rd1; div.u64 %rd1,%rd1,7;", "sm_80", 3},
		{"shfl.sync.bfly.b32 %r1,%r1,1,31,-1; shfl.sync.bfly.b32 %r1|%p1,%r1,1,31,-1; shfl.sync.up.b32 %r1,%r1,1,31,-1;", "sm_80", 4},
		{"shfl.sync.bfly.b32 %r1,%r1,1,31,-1; bar.warp.sync -1;", "sm_90", 1},
		{"barrier.sync 0; barrier.sync %r1; barrier.red.popc.u32 %r1,0,%p1; barrier.red.popc.u32 %r1,%r1,%p1;", "sm_80", 4},
	} {
		in := filepath.Join(t.TempDir(), "k.ptx")
		if err := os.WriteFile(in, []byte(head+c.body+"\nret;\n}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, option := range []string{"-lineinfo", "-warn-double-usage"} {
			args := []string{"-arch=" + c.arch, option, "-o", in + ".cubin", in}
			var messages bytes.Buffer
			driver.Main(context.Background(), driver.Env{Args: args, Stdout: &messages, Stderr: &messages})
			if n := strings.Count(messages.String(), "Debug information not found"); n != c.errors {
				t.Errorf("%s: %d errors, want %d", c.body, n, c.errors)
			}
			if !oracle.Available() {
				continue
			}
			if want := oracle.Find(t).Ptxas(args...); messages.String() != want.Stderr {
				t.Errorf("%s %s:\n%swant\n%s", option, c.body, messages.String(), want.Stderr)
			}
		}
	}
}

// indexed is a kernel with an array of words.
func indexed(words int, body string) string {
	return fmt.Sprintf(".version 8.0\n.target sm_75\n.address_size 64\n.extern .func (.param .b64 r) malloc(.param .b64 a);\n"+
		".func (.param .b32 r) f(.param .b32 x) { .reg .b32 %%r; ld.param.b32 %%r,[x]; add.u32 %%r,%%r,1; st.param.b32 [r],%%r; ret; }\n"+
		".func (.param .b32 r) g(.param .b32 x) { .local .align 4 .b8 q[16]; .reg .b32 %%r; .reg .b64 %%d<3>; ld.param.b32 %%r,[x]; mov.u64 %%d1,q; mad.wide.u32 %%d2,%%r,4,%%d1; st.local.u32 [%%d2],%%r; ld.local.u32 %%r,[%%d2+4]; st.param.b32 [r],%%r; ret; }\n"+
		".visible .entry k(.param .u64 a, .param .u32 n)\n"+
		"{ .local .align 4 .b8 v[%d]; .reg .b64 %%d<6>; .reg .b32 %%r<5>;\n"+
		"ld.param.u64 %%d1,[a]; ld.param.u32 %%r1,[n]; mov.u32 %%r2,%%tid.x; mov.u64 %%d2,v; mad.wide.u32 %%d3,%%r1,4,%%d2; mad.wide.u32 %%d4,%%r2,4,%%d2;\n%s\nret; }\n", 4*words, body)
}

// TestIndexedFrames: an array goes into registers, or stays in memory, where the
// reference's does.
func TestIndexedFrames(t *testing.T) {
	const (
		store  = "st.local.u32 [%d3],%r2; "
		load   = "ld.local.u32 %r3,[v]; st.global.u32 [%d1],%r3; "
		index  = "ld.local.u32 %r3,[%d4]; st.global.u32 [%d1+4],%r3; "
		call   = "{ .param .b32 x; .param .b32 y; st.param.b32 [x],%r2; call (y),f,(x); ld.param.b32 %r3,[y]; } st.global.u32 [%d1+8],%r3; "
		turn   = "shfl.sync.bfly.b32 %r3,%r2,1,31,-1; st.global.u32 [%d1+8],%r3; "
		malloc = "{ .param .b64 x; .param .b64 y; st.param.b64 [x],64; call (y),malloc,(x); ld.param.b64 %d5,[y]; } st.global.u64 [%d1+8],%d5;"
	)
	for _, c := range []struct {
		words  int
		body   string
		option string
		bytes  int
	}{
		{10, store + load, "-O3", 0},
		{12, store + load, "-O3", 48},
		{27, store + load + strings.Repeat("st.global.u32 [%d1+8],%r2; ", 8), "-O3", 0},
		{33, store + load + strings.Repeat(call, 4), "-O3", 0},
		{35, store + load + strings.Repeat(call, 4), "-O3", 144},
		{40, store + load + strings.Repeat(turn, 4), "-O3", 0},
		{60, store + load + strings.Repeat(turn, 4), "-O3", 240},
		{10, store + load + strings.Repeat("bar.sync 0; ", 4), "-O3", 0},
		{6, store + load + "alloca.u64 %d5,64; st.local.u32 [%d5],%r2; ld.local.u32 %r3,[%d5]; st.global.u32 [%d1+8],%r3; ", "-O3", 0},
		{2, store + load + strings.ReplaceAll(call, "f,", "g,"), "-O3", 24}, // nor is another variable
		{10, store + load, "-Ofc=mid", 0},
		{10, store + load, "-Ofc=max", 40},
		{10, store + load, "-O0", 40},
		{24, store + load + "ld.global.u32 %r3,[%d1+40]; st.global.u32 [%d1+44],%r3; ld.global.u32 %r3,[%d1+48]; st.global.u32 [%d1+52],%r3; ld.global.u32 %r3,[%d1+56]; st.global.u32 [%d1+60],%r3; ld.global.u32 %r3,[%d1+64]; st.global.u32 [%d1+68],%r3;", "-O3", 0},
		{4, store + index, "-O3", 16}, // nowhere at a known place
		{4, "st.local.u32 [v],%r1; " + store + index, "-O3", 0},
		{4, store + load + malloc, "-O3", 0},
		{100, strings.Repeat("st.global.u32 [%d1+8],%r2; ", 40) + "st.local.u32 [v],%r1; " + index, "-arch=sm_90", 400}, // more words than loads choose among
		{40, strings.Repeat("st.global.u32 [%d1+8],%r2; ", 20) + "st.local.u32 [v],%r1; " + index, "-arch=sm_90", 0},
		{4, store + load + "cvta.local.u64 %d5,%d3; st.u32 [%d5],%r1;", "-O3", 16}, // others may read it
	} {
		in := filepath.Join(t.TempDir(), "k.ptx")
		if err := os.WriteFile(in, []byte(indexed(c.words, c.body)), 0o644); err != nil {
			t.Fatal(err)
		}
		args := []string{"-v", c.option, "-o", in + ".cubin", in}
		want := fmt.Sprintf("\n    %d bytes stack frame, 0 bytes spill", c.bytes)
		var messages bytes.Buffer
		if code := driver.Main(context.Background(), driver.Env{Args: args, Stdout: &messages, Stderr: &messages}); code != 0 {
			t.Fatal(messages.String())
		}
		if !strings.Contains(messages.String(), want) {
			t.Errorf("%d words, %s, %s: want %d bytes:\n%s", c.words, c.option, c.body, c.bytes, messages.String())
		}
		if !oracle.Available() {
			continue
		}
		if r := oracle.Find(t).Ptxas(args...); !strings.Contains(r.Stderr, want) {
			t.Errorf("%d words, %s, %s: the reference has not %d bytes:\n%s", c.words, c.option, c.body, c.bytes, r.Stderr)
		}
	}
}
