package cubin

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestDir(t *testing.T) {
	dir := os.Getenv("CUBINDIR")
	if dir == "" {
		t.Skip()
	}
	files, _ := filepath.Glob(dir + "/*.cubin")
	ok, odd := 0, 0
	for _, p := range files {
		b, _ := os.ReadFile(p)
		f, err := Read(b)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		w, err := f.Write()
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		if f.Odd != nil {
			odd++
			if odd < 12 {
				t.Logf("%s: odd %.300s", filepath.Base(p), fmt.Sprintf("%+v", *f.Odd))
			}
		}
		if !bytes.Equal(w, b) {
			n := 0
			for n < len(b) && n < len(w) && b[n] == w[n] {
				n++
			}
			t.Errorf("%s: differs at %#x of %#x/%#x", p, n, len(b), len(w))
			continue
		}
		ok++
	}
	t.Logf("%d files, %d equal, %d odd", len(files), ok, odd)
}
