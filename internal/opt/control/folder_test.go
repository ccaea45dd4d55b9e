package control

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/witness/rewritten"
)

// TestFolders: every phase makes of each file of its folder what stands beside it.
func TestFolders(t *testing.T) {
	rewritten.Check(t, rewritten.Phases{
		"ColdWaits":      ColdWaits,
		"Elected":        electedByAll,
		"GuardedLoads":   GuardedLoads,
		"GuardedUpdates": func(f *ori.Func) bool { return GuardedUpdates(f, 256) },
		"IfConvert":      func(f *ori.Func) bool { return IfConvert(f, ConvertCost{One: 12, Both: 8, Products: 12}) },
		"OneTurn":        OneTurn,
		"SharedMasks":    SharedMasks,
		"Selects":        func(f *ori.Func) bool { return Selects(f, 3) },
		"Sink":           func(f *ori.Func) bool { return Sink(f, 6) },
		"Unguard":        Unguard,
	})
}

// electedByAll runs Elected where all threads of a warp are named by elections:
// texts of functions do not tell.
func electedByAll(f *ori.Func) bool {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.ELECT {
				f.Syncs = append(f.Syncs, ori.Sync{Pos: i.Line, Full: true})
			}
		}
	}
	return Elected(f)
}
