package gosass

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"goptxas/internal/cubin"
)

func TestSourceDir(t *testing.T) {
	dir := os.Getenv("CUBINDIR")
	if dir == "" {
		t.Skip()
	}
	files, _ := filepath.Glob(dir + "/*.cubin")
	ok := 0
	for _, p := range files {
		b, _ := os.ReadFile(p)
		f, err := cubin.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		src, err := Source(f, &Options{})
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		g, err := Assemble(p, src, nil)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		w, err := g.Write()
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		if bytes.Equal(w, b) {
			ok++
			continue
		}
		t.Errorf("%s: differs", p)
	}
	t.Logf("%d of %d", ok, len(files))
}
