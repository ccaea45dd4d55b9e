package dag

import (
	"slices"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/codegen/sched/words"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// TestSectors: narrow stores to one sector follow each other, also where the first could
// go long before; those to several sectors, and what is computed from memory behind the
// first, do not wait.
func TestSectors(t *testing.T) {
	const head = "func f kernel {\nreg r0 2/2 phys=0\nreg r1 1/1 phys=2\nreg r2 1/1 phys=3\nreg r3 1/1 phys=4\nreg u4 2/2 phys=4\nb0:\n"
	for _, c := range []struct {
		name, in string
		together bool
	}{
		{"one sector", "MUFU.EX2 r2 = r2\nMUFU.EX2 r3 = r3\nMUFU.RCP r3 = r3\nSTG.E.U16 desc[u4], [r0.64+0x0], r1\nSTG.E.U16 desc[u4], [r0.64+0x2], r2\nSTG.E.U16 desc[u4], [r0.64+0x4], r3\n", true},
		{"several", "MUFU.EX2 r2 = r2\nMUFU.EX2 r3 = r3\nMUFU.RCP r3 = r3\nSTG.E.U16 desc[u4], [r0.64+0x0], r1\nSTG.E.U16 desc[u4], [r0.64+0x20], r2\nSTG.E.U16 desc[u4], [r0.64+0x40], r3\n", false},
		{"computed behind it", "STG.E.U16 desc[u4], [r0.64+0x0], r1\nMUFU.EX2 r2 = r2\nMUFU.EX2 r3 = r3\nMUFU.RCP r3 = r3\nSTG.E.U16 desc[u4], [r0.64+0x2], r2\nSTG.E.U16 desc[u4], [r0.64+0x4], r3\n", false},
	} {
		m, err := ori.Parse(head + c.in + "EXIT\n}\n")
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
		n := len(run) - 1
		order := List(b.Build(run[:n], run[n]), b.Timing, estimate.NewBusyTable(b.Timing))
		var stores []int
		for at, k := range order {
			if run[k].Op == op.STG {
				stores = append(stores, at)
			}
		}
		if got := slices.Max(stores)-slices.Min(stores) == len(stores)-1; got != c.together {
			t.Errorf("%s: stores at %v", c.name, stores)
		}
	}
}
