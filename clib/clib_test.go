package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
)

// long is a text that takes tens of milliseconds to compile, so that a
// compilation can be called off.
func long() string {
	var s strings.Builder
	s.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %a;\n.reg .f32 %f<100>;\nld.param.u64 %a, [p];\nld.global.f32 %f0, [%a];\n")
	for i := range 99 {
		fmt.Fprintf(&s, "ld.global.f32 %%f%d, [%%a+%d];\n", i+1, 4*i)
	}
	for i := range 10000 {
		fmt.Fprintf(&s, "fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", i%100, (i*7+1)%100, (i*13+5)%100, (i*29+3)%100)
	}
	for i := range 100 {
		fmt.Fprintf(&s, "st.global.f32 [%%a+%d], %%f%d;\n", 4*i, i)
	}
	s.WriteString("ret;\n}\n")
	return s.String()
}

// TestC builds the library, compiles a C program against its header and lets
// that compile a kernel: the same bytes as from Go.
func TestC(t *testing.T) {
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	if _, err := exec.LookPath(cc); err != nil {
		t.Skipf("no C compiler here: %v", err)
	}
	dir := t.TempDir()
	lib, prog := filepath.Join(dir, "libgoptxas.so"), filepath.Join(dir, "prog")
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, "DYLD_LIBRARY_PATH="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	run("go", "build", "-buildmode=c-shared", "-o", lib, ".")
	run(cc, "-Wall", "-Werror", "-I.", "-o", prog, "testdata/main.c", "-L"+dir, "-lgoptxas")
	text := long()
	in, out := filepath.Join(dir, "in.ptx"), filepath.Join(dir, "out.cubin")
	if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	said := run(prog, in, out, "--gpu-name=sm_90", "-v")
	for _, want := range []string{"version 13.0\n", "errors: ptxas application ptx input, line 1; fatal   : Missing .version directive", " 1\nasked: 1\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("the program does not say %q:\n%s", want, said)
		}
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "in.ptx", Text: []byte(text)}}, goptxas.Options{Arch: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Cubin) {
		t.Errorf("%d bytes from C, %d from Go, not the same", len(got), len(want.Cubin))
	}
}
