package machine

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/witness/rewritten"
)

// TestFolders: every phase makes of each file of its folder what stands beside it.
func TestFolders(t *testing.T) {
	rewritten.Check(t, rewritten.Phases{
		"Aggregate": func(f *ori.Func) bool {
			return Aggregate(f, func(*ori.Instr) bool { return true }, Reducers{Sum: op.REDUX, Least: op.REDUX})
		},
		"Extremes":      func(f *ori.Func) bool { return Extremes(f, func(*ori.Instr) bool { return true }) },
		"DisjointSums":  DisjointSums,
		"IgnoredBits":   IgnoredBits,
		"LateStores":    LateStores,
		"TensorRuns":    func(f *ori.Func) bool { return TensorRuns(f, 32) },
		"ViewFences":    ViewFences,
		"WholeProducts": WholeProducts,
	})
}
