package loop

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/witness/rewritten"
)

// TestFolders: every phase makes of each file of its folder what stands beside it.
func TestFolders(t *testing.T) {
	rewritten.Check(t, rewritten.Phases{
		"Constants":        Constants,
		"RotateLoops":      func(f *ori.Func) bool { return RotateLoops(f, 8) },
		"SharedInductions": SharedInductions,
		"SharedPointers":   SharedPointers,
		"UnrollRest":       func(f *ori.Func) bool { return UnrollRest(f, Rest{Turns: 4, Body: 32, Growth: 4000}) },
	})
}
