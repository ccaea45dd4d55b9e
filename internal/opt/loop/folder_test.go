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
		"JumpThreads":      func(f *ori.Func) bool { return JumpThreads(f, Threading{Copied: 8, Apart: 2, Growth: 4000}) },
		"Peel":             func(f *ori.Func) bool { return Peel(f, Copied{Body: 96, Growth: 4000}) },
		"Unswitch":         func(f *ori.Func) bool { return Unswitch(f, Copied{Body: 160, Growth: 4000}) },
		"RotateLoops":      func(f *ori.Func) bool { return RotateLoops(f, 8) },
		"SharedInductions": SharedInductions,
		"SharedPointers":   SharedPointers,
		"Unroll": func(f *ori.Func) bool {
			return Unroll(f, Bounds{Whole: 720, Left: 1200, Body: 80, Part: 256, Copies: 8, Forked: 40, Forks: 420, Growth: 4000})
		},
		"UnrollRest": func(f *ori.Func) bool { return UnrollRest(f, Rest{Turns: 4, Body: 32, Growth: 4000}) },
	})
}
