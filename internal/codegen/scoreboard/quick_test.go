package scoreboard

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// TestQuick: where loops are closed, the way back waits for a load of the turn
// before, and one walk tells all that is pending at the start of the loop.
func TestQuick(t *testing.T) {
	for _, closes := range []bool{false, true} {
		f, a := assignedBlocks(t, "sm_90a", loopText), target.Find("sm_90a")
		Quick(f, a, Sectors{}, closes)
		if err := Check(f, a); err != nil {
			t.Error(err)
		}
		back := f.Blocks[1].Last()
		if back.Op != op.BRA {
			t.Fatalf("the loop ends with %s", back.Op)
		}
		if waits := back.Sched.Wait != 0; waits != closes {
			t.Errorf("loops closed: %v, the way back waits: %v", closes, waits)
		}
	}
}
