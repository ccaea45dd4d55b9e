package sched

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Loops that wait in every turn for all that they copied want the next copies on
// their way before the products (see package dag). Before allocation that asks for
// regions over the barriers, and for registers: all that is multiplied is
// loaded first. Warps hide the copies as well, so no step of occupancy is given
// for them.

// drain gives f an order over barriers if it takes less time with the copies that loops
// wait for, its spill code counted in, and its registers are found within the step of occupancy
// that p has.
func (p *preScheduler) drain(f *ori.Func, source [][]*ori.Instr, judge Judge) bool {
	if !p.b.Drains() || p.groups || judge == nil || p.tune.Manner != 0 || p.how.far != places.UpToBarriers || p.budget.Limits != nil || p.short() || f.Size() > p.tune.Tried {
		return false
	}
	limit := p.limit
	now := p.arrange(f)
	f.Touch()
	p.limit = limit
	now.Latency += p.copying(f)
	count, memory := judge.Takes()
	cost, _ := judge.Price(0)
	step := p.cliffs.Of(int32(count) - estimate.Tight)
	for most := step; !memory && most > step-2*reserve && most > p.cliffs.First(); most -= reserve {
		f.Reorder(source)
		q := p.analysis.preScheduler(p.budget, strategy{far: places.OverBarriers, exactly: most})
		left := q.arrange(f)
		f.Touch()
		if left.Latency >= now.Latency {
			break
		}
		if n, memory := judge.Takes(); !memory && int32(n) <= step {
			left.Warps = now.Warps
			if c, _ := judge.Price(0); p.tune.Spilled(left, c) < p.tune.Spilled(now, cost) {
				return true
			}
		}
	}
	f.Reorder(source)
	f.Touch()
	return false
}

// copying is how long loops of f wait for copies that are made at the end of a turn.
func (p *preScheduler) copying(f *ori.Func) (time float64) {
	copied := float64(p.b.DrainTime())
	for n, weight := range p.weights(f) {
		r := &p.regions[n]
		if !p.b.DrainsIn(r.block) {
			continue
		}
		for _, i := range r.instrs {
			if i.Op == op.LDGDEPBAR {
				time += weight * copied
				break
			}
		}
	}
	return time
}
