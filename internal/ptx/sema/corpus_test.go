package sema_test

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/corpus"
)

// TestCorpus accepts every file of the corpus and the smoke set.
func TestCorpus(t *testing.T) {
	c := corpus.Find(t)
	files := append(append([]corpus.File{}, c.Files...), c.Smoke()...)
	ok, bytes := 0, 0
	faults := map[string]int{}
	for i := range files {
		f := &files[i]
		text, err := f.Read()
		if err != nil {
			t.Fatal(err)
		}
		bytes += len(text)
		got := check(text, f.Args)
		if got.exit == 0 {
			ok++
			continue
		}
		for line := range strings.Lines(got.stderr) {
			_, what, _ := strings.Cut(line, ": ")
			faults[strings.TrimSpace(what)]++
		}
		if len(faults) < 10 {
			t.Errorf("%s: %s", f.Name, firstLine(got.stderr))
		}
	}
	for what, n := range faults {
		t.Logf("%6d %s", n, what)
	}
	t.Logf("%d of %d files accepted, %d bytes", ok, len(files), bytes)
}
