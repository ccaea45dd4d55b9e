package sched

import (
	"math"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/dag"
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
)

// How many registers a kernel should take. More of them let loads and long
// chains overlap, fewer let more warps run that hide the same latencies.
// Nobody knows how large the grid will be, so an order is judged twice: by
// the time it takes with as many warps as its registers allow, and with few.

// plan is an order of a region.
type plan struct {
	order  []int32
	cycles int32 // until its last instruction issues, for a warp alone
	held   bool  // with more registers it could be another
	free   bool  // nothing had to wait for a register of any file
	words  int32 // general words alive at most
}

// arrange orders all regions: within the limit, or within a higher one if
// that promises to be faster; again if so few warps come out that instructions may
// issue earlier. It returns about how long they take.
func (p *preScheduler) arrange(f *ori.Func) tuning.Cost {
	limit := p.limit
	plans, time := p.found(f)
	if p.relax(f, plans) {
		p.limit = limit
		plans, time = p.found(f)
	}
	p.place(f, plans)
	return time
}

// place gives all regions their orders.
func (p *preScheduler) place(f *ori.Func, plans []plan) {
	p.plans, p.taken = plans, make([]int32, f.NumBlocks())
	for n := range p.regions {
		r := &p.regions[n]
		place(r.block, r.instrs, plans[n].order, r.end)
		p.taken[r.block.ID] = max(p.taken[r.block.ID], plans[n].words)
	}
}

// found finds the orders of all regions, and about how long they take.
func (p *preScheduler) found(f *ori.Func) ([]plan, tuning.Cost) {
	weights := p.weights(f)
	plans, now := p.within(f, weights)
	trial := make([]plan, len(plans))
	for tries := 0; tries < p.tune.Raises && p.registers() == 0 && p.raise(); tries++ {
		most := p.worthwhile(f, now, 0)
		if free := p.freely(plans, weights, most); free >= most && free < float64(p.tune.Wide)*p.shortest(plans, weights) {
			break
		}
		done, held := p.replan(trial, plans, weights, most, p.worthwhile(f, now, 1))
		if done {
			if left := p.cost(f, trial, weights, estimate.Tight); p.tune.IsBetter(left, now) {
				now = left
				plans, trial = trial, plans
			}
		}
		if !held {
			break
		}
	}
	return plans, now
}

// weights tells how often regions run.
func (p *preScheduler) weights(f *ori.Func) []float64 {
	loops := flow.LoopsOf(f, flow.DomOf(f))
	list := make([]float64, len(p.regions))
	for n := range list {
		list[n] = 1
		for range min(loops.Depth(p.regions[n].block), estimate.MaxDepth) {
			list[n] *= estimate.Turns
		}
	}
	return list
}

// within orders all regions within the limit.
func (p *preScheduler) within(f *ori.Func, weights []float64) ([]plan, tuning.Cost) {
	plans := make([]plan, len(p.regions))
	for n := range p.regions {
		plans[n] = p.plan(&p.regions[n], math.MaxInt32, math.MaxInt32)
	}
	now := p.cost(f, plans, weights, estimate.Tight)
	room := p.cliffs.Room(p.limit[general])
	if p.budget.Limits != nil || p.tune.Manner != 0 || p.most[general] > room || !slices.ContainsFunc(plans, func(x plan) bool { return x.words > room }) {
		return plans, now
	}
	others := slices.Clone(plans)
	p.strict = true
	for n := range others {
		if others[n].words > room {
			others[n] = p.plan(&p.regions[n], math.MaxInt32, math.MaxInt32)
		}
	}
	p.strict = false
	if left := p.cost(f, others, weights, estimate.Tight); left.Warps > now.Warps && left.Latency*100 <= now.Latency*float64(p.tune.Strict) {
		return others, left
	}
	return plans, now
}

// worthwhile is the latency below which plans are better that hold so many words
// more than the limit.
func (p *preScheduler) worthwhile(f *ori.Func, now tuning.Cost, more int32) float64 {
	return p.tune.Border(now, estimate.Warps(f, (p.limit[general]+more+reserve+7)/8*8))
}

// freely is the latency of plans within all registers there are, or one that is
// not below most: with fewer registers they hardly ever take less.
func (p *preScheduler) freely(plans []plan, weights []float64, most float64) (latency float64) {
	latency = p.shortest(plans, weights)
	for n := range plans {
		if !plans[n].held || latency >= most {
			continue
		}
		r := &p.regions[n]
		latency -= weights[n] * float64(p.graph(r.stretch).Shortest())
		limit := p.limits(r)
		limit[general] = p.budget.in(r.block) - reserve
		x := p.planned(r, r.base, dag.ByPath, false, limit, cyclesLeft(most-latency, weights[n]))
		latency += weights[n] * float64(x.cycles)
	}
	return latency
}

// cyclesLeft is how many cycles a region of some weight may take at most.
func cyclesLeft(latency, weight float64) int32 {
	return int32(max(0, min(math.Ceil(latency/weight), math.MaxInt32)))
}

// shortest is the latency below which plans do not come that registers held back.
func (p *preScheduler) shortest(plans []plan, weights []float64) (latency float64) {
	for n := range plans {
		if plans[n].held {
			latency += weights[n] * float64(p.graph(p.regions[n].stretch).Shortest())
		} else {
			latency += weights[n] * float64(plans[n].cycles)
		}
	}
	return latency
}

// replan makes the plans again that registers held back, within the limit. It
// gives up when they will take so long; those that still want registers come to hold
// more words than the limit, and must be faster. It reports whether it did not
// give up, and whether still more registers could help.
func (p *preScheduler) replan(trial, plans []plan, weights []float64, most, wanting float64) (done, held bool) {
	copy(trial, plans)
	latency := p.shortest(plans, weights)
	if latency >= most {
		return false, false // nor will it with more
	}
	for n := range plans {
		if !plans[n].held {
			continue
		}
		r := &p.regions[n]
		latency -= weights[n] * float64(p.graph(r.stretch).Shortest())
		if trial[n] = p.plan(r, cyclesLeft(most-latency, weights[n]), cyclesLeft(wanting-latency, weights[n])); trial[n].order == nil {
			return false, true
		}
		latency += weights[n] * float64(trial[n].cycles)
		held = held || trial[n].held
	}
	return true, held
}

// raise sets the limit to the next number at which occupancy drops, and
// reports whether there is one within the budget.
func (p *preScheduler) raise() bool {
	for _, c := range p.cliffs {
		if c-reserve > p.limit[general] {
			if c > int32(p.budget.Most) {
				return false
			}
			p.limit[general] = c - reserve
			return true
		}
	}
	return false
}

// cost tells what plans cost, if so many registers are taken beyond what is
// alive.
func (p *preScheduler) cost(f *ori.Func, plans []plan, weights []float64, more int32) (c tuning.Cost) {
	words := p.most[general]
	for n := range plans {
		c.Latency += weights[n] * float64(plans[n].cycles)
		c.Issue += weights[n] * float64(len(plans[n].order))
		words = max(words, plans[n].words)
	}
	c.Warps, c.Block = estimate.Warps(f, (words+more+7)/8*8), estimate.WarpsOfBlock(f)
	return c
}

// isAlone reports whether a block of f has a multiprocessor for itself, with so
// many registers.
func isAlone(f *ori.Func, count int32) bool {
	blocks, _ := estimate.Blocks(f, min(count, estimate.Most))
	return blocks < 2
}
