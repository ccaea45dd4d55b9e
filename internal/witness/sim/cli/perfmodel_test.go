package cli

import (
	"testing"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/sim/perfmodel"
)

// TestFill: a block that waits most of the time takes less of a multiprocessor that it shares
// with others like it, and one that keeps a unit busy does not.
func TestFill(t *testing.T) {
	for _, c := range []struct {
		mnemonic string
		stall    uint8
		shares   bool
	}{{"FFMA", 15, true}, {"MUFU.EX2", 8, false}} {
		r := &recorder{warps: 4, sm: []int{0}, list: []perfmodel.Block{{Warps: make([][]uint32, 4)}}}
		r.code = []perfmodel.Inst{{Mnemonic: c.mnemonic, Ctrl: sass.Ctrl{Stall: c.stall, WrBar: -1, RdBar: -1}}}
		for w := range r.list[0].Warps {
			r.list[0].Warps[w] = make([]uint32, 1000)
		}
		alone, filled := r.cycles(64, 0, false), r.cycles(64, 0, true)
		if shares := filled < alone/4; shares != c.shares {
			t.Errorf("%s takes %d cycles alone and %d with others", c.mnemonic, alone, filled)
		}
	}
}
