package driver

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// TestSameBytesInEveryProcess compiles files in several processes, whose
// maps and addresses differ, with different numbers of workers: the files
// are the same byte for byte.
func TestSameBytesInEveryProcess(t *testing.T) {
	dir := t.TempDir()
	files, kernels := 0, zoo.List(t)
	for n := 0; n < len(kernels); n += 16 {
		var first []byte
		for run, split := range []string{"1", "2", "8", "1"} {
			out := filepath.Join(dir, "out.cubin")
			r := runSelf(t, dir, "-arch=sm_90a", "--split-compile="+split, kernels[n].Path, "-o", out)
			if r.Exit != 0 {
				break // not every kernel can be compiled
			}
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if run == 0 {
				first = text
				files++
			}
			if !bytes.Equal(first, text) {
				t.Errorf("%s: run %d gives another file", kernels[n].File, run)
			}
		}
	}
	t.Logf("%d files", files)
	if files == 0 {
		t.Error("nothing was compiled")
	}
}
