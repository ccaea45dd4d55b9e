package opgen

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// batches are the files of the whole sweep.
func batches(t testing.TB) []Batch {
	list := sweep90().taken
	left := map[string]int{}
	for _, text := range list {
		if why := unplaced(text); why != "" {
			left[why]++
		}
	}
	all := Batches(list)
	n := 0
	for _, b := range all {
		n += len(b.Forms)
	}
	t.Logf("%d forms, %d of them in %d files", len(list), n, len(all))
	for _, why := range slices.Sorted(maps.Keys(left)) {
		t.Logf("not run: %5d %s", left[why], why)
	}
	return all
}

// TestSweepBatch writes the forms of the sweep that can be run to the folder
// OPGEN_DIR, for gpurun zoo.
func TestSweepBatch(t *testing.T) {
	dir := os.Getenv("OPGEN_DIR")
	if dir == "" {
		t.Skip("OPGEN_DIR names no folder")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, b := range batches(t) {
		text := b.Text()
		if msg := compile(text, "sm_90a"); msg != "" {
			t.Errorf("%s: %s", b.Name, msg)
		}
		if err := os.WriteFile(filepath.Join(dir, b.Name+".ptx"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
