package gen

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// TestReproducers runs the programs of testdata/gen, which random testing
// found and shrank, through the interpreter and our compiler.
func TestReproducers(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/gen/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatalf("no reproducers: %v", err)
	}
	good := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if diff := reproduce(t, filepath.Base(f), string(text)); diff != "" {
			t.Errorf("%s: %s", filepath.Base(f), diff)
			continue
		}
		good++
	}
	t.Logf("%d of %d agree", good, len(files))
}

// optionsOf returns the options that a program asks for in a comment.
func optionsOf(text string) []string {
	for line := range strings.Lines(text) {
		if list, ok := strings.CutPrefix(strings.TrimSpace(line), "// options: "); ok {
			return strings.Fields(list)
		}
	}
	return nil
}

// archOf returns what a program is compiled for: sm_90a, or a newer target that
// it names.
func archOf(text string) string {
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), ".target sm_1"); ok {
			return "sm_1" + name
		}
	}
	return "sm_90a"
}

// reproduce returns how our compiled code differs from the interpreter.
func reproduce(t *testing.T, name, text string) string {
	t.Helper()
	list, err := launch.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := ptxvm.Load(name, text, archOf(text))
	if err != nil {
		t.Fatal(err)
	}
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: name, Text: []byte(text)}}, goptxas.Options{Arch: archOf(text), Args: optionsOf(text)})
	if err != nil {
		return err.Error()
	}
	m, err := sim.Load(out.Cubin)
	if err != nil {
		return err.Error()
	}
	for n := range list {
		want, err := v.Run(&list[n], ptxvm.Options{Undefined: true})
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel(list[n].Kernel)
		if err != nil {
			return err.Error()
		}
		for paths := range uint64(4) { // whose threads run first
			if diff := runs(k, &list[n], want, paths); diff != "" {
				return diff
			}
		}
	}
	return ""
}

// runs returns how a launch differs from what it should leave.
func runs(k *sim.Program, l *launch.Launch, want [][]byte, paths uint64) string {
	c, err := k.Prepare(l, nil)
	if err != nil {
		return err.Error()
	}
	c.Launch.MaxSteps, c.Launch.Paths = 1_000_000, paths
	st, err := k.Run(&c.Launch)
	if err != nil {
		return err.Error()
	}
	if st.Behind > 0 {
		return "lanes are left behind at a convergence barrier"
	}
	for b := range want {
		if !bytes.Equal(want[b], c.Buffers[b]) {
			return "a buffer differs"
		}
	}
	return ""
}

// TestUpperBank reads parameters in the upper half of their constant bank.
func TestUpperBank(t *testing.T) {
	var b strings.Builder
	b.WriteString("//: run k grid=1 block=32\n//: buf 64 zero\n//: hex ")
	for n := range 32756 {
		fmt.Fprintf(&b, "%02x", byte(n^n>>7))
	}
	b.WriteString(`
.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .align 8 .b8 p[32756])
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [a];
	ld.param.u32 %r1, [p+32704];
	ld.param.u64 %rd2, [p+32712];
	ld.param.s8 %r2, [p+32755];
	st.global.u32 [%rd1], %r1;
	st.global.u64 [%rd1+8], %rd2;
	st.global.u32 [%rd1+4], %r2;
	ret;
}
`)
	if diff := reproduce(t, "upper.ptx", b.String()); diff != "" {
		t.Error(diff)
	}
}
