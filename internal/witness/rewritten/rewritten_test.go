package rewritten

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

const (
	before = "func f kernel {\n  reg r0 1/1\n  b0:\n    S2R r0 = SR_TID.X\n    EXIT\n}\n"
	after  = "func f kernel {\n  reg r0 1/1\n  b0:\n    EXIT\n}\n"
)

// TestDiffers: a phase that does what the file says passes; one that does
// nothing, one that leaves a broken function, and a broken file do not.
func TestDiffers(t *testing.T) {
	removes := func(f *ori.Func) bool { f.Blocks[0].First().Remove(); return true }
	for _, c := range []struct {
		name, in string
		phase    func(*ori.Func) bool
		good     bool
	}{
		{"removes", before, removes, true},
		{"nothing", before, func(*ori.Func) bool { return false }, false},
		{"broken", before, func(f *ori.Func) bool { f.Blocks[0].Last().Remove(); return true }, false},
		{"text", "func f {", removes, false},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"x.in.ori": c.in, "x.out.ori": after} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := differs(filepath.Join(dir, "x.in.ori"), c.phase); (err == nil) != c.good {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
