package sched

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
)

// fewBlocks is how many blocks on a multiprocessor are few enough to look
// further for an order that one more depends on.
const fewBlocks = 3

// step is the number of registers that orders of f are made for, if fewer
// blocks fit beyond it: runs of registers may find no place within, though
// the words do. 0 if it does not matter.
func (p *preScheduler) step(f *ori.Func) int {
	if p.budget.Limits != nil || !flow.HasGroups(f) {
		return 0
	}
	made := p.limit[general] + reserve
	blocks, _ := estimate.Blocks(f, made)
	least, _ := estimate.Blocks(f, estimate.Cliffs[len(estimate.Cliffs)-1])
	if blocks == least || blocks > fewBlocks {
		return 0
	}
	return int(made)
}

// stepGain is the part of the time with fewer blocks that an order with one
// block more may take, its spill code included.
const stepGain = 0.9

// keepStep looks for an order of f that does with so many registers, and costs
// nothing more, unless the one it has does. Where none is found, one of little
// cost is better than a block less; time is about how long the code takes with
// the blocks of the step. Else f keeps its order.
func (s *analysis) keepStep(f *ori.Func, registers int, time tuning.Cost, source [][]*ori.Instr, judge Judge) {
	budget := Budget{Most: judge.Within(registers)}
	if fits(judge) {
		return
	}
	order := f.Order()
	fewer := time
	fewer.Warps = estimate.Warps(f, int32(registers)+8)
	least, cheap := tuning.Affordable(time, fewer.Time()*stepGain), [][]*ori.Instr(nil)
	for _, m := range slices.Concat([]strategy{{}}, strategies[:], moreStrategies[:]) {
		if m.far == places.OverFences {
			continue
		}
		f.Reorder(source)
		s.preScheduler(budget, m).arrange(f)
		f.Touch()
		guess, memory := judge.Guess(0)
		if memory != 0 || guess != 0 && least == 0 {
			continue
		}
		cost, _ := judge.Price(least)
		if guess == 0 && cost == 0 {
			return
		}
		if cost < least {
			least, cheap = cost, f.Order()
		}
	}
	if cheap != nil {
		f.Reorder(cheap)
		judge.Keep()
		return
	}
	f.Reorder(order)
	judge.Within(0)
}

// fits reports whether registers are found without spill code, or waits that
// the order does not need.
func fits(judge Judge) bool {
	if guess, _ := judge.Guess(0); guess != 0 {
		return false
	}
	cost, _ := judge.Price(0)
	return cost == 0
}
