package scoreboard

import (
	"slices"
	"testing"

	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// TestQuick: where loops are closed, the way back waits for a load of the turn
// before, and one walk tells all that is pending at the start of the loop.
func TestQuick(t *testing.T) {
	const text = `  b0: -> b1
    LDG.E r0 = desc[u10], [r2.64+0x0]
  b1: -> b1, b2
    FADD r1 = r1, r0
    LDG.E r0 = desc[u10], [r2.64+0x4]
    ISETP.GE.AND p8 = r3, r4, pt
    @p8 BRA b1
  b2:
    STG.E desc[u10], [r2.64+0x0], r0
    EXIT
`
	for _, closes := range []bool{false, true} {
		f, a := assignedBlocks(t, "sm_90a", text), target.Find("sm_90a")
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

// TestOrder: blocks come before those that they lead to, whatever the layout is,
// but for ways back; those that nothing leads to do not come at all.
func TestOrder(t *testing.T) {
	p := &Program{Entry: []int32{0}, Succs: [][]int32{{3, 1}, {2}, {1, 5}, {2}, {5}, nil}}
	order, rank := p.order()
	if want := []int32{0, 3, 2, 5, 1}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
	for n, b := range order {
		if rank[b] != int32(n) {
			t.Errorf("block %d is at %d, not at %d", b, n, rank[b])
		}
	}
}
