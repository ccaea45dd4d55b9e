package gosass

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/witness/cases"
)

const sampleDir = "../../testdata/cubin"

// find returns one sample.
func find(t testing.TB, name string) []byte {
	for _, s := range cases.Cubins(t) {
		if s.Name == name {
			return s.Data
		}
	}
	t.Fatalf("no sample %s", name)
	return nil
}

func read(t testing.TB, b []byte) *cubin.File {
	t.Helper()
	f, err := cubin.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// firstDifferent shows the first line in which two texts differ.
func firstDifferent(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range w {
		if i >= len(g) {
			return "ends early, before " + w[i]
		}
		if g[i] != w[i] {
			return "\n got " + g[i] + "\nwant " + w[i]
		}
	}
	return "goes on too long"
}
