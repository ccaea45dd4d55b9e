package cubin

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
)

// FuzzRead: any bytes are read or refused without panic, with memory bounded
// by the size of the input, and what was read can be written; what was
// written reads again to the same bytes.
func FuzzRead(f *testing.F) {
	for i, s := range cases.Cubins(f) {
		if i%9 == 0 && len(s.Data) < 4096 { // minimising large inputs takes the whole time
			f.Add(s.Data)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := Read(b)
		if err != nil {
			return
		}
		w, err := file.Write()
		if err != nil {
			return
		}
		again, err := Read(w)
		if err != nil {
			return
		}
		if w2, err := again.Write(); err == nil && !bytes.Equal(w, w2) {
			t.Errorf("second writing differs at %s", firstDifference(w2, w))
		}
	})
}

// TestHostile flips bytes of the headers and tables of small files: no panic
// and no allocation beyond a small multiple of the file.
func TestHostile(t *testing.T) {
	n := 0
	var before, after runtime.MemStats
	for i, s := range cases.Cubins(t) {
		if i%25 != 0 {
			continue
		}
		b := bytes.Clone(s.Data)
		for at := 0; at < len(b); at += 7 {
			for _, v := range [...]byte{0xff, 0x80, 0} {
				old := b[at]
				b[at] = v
				runtime.ReadMemStats(&before)
				f, err := Read(b)
				runtime.ReadMemStats(&after)
				if got, most := after.TotalAlloc-before.TotalAlloc, uint64(40*len(b)+1<<16); got > most {
					t.Errorf("%s: byte %#x = %#x: %d bytes allocated for %d", s.Name, at, v, got, len(b))
				}
				if err == nil {
					_, _ = f.Write()
				}
				b[at] = old
				n++
			}
		}
	}
	t.Logf("%d damaged files", n)
}
