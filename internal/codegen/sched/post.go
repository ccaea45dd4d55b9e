package sched

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/dag"
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/codegen/sched/words"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/target"
)

// Post orders the instructions of every block of f, which has physical
// registers, to hide latencies.
func Post(f *ori.Func, a *target.Arch, tune Tuning) {
	b := dag.NewGrapher(words.Physical(f), a, &tune)
	b.Patient, b.Open, b.Diverged, b.Far = true, dag.NewOpenOrder(b.Names), divergenceOf(f, b.Drains() && flow.HasGroups(f)), places.OverBarriers
	b.Alone, b.Turns = isAlone(f, words.Highest(f)+1), estimate.LeastTurns(f)
	busy := estimate.NewBusyTable(b.Timing)
	b.Busy = busy
	for _, blk := range f.Blocks {
		b.Open.Enter(blk)
		places.Regions(blk, places.OverBarriers, func(instrs []*ori.Instr, end *ori.Instr) {
			g := b.Build(instrs, end)
			if g.Scarce != 0 {
				b.FromEnd(g, busy)
			}
			place(blk, instrs, dag.List(g, b.Timing, busy), end)
		})
	}
	f.Touch()
}

// divergenceOf tells where threads of a warp may be apart, if that says whether they
// may exchange words before a barrier instead of behind it.
func divergenceOf(f *ori.Func, drains bool) *flow.Divergence {
	if !drains && !slices.ContainsFunc(f.Blocks, places.ExchangesBehind) {
		return nil
	}
	return flow.DivergenceOf(f, flow.UniformityOf(f))
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
