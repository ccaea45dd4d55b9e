package sched

import (
	"math"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/ori"
)

// keepWarps looks for registers within the step of occupancy that the order of f was made for, or one of
// those above, where the registers that it takes leave fewer blocks: all words find room there, but runs
// of them need more. Orders that leave ever more room to runs are tried too, if they take no longer,
// with the blocks that they keep, or little. Else f keeps its order.
func (p *preScheduler) keepWarps(f *ori.Func, time tuning.Cost, judge Judge) {
	step := p.made()
	if step == 0 || estimate.Guessed(f) { // blocks that may be of another size are worth no squeeze
		return
	}
	registers, memory := judge.Takes()
	taken := int32(registers)
	if memory || taken <= step {
		return
	}
	least, _ := estimate.Blocks(f, taken)
	time.Warps = estimate.Warps(f, taken)
	plans, words := p.plans, slices.Max(p.taken)
	for _, c := range p.cliffs {
		if blocks, _ := estimate.Blocks(f, c); c < step || c >= taken || blocks <= least {
			continue
		}
		judge.Within(int(c))
		if judge.Places() {
			return
		}
		most := p.tune.Longest(time, estimate.Warps(f, c))
		for n := range p.tune.Roomier {
			if !p.squeeze(f, plans, words-int32(n+1)*reserve, most) {
				break
			}
			if judge.Places() {
				return
			}
		}
		p.place(f, plans)
		f.Touch()
	}
	judge.Within(0)
}

// made is the step of occupancy whose registers all words of the orders that were found last for, 0 if
// there is none.
func (p *preScheduler) made() int32 {
	if p.budget.Limits != nil || p.tune.Manner != 0 || p.tune.Registers != 0 || len(p.plans) == 0 {
		return 0
	}
	if step := p.cliffs.Of(max(p.most[general], slices.Max(p.taken))); step < estimate.Most {
		return step
	}
	return 0
}

// squeeze gives f orders with so many words alive at most, as plans are where they have no more, and
// reports whether there are some that take no longer than is said.
func (p *preScheduler) squeeze(f *ori.Func, plans []plan, words int32, most float64) bool {
	if p.most[general] > words || slices.ContainsFunc(p.regions, func(r region) bool { return r.most[general] > words }) {
		return false
	}
	limit, latency, weights := p.limit, 0.0, p.weights(f)
	defer func() { p.limit = limit }()
	p.limit[general] = words
	for n := range plans {
		latency += weights[n] * float64(plans[n].cycles)
	}
	trial := slices.Clone(plans)
	for n := range plans {
		if plans[n].words <= words {
			continue
		}
		latency -= weights[n] * float64(plans[n].cycles)
		left := cyclesLeft(most-latency, weights[n])
		if trial[n] = p.plan(&p.regions[n], left, left); trial[n].order == nil {
			return false
		}
		latency += weights[n] * float64(trial[n].cycles)
	}
	p.place(f, trial)
	f.Touch()
	return latency <= math.Ceil(most)
}
