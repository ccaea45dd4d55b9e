package dag

import (
	"slices"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/codegen/sched/words"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// TestList: what waits for a load stands behind it, what a later write
// overwrites is read before, and what waits for nothing fills the time.
func TestList(t *testing.T) {
	m, err := ori.Parse("func f kernel {\nreg r0 1/1 phys=0\nreg r1 1/1 phys=1\nreg r2 1/1 phys=2\nb0:\n" +
		"IADD3 r1 = r0, 0x1, rz\nLDS r2 = [0x0]\nIADD3 r2 = r2, r1, rz\nIADD3 r0 = r0, 0x1, rz\nEXIT\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	f, tune := m.Funcs[0], tuning.Usual()
	b := NewGrapher(words.Physical(f), target.Find("sm_90a"), &tune)
	b.Patient, b.Open = true, NewOpenOrder(b.Names)
	var run []*ori.Instr
	for i := range f.Blocks[0].Instrs {
		run = append(run, i)
	}
	end := run[len(run)-1]
	g := b.Build(run[:len(run)-1], end)
	if got, want := List(g, b.Timing, estimate.NewBusyTable(b.Timing)), []int32{1, 0, 3, 2}; !slices.Equal(got, want) {
		t.Errorf("order %v instead of %v", got, want)
	}
	if g.Height[1] <= g.Height[0] || g.Preds[2] != 3 || g.Preds[3] != 1 {
		t.Errorf("heights %v, edges into each %v", g.Height, g.Preds)
	}
}
