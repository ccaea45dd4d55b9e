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

// fewerBlocks returns orders for the registers of a block less whose copies pass the products that
// the source leaves running, if enough warps are left and that takes hardly more time: what the
// copies and the products read is in nobody's way then, so less is waited for than orders tell.
func (p *preScheduler) fewerBlocks(f *ori.Func) *preScheduler {
	most := p.tune.Steps.Open
	if most <= 0 || p.budget.Limits != nil || p.registers() > 0 {
		return p
	}
	now := p.costs(f)
	if now.Warps <= enough {
		return p
	}
	if p.how.far == places.UpToBarriers {
		now.Latency += p.copying(f)
	}
	for _, c := range p.cliffs {
		if c > int32(p.budget.Most) {
			break
		}
		if c-reserve <= p.limit[general] {
			continue
		}
		q := p.analysis.preScheduler(p.budget, strategy{far: places.OverBarriers, exactly: c})
		if left := q.costs(f); left.Warps < now.Warps {
			if left.Warps >= enough && left.Time()*100 < now.Time()*float64(most) {
				return q
			}
			break
		}
	}
	return p
}
