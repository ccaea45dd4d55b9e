package sched

import (
	"slices"

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
	least, _ := estimate.Blocks(f, cliffs[len(cliffs)-1])
	if blocks == least || blocks > fewBlocks {
		return 0
	}
	return int(made)
}

// made is the number of registers that orders of f are made for, if fewer
// warps run beyond it.
func (p *presser) made(f *ori.Func) int {
	made := cliffOf(p.peak)
	if p.budget.Rooms != nil || flow.HasGroups(f) || made == 0 || made >= int32(p.budget.Most) {
		return 0
	}
	for n := range p.regions {
		if p.regions[n].most[predicates] > predicateRoom+1 { // some are kept in general registers, or made again
			return 0
		}
	}
	if now, _ := estimate.Blocks(f, made); now > 0 {
		if then, _ := estimate.Blocks(f, made+8); then < now {
			return int(made)
		}
	}
	return 0
}

// keepWarps looks for an order of f that does with so many registers, unless
// the one it has does.
func (s *study) keepWarps(f *ori.Func, registers int, source [][]*ori.Instr, judge Judge) {
	s.keepWithin(f, registers, source, judge, []manner{{}, {shy: []int32{4}}}, placed)
}

// placed reports whether everything finds a register.
func placed(judge Judge) bool {
	guess, _ := judge.Guess(0)
	return guess == 0 && judge.Places()
}

// keepStep looks for an order of f that does with so many registers, and costs
// nothing more, unless the one it has does.
func (s *study) keepStep(f *ori.Func, registers int, source [][]*ori.Instr, judge Judge) {
	ways := []manner{{}}
	for _, m := range slices.Concat(manners[:], further[:]) {
		if m.far != overFences {
			ways = append(ways, m)
		}
	}
	s.keepWithin(f, registers, source, judge, ways, fits)
}

// keepWithin tries ways to order f until one is good with so many registers,
// unless the order it has is. Where none is, f keeps that.
func (s *study) keepWithin(f *ori.Func, registers int, source [][]*ori.Instr, judge Judge, ways []manner, good func(Judge) bool) {
	budget := Budget{Most: judge.Within(registers)}
	if good(judge) {
		return
	}
	order := f.Order()
	for _, m := range ways {
		f.Reorder(source)
		s.presser(budget, m).arrange(f)
		f.Touch()
		if good(judge) {
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
