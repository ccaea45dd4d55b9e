package gosass

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"

	"goptxas/internal/cubin"
)

const sampleDir = "../../testdata/cubin"

// sample is one cubin of the reference; its name is probe.arch and the flags
// it was compiled with.
type sample struct {
	name string
	data []byte
}

func samples(t testing.TB) []sample {
	t.Helper()
	f, err := os.Open(sampleDir + "/samples.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var list []sample
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, sample{h.Name, b})
	}
}

// find returns one sample.
func find(t testing.TB, name string) []byte {
	for _, s := range samples(t) {
		if s.name == name {
			return s.data
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
