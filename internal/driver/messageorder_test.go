package driver

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// sharedKernels have shared memory of their own, of the module's and of a
// function's, with several alignments.
const sharedKernels = `.shared .align 16 .b8 q[20]; .extern .shared .align 64 .b8 dyn[];
.func f() { .reg .b32 %r<3>; .shared .align 32 .b8 z[64]; mov.u32 %r1, z; st.shared.u32 [%r1], %r1; ret; }
.visible .entry k() { .reg .b32 %r<3>; .shared .align 4 .b8 s[4]; mov.u32 %r1, s; st.shared.u32 [%r1], %r1; ret; }
.visible .entry l() { .reg .b32 %r<3>; .shared .align 8 .b8 s[100]; .shared .align 2 .b8 t[2]; mov.u32 %r1, s; st.shared.u32 [%r1], %r1; mov.u32 %r1, t; st.shared.u16 [%r1], %r1; mov.u32 %r1, q; st.shared.u32 [%r1], %r1; ret; }
.visible .entry m() { call f; ret; }
`

// pointing has kernels of which the second comes to a pointer, nobody code that
// no thread comes to and an array that needs no memory, functions has some that are compiled by themselves in objects and for debuggers.
const (
	pointing = `.func f() { ret; }
.visible .entry a() { ret; }
.visible .entry b() { .reg .b64 %rd<3>; P: .callprototype _ (); mov.u64 %rd1, f; call %rd1, P; ret; }
.visible .entry c() .maxntid 256 .minnctapersm 2 { ret; }
`
	nobody = `.visible .entry a() { trap; bar.sync 3; ret; }
.visible .entry b() { exit; bar.sync 3; ret; }
.visible .entry c() { bra E; bar.sync 3; E: ret; }
.visible .entry d() { .reg .pred %p; .reg .b32 %r; mov.u32 %r, %tid.x; setp.eq.u32 %p, %r, 0; @%p trap; bar.sync 3; ret; }
.visible .entry e() { .reg .pred %p; .reg .b32 %r; mov.u32 %r, 1; setp.eq.u32 %p, %r, 0; @!%p bra E; bar.sync 3; E: ret; }
.visible .entry f(.param .u64 q, .param .u32 n) { .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<4>; .local .b32 l[100]; ld.param.u64 %rd1, [q]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0;
L: ld.global.u32 %r3, [%rd1]; add.u32 %r2, %r2, 1; add.u32 %r3, %r3, %r2; st.global.u32 [%rd1], %r3; setp.lt.u32 %p, %r2, %r1; @%p bra L;
mov.u64 %rd2, l; mad.wide.u32 %rd3, %r1, 4, %rd2; st.local.u32 [%rd3], %r1; ld.local.u32 %r4, [l+20]; st.global.u32 [%rd1], %r4; ret; }
`
	functions = `.func s() { ret; }
.visible .func v() { ret; }
.func t();
.visible .func w();
.entry a() { call v; call t; ret; }
.func t() { ret; }
.visible .entry b() { call w; call s; ret; }
.visible .func w() { ret; }
.visible .entry c() .maxntid 64 { ret; }
`
)

// TestMessageOrder: what is said of options, files and kernels, how often and
// in which order, is what the reference says.
func TestMessageOrder(t *testing.T) {
	x := oracle.Find(t)
	const head, kernel = ".version 8.0\n.target sm_75\n.address_size 64\n", " .entry k() .maxnreg 16 .pragma \"foo\"; { ret; }\n.visible .entry l() { ret; }\n.entry m() .maxntid 1024 .minnctapersm 8 { ret; }\n"
	const independent = "sm_75, texmode_independent"
	reading := func(what string) string {
		return ".global .texref t; .global .samplerref s;\n.visible .entry k() { .reg .f32 %f<6>; .reg .b32 %r<3>; .reg .b64 %rd<3>;\ntex.2d.v4.f32.f32 {%f2,%f3,%f4,%f5}, [" + what + "];\nret; }\n"
	}
	inBody := func(what string) string {
		return ".visible .entry k() { .reg .b32 %r<4>; .reg .b64 %rd<4>;\n" + what + "\nret; }\n"
	}
	retarget := func(text, target string) string { return strings.Replace(text, "sm_75", target, 1) }
	numbers := regexp.MustCompile(`Used \d+ registers|Compile time = .*`)
	for _, c := range []struct{ a, b, options string }{
		{head + kernel, "", "-v -maxrregcount=24"},
		{head + kernel, "", "-g -v -maxrregcount=32"},
		{head + kernel, "", "-c -v -maxrregcount=32"},
		{head + kernel, "", "-c -O0 -v -maxrregcount=32"},
		{head + kernel, "", "-c -Ofc=min -v -maxrregcount=32"},
		{head + kernel, "", "-ewp -v -maxrregcount=32"},
		{head + kernel, "", "-ewp -g -v -maxrregcount=32"},
		{head + kernel, "", "-g -Werror"},
		{head + kernel, "", "-Werror"},
		{head + kernel + ".section .debug_info { .b8 1 }\n.section .debug_info { .b8 2 }\n", "", "-g"},
		{head + kernel + ".section .debug_info { .b8 1 }\n", "", "-g -suppress-debug-info"},
		{head + sharedKernels, "", "-v -c"},
		{head + sharedKernels, "", "-v -c -arch=sm_90"},
		{head + sharedKernels, "", "-v -ewp"},
		{head + sharedKernels, "", "-v"},
		{retarget(head, "sm_80") + kernel, "", "-astoolspatch"},
		{retarget(head, "sm_80") + kernel, "", "-suppress-debug-info -legacy-bar-warp-wide-behavior -Werror"},
		{retarget(head, "sm_70") + kernel, "", "-legacy-bar-warp-wide-behavior -arch=sm_80"},
		{retarget(head, "sm_52") + kernel, retarget(head, "sm_75") + ".entry n() { ret; }", "-legacy-bar-warp-wide-behavior -c -arch=sm_90"},
		{head + kernel, "", "-preserve-relocs -arch=sm_100 -maxrregcount=32 -v"},
		{head + "oops", "", "-preserve-relocs -arch=sm_100"},
		{head + kernel, retarget(head, "sm_75, texmode_independent") + ".entry n() { ret; }", ""},
		{retarget(head, "sm_75, texmode_independent") + kernel, head + ".entry n() { ret; }", ""},
		{retarget(head, "sm_75, texmode_independent") + kernel, retarget(head, "sm_75, texmode_unified") + ".entry n() { ret; }", ""},
		{retarget(head, independent) + reading("t, {%f1,%f1}"), "", ""},
		{retarget(head, independent) + reading("t, t, {%f1,%f1}"), "", ""},
		{retarget(head, independent) + reading("t, %r1, {%f1,%f1}"), "", ""},
		{retarget(head, independent) + reading("t, s"), "", ""},
		{retarget(head, independent) + reading("%rd1, {%f1,%f1}"), "", ""},
		{retarget(head, independent) + reading("s, t, {%f1,%f1}"), "", ""},
		{retarget(head, independent+", texmode_unified") + reading("t, s, {%f1,%f1}"), "", ""},
		{retarget(head, independent+", texmode_unified") + reading("t, {%f1,%f1}"), "", ""},
		{head + kernel, retarget(head, independent) + reading("t, s, {%f1,%f1}"), ""},
		{retarget(head, independent) + kernel, head + strings.Replace(reading("t, {%f1,%f1}"), "k(", "o(", 1), ""},
		{head + pointing, "", "-v -maxrregcount=32"},
		{head + pointing, head + "oops", "-v -maxrregcount=32"},
		{head + kernel, head + kernel, "-e nosuch"},
		{head + inBody("alloca.u64 %rd1, %rd2, 3;"), "", ""},
		{head + inBody("alloca.u64 %rd1, %rd2, -8;"), "", ""},
		{head + inBody("alloca.u64 %rd1, %rd2, 64;"), "", ""},
		{head + inBody("mov.b32 {%r1,%r2}, %r3;"), "", ""},
		{head + inBody("mov.b32 {%r1,_}, %r3;"), "", ""},
		{head + inBody("mov.b32 %r3, {%r1,%r2};"), "", ""},
		{head + inBody("nanosleep.u64 5;"), "", ""},
		{head + inBody("nanosleep.s32 5;"), "", ""},
		{retarget(head, "sm_90a") + inBody("setmaxnreg.inc.sync.aligned.u32 300;"), "", "-arch=sm_90a"},
		{retarget(head, "sm_90a") + inBody("setmaxnreg.inc.sync.aligned.u32 264;"), "", "-arch=sm_90a"},
		{head + ".global .b64 h; .global .b8 g[8] = {0xF0(h)};", "", ""},
		{head + ".tex .texref t;", "", ""},
		{head + nobody, "", "-v"},
		{head + nobody, "", "-v -O0"},
		{head + nobody, "", "-v -c -arch=sm_90"},
		{head + functions, "", "-c -maxntid=2048"},
		{head + functions, "", "-c -g -maxntid=2048 -minnctapersm=99"},
		{head + functions, "", "-g -maxntid=2048"},
		{head + functions, "", "-ewp -maxntid=2048"},
		{head + functions, "", "-ewp -g -maxntid=2048"},
		{head + functions, "", "-c -O0 -maxntid=1024 -minnctapersm=4"},
		{head + ".visible .func f() { ret; }", head + ".func f() { ret; }", ""},
		{head + ".func f() { ret; }", head + ".visible .func f() { ret; }", ""},
		{head + ".func f() { ret; }", head + ".visible .func f() { ret; }", "-c"},
		{head + ".func f();\n.visible .func f() { ret; }", "", ""},
		{head + ".weak .global .b32 f;", head + ".global .b32 f;", ""},
		{head + ".extern .global .b32 f;", head + ".global .b32 f;", "-c"},
		{retarget(head, "sm_75, debug") + ".entry n() { .reg .f32 %f; div.rn.f32 %f, %f, %f; ret; }", "", ""},
		{retarget(head, "sm_75, debug") + ".entry n() { .reg .f32 %f; div.approx.f32 %f, %f, %f; ret; }", "", ""},
		{retarget(head, "sm_75, debug") + ".entry n() { bar.warp.sync -1; ret; }", "", ""},
		{retarget(head, "sm_75, debug") + ".entry n() { bar.warp.sync -1; ret; }", "", "-arch=sm_90"},
	} {
		dir := t.TempDir()
		args := append(strings.Fields(c.options), "a.ptx")
		for name, text := range map[string]string{"a.ptx": c.a, "b.ptx": c.b} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if c.b != "" {
			args = append(args, "b.ptx")
		}
		got, want := runSelf(t, dir, args...), x.Run(dir, "ptxas", args...)
		if numbers.ReplaceAllString(got.Stderr, "") != numbers.ReplaceAllString(want.Stderr, "") || got.Exit != want.Exit {
			t.Errorf("%s\n%q:\n%sthe reference says\n%s", c.a, args, got.Stderr, want.Stderr)
		}
	}
}
