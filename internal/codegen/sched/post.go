package sched

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/codegen/sched/words"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// Post orders the instructions of every block of f, which has physical
// registers, to hide latencies.
func Post(f *ori.Func, a *target.Arch, tune Tuning) {
	b := newGrapher(words.Physical(f), a, &tune)
	b.patient, b.open = true, newOpenOrder(b.names)
	b.alone, b.turns = isAlone(f, words.Highest(f)+1), estimate.LeastTurns(f)
	busy := estimate.NewBusyTable(b.timing)
	b.busy = busy
	for _, blk := range f.Blocks {
		b.open.enter(blk)
		places.Regions(blk, places.OverBarriers, func(instrs []*ori.Instr, end *ori.Instr) {
			g := b.build(instrs, end)
			if g.scarce != 0 {
				b.fromEnd(g, busy)
			}
			place(blk, instrs, list(g, b.timing, busy), end)
		})
	}
	f.Touch()
}

// place puts instructions in a new order before end, or at the end of b.
func place(b *ori.Block, instrs []*ori.Instr, order []int32, end *ori.Instr) {
	moved := false
	for n, k := range order {
		moved = moved || n != int(k)
	}
	if !moved {
		return
	}
	for _, i := range instrs {
		i.Remove()
	}
	for _, k := range order {
		if end != nil {
			b.InsertBefore(instrs[k], end)
		} else {
			b.Append(instrs[k])
		}
	}
}
