package address

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/witness/rewritten"
)

// TestFolders: every phase makes of each file of its folder what stands beside it.
func TestFolders(t *testing.T) {
	rewritten.Check(t, rewritten.Phases{
		"AddressFold":    AddressFold,
		"LocalWords":     func(f *ori.Func) bool { return LocalWords(f, Locals{Most: 32}) },
		"NarrowLoads":    NarrowLoads,
		"Reassociate":    Reassociate,
		"ScaledProducts": ScaledProducts,
		"VectorStores":   func(f *ori.Func) bool { return VectorStores(f, 48) },
	})
}
