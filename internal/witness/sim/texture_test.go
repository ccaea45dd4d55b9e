package sim

import (
	"os"
	"path/filepath"
	"testing"

	"goptxas/internal/witness/oracle"
	"goptxas/internal/witness/zoo"
)

// textures loads the kernels with textures and surfaces.
func textures(t *testing.T) []zoo.Kernel {
	t.Helper()
	dir, err := zoo.Dir()
	if err != nil {
		t.Fatal(err)
	}
	list, err := zoo.Load(filepath.Join(dir, "texture"))
	if err != nil || len(list) == 0 {
		t.Fatalf("%d kernels: %v", len(list), err)
	}
	return list
}

// TestTextures runs the reference's code for them.
func TestTextures(t *testing.T) {
	x := oracle.Find(t)
	list := textures(t)
	out := filepath.Join(t.TempDir(), "k.cubin")
	good := 0
	for n := range list {
		k := &list[n]
		if r := x.Ptxas("-arch=sm_90a", k.Path, "-o", out); r.Exit != 0 {
			t.Errorf("%s: %s", k.File, r.Stderr)
			continue
		}
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if ok, _ := runZoo(t, k, b); ok {
			good++
		}
		if k.Want == nil {
			t.Errorf("%s: no measured results", k.File)
		}
	}
	t.Logf("%d of %d files as on the H200", good, len(list))
}
