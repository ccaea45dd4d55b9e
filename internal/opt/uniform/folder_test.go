package uniform

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/witness/rewritten"
)

// TestFolders: every phase makes of each file of its folder what stands beside it.
func TestFolders(t *testing.T) {
	rewritten.Check(t, rewritten.Phases{
		"SplitShared":       SplitShared,
		"UniformBases":      func(f *ori.Func) bool { return UniformBases(f, func(*ori.Instr) bool { return true }, 512) },
		"UniformDoubles":    func(f *ori.Func) bool { return UniformDoubles(f, func(*ori.Instr) bool { return true }, 4) },
		"UniformInvariants": func(f *ori.Func) bool { return UniformInvariants(f, 10) },
		"UniformKeeps": func(f *ori.Func) bool {
			return UniformKeeps(f, func(i *ori.Instr) bool { return i.Op != op.STS }, Keep{Words: 2, Room: 2})
		},
		"UniformPairs":  func(f *ori.Func) bool { return UniformPairs(f, func(*ori.Instr) bool { return true }) },
		"UniformTuples": func(f *ori.Func) bool { return UniformTuples(f, 8) },
	})
}
