package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// prog is a kernel that both commands can run without the reference: it is
// compiled by us.
func prog(t *testing.T, name string) string {
	t.Helper()
	dir, err := zoo.Dir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name+".ptx")
}

func command(t *testing.T, stdin string, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = Main(args, strings.NewReader(stdin), &o, &e)
	return code, o.String(), e.String()
}

func contains(t *testing.T, out string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(out, w) {
			t.Errorf("output lacks %q:\n%s", w, out)
		}
	}
}

func TestRun(t *testing.T) {
	code, out, errs := command(t, "", "run", prog(t, "vecadd"))
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	contains(t, out, "vecadd<<<4, 64>>> on sm_90", "argument 2:", "thread instructions", "divergent branches", "bank conflicts", "global",
		"cycles for the longest warp; all warps together waited", " for global")
	if _, out, _ := command(t, "", "run", "-quick", prog(t, "vecadd")); strings.Contains(out, "cycles") {
		t.Errorf("-quick estimates cycles:\n%s", out)
	}
}

// TestRunCounts checks divergence and bank conflicts: three accesses a row of
// banks apart, the last by 25 lanes.
func TestRunCounts(t *testing.T) {
	text := `.version 8.0
.target sm_90
.address_size 64
//: run k grid=1 block=32
//: buf 128
.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<6>;
	.reg .b64 %d<3>;
	.reg .pred %p;
	.shared .align 4 .b8 s[4096];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 7;
	mov.u32 %r3, s;
	add.u32 %r2, %r2, %r3;
	st.volatile.shared.u32 [%r2], %r1;
	ld.volatile.shared.u32 %r4, [%r2];
	setp.lt.u32 %p, %r1, 7;
	@%p bra L;
	bar.warp.sync 0xffffff80;
	add.u32 %r4, %r4, 1;
	st.volatile.shared.u32 [%r2], %r4;
L:
	ld.param.u64 %d1, [p];
	mul.wide.u32 %d2, %r1, 4;
	add.s64 %d1, %d1, %d2;
	st.global.u32 [%d1], %r4;
	ret;
}
`
	name := filepath.Join(t.TempDir(), "k.ptx")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, errs := command(t, "", "run", name)
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	contains(t, out, "1 divergent branches", "3 shared accesses with 86 bank conflicts")
}

// TestRunTexture runs the reference's code for a kernel with a texture and a
// surface given by flags.
func TestRunTexture(t *testing.T) {
	x := oracle.Find(t)
	src := filepath.Join(filepath.Dir(prog(t, "vecadd")), "texture", "surf_copy.ptx")
	file := filepath.Join(t.TempDir(), "k.cubin")
	if r := x.Ptxas("-arch=sm_90a", src, "-o", file); r.Exit != 0 {
		t.Fatal(r.Stderr)
	}
	code, out, errs := command(t, "", "run", "-kernel", "wide", "-block", "64", "-arg", "surf:1d:64:u32x4:bits:3", "-arg", "buf:1024", file)
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	contains(t, out, "argument 0: 1024 bytes", "argument 1: 1024 bytes", "texture")
}

func TestRunArgs(t *testing.T) {
	code, out, errs := command(t, "", "run", prog(t, "vecadd"), "-kernel", "vecadd", "--grid", "1", "--block", "32",
		"-arg", "buf:128:iota", "-arg", "buf:128:iota", "-arg", "buf:128", "-arg", "u32:32", "-as", "x32", "-n", "3")
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	// whole numbers below 32 are subnormal floats: 1+1 is twice as large
	contains(t, out, "argument 2: 128 bytes, 31 changed: 00000000 00000002 00000004 …")
}

func TestRunTimedAndTrace(t *testing.T) {
	code, out, errs := command(t, "", "run", "-timed", "-trace", prog(t, "vecadd"))
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	contains(t, out, "cycles for the longest warp", "0,0,0 w0 ffffffff 0000 ", " R")
	if n := strings.Count(out, "\n"); n < 100 {
		t.Errorf("a trace of %d lines", n)
	}
}

func TestRunFaults(t *testing.T) {
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitUsage, "takes one file", []string{"run"}},
		{exitUsage, "flag provided but not defined", []string{"run", "-nosuch", "x"}},
		{exitFail, "no such file", []string{"run", "/nosuch/file"}},
		{exitFail, "no kernel", []string{"run", "-kernel", "nosuch", "-arg", "u32:1", prog(t, "vecadd")}},
		{exitUsage, "takes 4 arguments", []string{"run", "-arg", "u32:1", prog(t, "vecadd")}},
		{exitFail, "hits nothing", []string{"run", "-arg", "buf:64", "-arg", "buf:64", "-arg", "buf:64", "-arg", "u32:32", prog(t, "vecadd")}},
		{exitFail, "more than 10 instructions", []string{"run", "-max", "10", prog(t, "vecadd")}},
	} {
		code, _, errs := command(t, "", c.args...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, %q; want %d, %q", c.args, code, errs, c.code, c.want)
		}
	}
}

func TestDebug(t *testing.T) {
	script := "h\ns\ns 3\nl 1\nr 0..3\nr 0..3 5\nr0\nu\np\nm 0x400 2\nx\nb 0x20\nb\nw 1\nq\n"
	code, out, errs := command(t, script, "debug", prog(t, "vecadd"))
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	contains(t, out, "h for help", "run one (N) instructions", "ffffffff 0000: ", "ffffffff 0010: ", "ffffffff 0040: ", "> 0040: ",
		"lane 0\nR0 ", "lane 5\nR0 ", "UR0", "P0 6cb3a59c", "active ffffffff, exited 00000000", "unknown command \"x\"", "breakpoint at 0020")
}

func TestDebugToTheEnd(t *testing.T) {
	code, out, errs := command(t, "b 0x30\nc\nc\n", "debug", "-warp", "1", "-cta", "1", prog(t, "vecadd"))
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	contains(t, out, "ffffffff 0030: ", "the launch is complete", "argument 2:")
}

// TestDebugLines shows source lines of a file that the reference compiled
// with them.
func TestDebugLines(t *testing.T) {
	x := oracle.Find(t)
	dir := t.TempDir()
	src := filepath.Join(dir, "k.cu")
	if err := os.WriteFile(src, []byte("one\ntwo\nthree\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ptx := `.version 8.0
.target sm_90
.address_size 64
.file 1 "` + src + `"
//: run k grid=1 block=32
//: buf 128 zero
.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<3>;
	.reg .b64 %d<3>;
	.loc 1 2 1
	ld.param.u64 %d1, [p];
	mov.u32 %r1, %tid.x;
	.loc 1 3 1
	mul.wide.u32 %d2, %r1, 4;
	add.s64 %d1, %d1, %d2;
	st.global.u32 [%d1], %r1;
	ret;
}
`
	name := filepath.Join(dir, "k.ptx")
	if err := os.WriteFile(name, []byte(ptx), 0o644); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "k.cubin")
	if r := x.Ptxas("-lineinfo", "-arch=sm_90a", name, "-o", file); r.Exit != 0 {
		t.Fatal(r.Stderr)
	}
	code, out, errs := command(t, strings.Repeat("s\n", 30), "debug", "-desc", name, file)
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	contains(t, out, "k.cu:2: two", "k.cu:3: three", "the launch is complete")
}
