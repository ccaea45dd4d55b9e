package gosass

import (
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/gosass/dis"
	"github.com/goptxas/goptxas/internal/gosass/report"
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
		_, _ = dis.List(file, &dis.Options{Hex: true, Ctrl: true})
		_, _ = dis.Source(file, &dis.Options{})
		_, _ = dis.JSON(file, &dis.Options{})
		_, _ = dis.CFG(file, &dis.Options{})
		_, _ = dis.Life(file, &dis.Options{})
		_, _ = report.Info(file)
		_, _, _ = report.Diff(file, file)
	})
}
