package sched

import (
	"math"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// slight is a cost that is better than another order: some wait between products.
const slight = 1

// nothing is the bound of a price that only orders without spill code keep: 0
// is none.
const nothing = math.SmallestNonzeroFloat64

// enough is how many warps keep a scheduler and its tensor unit busy about as well as more do.
const enough = 3

// awaits is how long a warp waits for its products, beyond what latencies of
// orders count, and for copies from memory.
func (p *preScheduler) awaits(f *ori.Func) (time float64) {
	for n, weight := range p.weights(f) {
		r := &p.regions[n]
		time += weight * float64(p.graph(r.stretch).Products())
		for _, i := range r.instrs {
			if i.Op == op.DEPBAR {
				time += weight * float64(p.tune.Steps.Copies)
			}
		}
	}
	return time
}

// step is the number of registers that orders of f are made for, if fewer
// blocks fit beyond it: runs of registers may find no place within, though
// the words do. 0 if it does not matter.
func (p *preScheduler) step(f *ori.Func) int {
	if p.budget.Limits != nil || !flow.HasGroups(f) {
		return 0
	}
	made := p.limit[general] + reserve
	if c := p.cliffs.Of(p.peak); c > 0 && p.limit[general] <= p.peak { // all words find room within it
		made = min(made, c)
	}
	blocks, _ := estimate.Blocks(f, made)
	least, _ := estimate.Blocks(f, estimate.Most)
	if blocks == least || int(blocks) > p.tune.Steps.Blocks {
		return 0
	}
	for more, _ := estimate.Blocks(f, made+8); more == blocks; more, _ = estimate.Blocks(f, made+8) {
		made += 8 // what bounds the blocks is something else
	}
	return int(made)
}

// keepStep looks for an order of f that does with so many registers, and costs
// no more than with all of them, unless the one it has does. Where none is found, one of little
// cost is better than a block less, best one that needs no memory; time is about how
// long the code takes with the blocks of the step. Else f keeps its order. So it does if others would
// only be worse: what hides copies behind running products loses more by waits, or by copies
// that come later, than a block more gains where enough warps are left.
func (s *analysis) keepStep(f *ori.Func, registers int, time tuning.Cost, source [][]*ori.Instr, hides bool, judge Judge) {
	if judge.Within(registers); fits(judge) {
		return
	}
	judge.Within(0)
	if hides && s.tune.Steps.Open > 0 && estimate.Warps(f, int32(registers)+8) >= enough {
		return
	}
	free, _ := judge.Price(0)                                           // moves between files, which other orders need as well
	if n, memory := judge.Takes(); !memory && n > 0 && n <= registers { // where nothing bounds it allocation finds other places
		return
	}
	budget := Budget{Most: judge.Within(registers)}
	fewer := time
	fewer.Warps = estimate.Warps(f, int32(registers)+8)
	least := free + s.tune.Affordable(time, fewer.Time()*float64(s.tune.Steps.Gain)/100)
	price := func() float64 {
		if guess, memory := judge.Guess(0); memory != 0 || guess > least {
			return math.Inf(1)
		}
		cost, _ := judge.Price(max(least, nothing))
		return cost
	}
	now := price()
	order, cheap, spilled := f.Order(), [][]*ori.Instr(nil), [][]*ori.Instr(nil)
	// keep reports whether the order is kept: one that needs memory is if no other does.
	keep := func() bool {
		if judge.Keep() {
			return true
		}
		if spilled == nil {
			spilled = f.Order()
		}
		return false
	}
	if now <= min(least, free+slight) && !math.IsInf(now, 1) && keep() {
		return
	}
	tried := [][][]*ori.Instr{order} // in vain
	if now < least {
		tried = nil
	}
	for _, m := range slices.Concat([]strategy{{}}, strategies[:], moreStrategies[:]) {
		if m.far == places.OverFences {
			continue
		}
		f.Reorder(source)
		s.preScheduler(budget, m).arrange(f)
		f.Touch()
		again := f.Order()
		if slices.ContainsFunc(tried, func(x [][]*ori.Instr) bool { return slices.EqualFunc(x, again, slices.Equal) }) {
			continue
		}
		tried = append(tried, again)
		cost := price()
		if cost <= free && !math.IsInf(cost, 1) {
			if keep() {
				return
			}
			continue
		}
		if cost < least {
			least, cheap = cost, again
		}
	}
	if cheap != nil {
		if f.Reorder(cheap); keep() {
			return
		}
	}
	if spilled != nil {
		f.Reorder(spilled)
		return
	}
	f.Reorder(order)
	judge.Within(0)
}

// fits reports whether registers are found without spill code, or waits that
// the order does not need.
func fits(judge Judge) bool {
	if guess, _ := judge.Guess(tuning.Nothing); guess != 0 {
		return false
	}
	cost, _ := judge.Price(nothing)
	return cost == 0
}
