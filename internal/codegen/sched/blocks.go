package sched

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/places"

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
)

// fewBlocks is how many blocks on a multiprocessor are few enough to look
// further for an order that one more depends on.
const fewBlocks = 3

// step is the number of registers that orders of f are made for, if fewer
// blocks fit beyond it: runs of registers may find no place within, though
// the words do. 0 if it does not matter.
func (p *presser) step(f *ori.Func) int {
	if p.budget.Rooms != nil || !flow.HasGroups(f) {
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

// keepStep looks for an order of f that does with so many registers, and costs
// nothing more, unless the one it has does. Where none is found, f keeps that.
func (s *study) keepStep(f *ori.Func, registers int, source [][]*ori.Instr, judge Judge) {
	budget := Budget{Most: judge.Within(registers)}
	if fits(judge) {
		return
	}
	order := f.Order()
	for _, m := range slices.Concat([]manner{{}}, manners[:], further[:]) {
		if m.far == places.OverFences {
			continue
		}
		f.Reorder(source)
		s.presser(budget, m).arrange(f)
		f.Touch()
		if fits(judge) {
			return
		}
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
