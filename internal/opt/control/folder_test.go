package control

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/witness/rewritten"
)

// TestFolders: every phase makes of each file of its folder what stands beside it.
func TestFolders(t *testing.T) {
	rewritten.Check(t, rewritten.Phases{
		"ColdWaits":      ColdWaits,
		"GuardedUpdates": GuardedUpdates,
		"IfConvert":      func(f *ori.Func) bool { return IfConvert(f, ConvertCost{One: 12, Both: 8}) },
		"OneTurn":        OneTurn,
		"Sink":           Sink,
		"Unguard":        Unguard,
	})
}
