package gosass

import (
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/witness/cases"
)

// FuzzDis: whatever a file holds, no way of printing it panics.
func FuzzDis(f *testing.F) {
	for _, s := range cases.Cubins(f) {
		if len(s.Data) < 4096 {
			f.Add(s.Data)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := cubin.Read(b)
		if err != nil {
			return
		}
		_, _ = List(file, &Options{Hex: true, Ctrl: true})
		_, _ = Source(file, &Options{})
		_, _ = JSON(file, &Options{})
		_, _ = CFG(file, &Options{})
		_, _ = Life(file, &Options{})
		_, _ = Info(file)
		_, _, _ = Diff(file, file)
	})
}
