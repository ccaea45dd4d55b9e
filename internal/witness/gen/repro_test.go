package gen

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
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

// reproduce returns how our compiled code differs from the interpreter.
func reproduce(t *testing.T, name, text string) string {
	t.Helper()
	list, err := launch.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := ptxvm.Load(name, text, "sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: name, Text: []byte(text)}}, goptxas.Options{Arch: "sm_90a"})
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
		c, err := k.Prepare(&list[n], nil)
		if err != nil {
			return err.Error()
		}
		c.Launch.MaxSteps = 1_000_000
		if _, err := k.Run(&c.Launch); err != nil {
			return err.Error()
		}
		for b := range want {
			if !bytes.Equal(want[b], c.Buffers[b]) {
				return "a buffer differs"
			}
		}
	}
	return ""
}
