package printer

import (
	"testing"

	"github.com/goptxas/goptxas/internal/witness/corpus"
)

// TestRoundTripCases prints and parses again every accepted case.
func TestRoundTripCases(t *testing.T) {
	list := accepted(t)
	for _, c := range list {
		if out, problem := roundTrip(c.Input); problem != "" {
			t.Errorf("%s: %s\n%s", c.Name, problem, out)
		}
	}
	t.Logf("%d accepted cases parsed, printed and parsed to an equal tree", len(list))
}

// TestRoundTripCorpus does the same with every file of the corpus.
func TestRoundTripCorpus(t *testing.T) {
	c := corpus.Find(t)
	files := append(c.Smoke(), c.Files...)
	if testing.Short() {
		files = c.Smoke()
	}
	size, bad := 0, 0
	for i := range files {
		text, err := files[i].Read()
		if err != nil {
			t.Fatal(err)
		}
		size += len(text)
		if _, problem := roundTrip(text); problem != "" {
			t.Errorf("%s: %s", files[i].Name, problem)
			if bad++; bad > 20 {
				t.FailNow()
			}
		}
	}
	t.Logf("%d files, %d bytes parsed, printed and parsed to an equal tree", len(files), size)
}
