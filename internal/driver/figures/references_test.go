package figures_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/driver"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// told is what a report says of a kernel that code does not decide.
var told = regexp.MustCompile(`(?m)^ +(\d+ bytes stack frame).*|barriers, (.*)`)

// figuresOf takes it out of a report.
func figuresOf(report string) []string {
	var list []string
	for _, m := range told.FindAllStringSubmatch(report, -1) {
		list = append(list, m[1]+m[2])
	}
	return list
}

// TestFigures: frames, shared memory, constants, textures and samplers are
// counted as the reference counts them.
func TestFigures(t *testing.T) {
	const (
		head    = ".version 8.8\n.target sm_75, texmode_independent\n.address_size 64\n"
		refs    = ".global .texref t1; .global .texref t2; .global .surfref u1; .global .samplerref s1; .global .samplerref s2;\n"
		declare = "{ .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; ld.param.u64 %d1,[P]; "
		open    = ".visible .entry k(.param .u64 P)\n" + declare
		next    = "ret; }\n.visible .entry n(.param .u64 P, .param .align 8 .b8 Q[1000])\n" + declare
		end     = "ret; }\n"
		t1s1    = "tex.2d.v4.f32.f32 {%f2,%f3,%f4,%f5}, [t1, s1, {%f1,%f1}]; st.global.f32 [%d1],%f2; "
		t1s2    = "tex.2d.v4.f32.f32 {%f2,%f3,%f4,%f5}, [t1, s2, {%f1,%f1}]; st.global.f32 [%d1],%f2; "
		t2s1    = "tex.2d.v4.f32.f32 {%f2,%f3,%f4,%f5}, [t2, s1, {%f1,%f1}]; st.global.f32 [%d1],%f2; "
		named   = "mov.u64 %d2,t1; mov.u64 %d3,s1; st.global.u64 [%d1],%d2; st.global.u64 [%d1],%d3; "
		shared  = ".shared .align 4 .b8 x[4]; .shared .align 16 .b8 y[20]; .shared .align 16 .b8 z[4]; mov.u32 %r1,x; mov.u32 %r2,y; st.shared.b32 [%r2],%r1; mov.u32 %r2,z; st.shared.b32 [%r2],%r1; "
		local   = ".local .align 4 .b8 x[4]; .local .align 16 .b8 y[20]; .local .align 16 .b8 z[4]; mov.u64 %d2,x; mov.u64 %d3,y; mov.u64 %d4,z; st.local.u64 [%d3],%d2; st.global.u64 [%d1],%d3; st.global.u64 [%d1],%d4; "
	)
	const (
		dyn       = ".extern .shared .align 8 .b8 dyn[];\n"
		forwarded = ".local .align 4 .b8 w[8]; st.local.u32 [w],%r1; ld.local.u32 %r2,[w]; st.global.u32 [%d1],%r2; "
	)
	indexed := func(bytes, more string) string {
		return ".local .align 4 .b8 v[" + bytes + "]; ld.global.u32 %r1,[%d1+2000]; mov.u32 %r2,%tid.x; mov.u64 %d2,v; mad.wide.u32 %d3,%r1,4,%d2; st.local.u32 [%d3],%r2; " + more + " ld.local.u32 %r3,[v]; st.global.u32 [%d1],%r3; "
	}
	for _, c := range []struct {
		text, options string
		want          []string
	}{
		{refs + open + t1s1 + t2s1 + end, "-arch=sm_75", []string{"0 bytes stack frame", "368 bytes cmem[0], 2 textures, 1 samplers"}},
		{refs + open + t1s1 + t2s1 + end, "-arch=sm_80", []string{"0 bytes stack frame", "368 bytes cmem[0], 2 textures, 2 samplers"}},
		{refs + open + t1s1 + t1s2 + end, "-arch=sm_89", []string{"0 bytes stack frame", "368 bytes cmem[0], 2 textures, 2 samplers"}},
		{refs + open + named + end, "-arch=sm_80", []string{"0 bytes stack frame", "364 bytes cmem[0], 1 textures, 1 samplers"}},
		{refs + open + named + t1s1 + t1s2 + end, "-arch=sm_75", []string{"0 bytes stack frame", "368 bytes cmem[0], 1 textures, 2 samplers"}},
		{refs + open + t1s1 + next + end, "-arch=sm_75 -g", []string{"0 bytes stack frame", "1380 bytes cmem[0], 2 textures, 1 surfaces, 2 samplers", "0 bytes stack frame", "1360 bytes cmem[0]"}},
		{refs + open + t1s1 + next + end, "-arch=sm_80 --fast-compile", []string{"0 bytes stack frame", "1380 bytes cmem[0], 2 textures, 1 surfaces, 2 samplers", "0 bytes stack frame", "1360 bytes cmem[0]"}},
		{open + shared + end, "-arch=sm_90", []string{"0 bytes stack frame", "52 bytes smem"}},
		{open + shared + end, "-arch=sm_90 -g", []string{"0 bytes stack frame", "40 bytes smem"}},
		{open + shared + end, "-arch=sm_90 -g -ewp", []string{"0 bytes stack frame", "40 bytes smem"}},
		{open + shared + end, "-arch=sm_90 -Ofc=min", []string{"0 bytes stack frame", "40 bytes smem"}},
		{open + shared + end, "-arch=sm_90 -Ofc=max -ewp", []string{"0 bytes stack frame", "40 bytes smem"}},
		{dyn + open + shared + end, "-arch=sm_90 --fast-compile", []string{"0 bytes stack frame", "40 bytes smem"}},
		{dyn + open + shared + "mov.u32 %r1,dyn; st.shared.b32 [%r1],%r1; " + end, "-arch=sm_90 --fast-compile", []string{"0 bytes stack frame", "48 bytes smem"}},
		{open + ".local .align 16 .b8 x[4]; .local .align 8 .b8 y[16]; " + forwarded + end, "-arch=sm_90", []string{"32 bytes stack frame", "32 bytes cumulative stack size"}},
		{open + forwarded + end, "-arch=sm_90", []string{"0 bytes stack frame"}},
		{open + indexed("64", "shfl.sync.bfly.b32 %r3,%r1,1,31,-1; st.global.u32 [%d1+8],%r3;") + end, "-arch=sm_90", []string{"0 bytes stack frame"}},
		{open + indexed("68", "shfl.sync.bfly.b32 %r3,%r1,1,31,-1; st.global.u32 [%d1+8],%r3;") + end, "-arch=sm_90", []string{"72 bytes stack frame", "72 bytes cumulative stack size"}},
		{open + local + end, "-arch=sm_75", []string{"48 bytes stack frame", "48 bytes cumulative stack size, 360 bytes cmem[0]"}},
		{open + local + end, "-arch=sm_75 -O0", []string{"48 bytes stack frame", "48 bytes cumulative stack size, 360 bytes cmem[0]"}},
	} {
		in := filepath.Join(t.TempDir(), "k.ptx")
		if err := os.WriteFile(in, []byte(head+c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		args := append(strings.Fields(c.options), "-v", "-o", in+".cubin", in)
		var messages bytes.Buffer
		if code := driver.Main(context.Background(), driver.Env{Args: args, Stdout: &messages, Stderr: &messages}); code != 0 {
			t.Fatal(messages.String())
		}
		if got := figuresOf(messages.String()); !slices.Equal(got, c.want) {
			t.Errorf("%s\n%s\n%q, want %q", c.options, c.text, got, c.want)
		}
		if !oracle.Available() {
			continue
		}
		if got := figuresOf(oracle.Find(t).Ptxas(args...).Stderr); !slices.Equal(got, c.want) {
			t.Errorf("%s\n%s\nthe reference says %q, not %q", c.options, c.text, got, c.want)
		}
	}
}

// TestStillFunctions: a function that does not move its stack pointer needs no
// copy of it, whatever the kernel does that calls it.
func TestStillFunctions(t *testing.T) {
	const text = ".version 8.0\n.target sm_75\n.address_size 64\n" +
		".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1,[a]; add.u32 %r1,%r1,1; st.param.b32 [r],%r1; ret; }\n" +
		".visible .entry k(.param .u64 p, .param .u64 n) { .reg .b32 %r<9>; .reg .b64 %d<9>; ld.param.u64 %d1,[p]; ld.param.u64 %d2,[n]; alloca.u64 %d3,%d2;\n" +
		"st.local.u32 [%d3],%r1; ld.local.u32 %r2,[%d3+4]; X: .callprototype (.param .b32 _) _ (.param .b32 _); mov.u64 %d4,f;\n" +
		"{ .param .b32 q; .param .b32 o; st.param.b32 [q],%r2; call (o),%d4,(q),X; ld.param.b32 %r3,[o]; } st.global.u32 [%d1],%r3; ret; }\n"
	var report bytes.Buffer
	if _, ok := driver.CompileTexts(t.Context(), []string{"-v", "-O1", "-arch=sm_100"}, []driver.Text{{Name: "k.ptx", Text: []byte(text)}}, &report); !ok {
		t.Fatal(report.String())
	}
	if !strings.Contains(report.String(), "properties for f\n    0 bytes stack frame") {
		t.Error(report.String())
	}
}
