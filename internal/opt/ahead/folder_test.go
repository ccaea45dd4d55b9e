package ahead

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/witness/rewritten"
)

// TestFolders: the phase makes of each file of its folder what stands beside it.
func TestFolders(t *testing.T) {
	rewritten.Check(t, rewritten.Phases{
		"PipelineLoops": func(f *ori.Func) bool {
			return PipelineLoops(f, Bounds{Body: 2000, Words: 32, Latency: 300, Share: 90, Few: 1, Most: 255, Warps: func(int) float64 { return 8 }})
		},
		"ReusedLoads": func(f *ori.Func) bool { return ReusedLoads(f, 2000, 8) },
	})
}
