package sched

import (
	"cmp"
	"math"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/ori"
)

// strategy is a way to look for orders.
type strategy struct {
	far     places.Reach // of regions
	penalty []int32      // see bottomUp; the first order is taken, and others if they need less
	less    int32        // so many registers are left to runs that find no place
	exactly int32        // registers that orders are made for; 0: as occupancy makes worthwhile
}

// strategies are tried where registers run out, those over fences only with
// products of matrices. Of those that seem equal the first are judged.
var strategies = [...]strategy{
	{far: places.OverBarriers, penalty: []int32{4}}, {far: places.OverFences, penalty: []int32{4}}, {far: places.OverFences, less: 12}, {penalty: []int32{4}, less: 12}, {penalty: []int32{4}}, {penalty: []int32{0, 1, 4}}, {far: places.OverBarriers, less: 12},
}

// further strategies are tried, and the source's order, where luck may still spare
// memory.
var moreStrategies = [...]strategy{{penalty: []int32{4}, less: 32}, {far: places.OverFences, less: 32}, {far: places.OverBarriers, less: 32}}

// made is an order, the way it was found, and about how long it takes without
// spill code; nothing of that is known of the source's.
type made struct {
	order [][]*ori.Instr
	how   strategy
	time  tuning.Cost
	guess float64 // what its spill code costs
}

// candidate is an order with what it is guessed to cost.
type candidate struct {
	made
	memory float64 // part of the guess
}

// judgeStrategies takes the cheapest of several orders, unless that which f has costs
// next to nothing, and tells what it costs. The analysis is of the source's order.
func judgeStrategies(f *ori.Func, p *preScheduler, source [][]*ori.Instr, now made, judge Judge) verdict {
	first := candidate{made: now}
	first.guess, first.memory = judge.Guess(math.Inf(1))
	if f.Size() > p.tune.Large && first.memory > float64(p.tune.Surely) {
		return verdict{}
	}
	list, least := []candidate{first}, first.memory
	best := verdict{first.made, math.Inf(1), true}
	few := float64(f.Size() / p.tune.Trifle)
	if places.HasProducts(f) { // their loops feel it
		few = 0
	}
	known := first.memory == 0 && first.guess <= few // what it costs
	if known {
		least = math.Inf(1)
		if best.cost, best.memory = judge.Price(0); best.cost == 0 || !best.memory && best.cost <= few {
			return best
		}
	}
	add := func(how strategy, time tuning.Cost) {
		x := candidate{made: made{order: f.Order(), how: how, time: time}}
		p.keepSpacious(f, x.order, first.order)
		if slices.ContainsFunc(list, func(y candidate) bool { return slices.EqualFunc(x.order, y.order, slices.Equal) }) {
			return
		}
		if x.guess, x.memory = judge.Guess(tuning.Likely(least)); !math.IsInf(x.guess, 1) { // else it would not be judged
			list, least = append(list, x), min(least, x.memory)
		}
	}
	passes := places.PassesFences(f)
	arrange := func(all []strategy) {
		for _, m := range all {
			if m.far == places.OverFences && !passes {
				continue
			}
			f.Reorder(source)
			add(m, p.analysis.preScheduler(p.budget, m).arrange(f))
		}
	}
	arrange(strategies[:])
	n := 0
	if known {
		n = 1
	}
	if best = choose(f, slices.Clone(list[n:]), best, judge, p.tune); best.memory && (known || least <= float64(p.tune.Surely)) {
		n = len(list)
		arrange(moreStrategies[:])
		f.Reorder(source)
		add(strategy{}, tuning.Cost{})
		best = choose(f, list[n:], best, judge, p.tune)
	}
	if kept, done := p.restore(f, best, first.order, judge); done {
		best = kept
	} else if p.budget.Limits != nil {
		f.Reorder(source)
		p.analysis.preScheduler(p.budget, strategy{less: int32(p.tune.Leaner)}).arrange(f)
		best, _ = p.restore(f, best, f.Order(), judge)
	}
	f.Reorder(best.order)
	return best
}

// restore gives blocks that have registers enough another order, if
// that costs no more than the best: what another block lacks is no reason to give up theirs.
func (p *preScheduler) restore(f *ori.Func, best verdict, first [][]*ori.Instr, judge Judge) (kept verdict, done bool) {
	mixed, some := slices.Clone(best.order), false
	for n, b := range f.Blocks {
		if !slices.Equal(mixed[n], first[n]) && p.spacious(b, p.byBlock[b.ID][general]) {
			mixed[n], some = first[n], true
		}
	}
	if !some {
		return best, true
	}
	if slices.EqualFunc(mixed, first, slices.Equal) { // it was judged
		return best, false
	}
	f.Reorder(mixed)
	f.Touch()
	bound := best.cost
	if math.IsInf(bound, 1) {
		bound = 0
	}
	c, memory := 0.0, false
	if best.memory {
		c, memory = judge.Price(bound)
	} else {
		c = judge.Dry(bound)
	}
	if c <= best.cost {
		best.order, best.cost, best.memory = mixed, c, memory
		return best, true
	}
	return best, false
}

// keepSpacious gives blocks of warps that have registers enough the order that was found first.
func (p *preScheduler) keepSpacious(f *ori.Func, order, first [][]*ori.Instr) {
	for n, b := range f.Blocks {
		if p.budget.Limits != nil && p.spacious(b, p.taken[b.ID]) {
			order[n] = first[n]
		}
	}
	f.Reorder(order)
	f.Touch()
}

// verdict is the best order so far.
type verdict struct {
	made
	cost   float64
	memory bool
}

// better reports whether a price is better: what needs no memory is.
func (v *verdict) better(cost float64, memory bool) bool {
	return !memory && v.memory || memory == v.memory && cost < v.cost
}

// distinct leaves out what would spill about as much as another that stands
// before it: of such orders the first is as good as any.
func distinct(list []candidate, surely float64) []candidate {
	kept := list[:0]
	for _, x := range list {
		same := func(y candidate) bool { return tuning.Alike(x.guess, y.guess) && tuning.Alike(x.memory, y.memory) }
		if x.memory <= surely || !slices.ContainsFunc(kept, same) {
			kept = append(kept, x)
		}
	}
	return kept
}

// choose judges the candidates of which the guess is good, and returns the
// cheapest. Where luck may spare memory, all are judged until one needs none.
func choose(f *ori.Func, list []candidate, best verdict, judge Judge, tune *Tuning) verdict {
	surely := float64(tune.Surely)
	slices.SortStableFunc(list, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(x.memory, y.memory), cmp.Compare(x.guess, y.guess))
	})
	list = distinct(list, surely)
	if len(list) == 0 {
		return best
	}
	least := list[0]
	list = slices.DeleteFunc(list, func(x candidate) bool {
		return x.memory > tuning.Likely(least.memory) || x.guess > tuning.Likely(least.guess)
	})
	if len(list) == 1 && math.IsInf(best.cost, 1) && least.memory > surely {
		return verdict{least.made, least.guess, true}
	}
	if best = chooseDry(f, list, best, judge, tune); !best.memory {
		return best
	}
	for k, x := range list {
		if k >= tune.Judged && x.memory > surely {
			break
		}
		f.Reorder(x.order)
		bound := best.cost
		if math.IsInf(bound, 1) || x.memory <= surely { // what needs no memory may cost more
			bound = 0
		}
		if c, memory := judge.Price(bound); best.better(c, memory) {
			best = verdict{x.made, c, memory}
		}
		if !best.memory {
			break
		}
	}
	return best
}

// slightly is what spill code may cost in a function of so many instructions for one
// that costs less not to be worth an allocation: less than a move between files in a
// loop, and next to nothing beside all the rest.
func slightly(size int) float64 { return float64(min(4, size/2000)) }

// chooseDry is choose among the orders that luck may spare memory, as long as they
// need none: then no other is of use. A single one is not asked twice, and one that
// is guessed to be no better not for slightly less of a large function.
func chooseDry(f *ori.Func, list []candidate, best verdict, judge Judge, tune *Tuning) verdict {
	if best.memory && len(list) == 1 {
		return best
	}
	surely, slight := float64(tune.Surely), slightly(f.Size())
	for k, x := range list {
		if x.memory > surely || k >= tune.Judged && !best.memory {
			break
		}
		if !best.memory && x.guess >= best.guess && best.cost-x.guess < slight {
			continue
		}
		bound := 0.0
		if !best.memory { // what costs as much is no better
			bound = math.Nextafter(best.cost, 0)
		}
		f.Reorder(x.order)
		if c := judge.Dry(bound); !math.IsInf(c, 1) && best.better(c, false) {
			best = verdict{x.made, c, false}
		}
		if !best.memory && (best.cost == 0 || x.guess > surely) { // predicates are short whatever the order
			break
		}
	}
	return best
}
