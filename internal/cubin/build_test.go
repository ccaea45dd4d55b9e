package cubin

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBuildDir(t *testing.T) {
	dir := os.Getenv("CUBINDIR")
	if dir == "" {
		t.Skip()
	}
	files, _ := filepath.Glob(dir + "/" + os.Getenv("CUBINPAT") + "*.cubin")
	ok, n := 0, 0
	for _, p := range files {
		b, _ := os.ReadFile(p)
		f, err := Read(b)
		if err != nil || f.Kind != KindExec || f.SM >= 100 || strings.Contains(p, "ewp") {
			continue
		}
		n++
		m, err := lift(f)
		if err != nil {
			t.Logf("%s: %v", filepath.Base(p), err)
			continue
		}
		g, err := Build(m)
		if err != nil {
			t.Logf("%s: %v", filepath.Base(p), err)
			continue
		}
		w, err := g.Write()
		if err != nil {
			t.Logf("%s: %v", filepath.Base(p), err)
			continue
		}
		if bytes.Equal(w, b) {
			ok++
			continue
		}
		t.Logf("%s: %s", filepath.Base(p), firstDifference(w, b))
	}
	t.Logf("%d of %d equal", ok, n)
}
