package sched

import (
	"cmp"
	"math"
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"

	"github.com/goptxas/goptxas/internal/codegen/sched/dag"
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
)

// region is a run of instructions with an order that needs few registers.
type region struct {
	*stretch
	base []int32 // the order
	most counts  // words alive in it
}

// tests is how many predicates the region makes.
func (r *region) tests() (n int) {
	for k := range r.held.list {
		if x := &r.held.list[k]; x.file == predicates && x.def >= 0 {
			n++
		}
	}
	return n
}

// preScheduler orders regions under a limit of registers.
type preScheduler struct {
	*analysis
	regions []region
	byBlock []counts // words alive in each block, by ID
	budget  Budget
	limit   counts
	most    counts // words alive where nothing changes places
	peak    int32  // general words alive at most, in the orders with few registers
	how     strategy
	plans   []plan  // that were found
	taken   []int32 // general words alive in each block, by ID, in the orders that were found
	groups  bool    // there are products of warp groups
	strict  bool    // products hold no matrices for the next beyond the step
}

// preScheduler finds the order with few registers of every region, and the limit.
// Regions go on behind barriers of the block, and fences, only if that is asked for:
// long ones find worse orders, but where registers are short,
// what combines values before such a barrier saves the most.
func (s *analysis) preScheduler(budget Budget, how strategy) *preScheduler {
	return s.within(budget, how, math.MaxInt32)
}

// within finds orders with so many words alive at most, or returns nil.
func (s *analysis) within(budget Budget, how strategy, most int32) *preScheduler {
	v := s.view(how.far)
	if v.most[general] > most || slices.ContainsFunc(v.stretches, func(x *stretch) bool { return x.least[general] > most }) {
		return nil
	}
	p := &preScheduler{analysis: s, groups: flow.HasGroups(s.f), regions: make([]region, len(v.stretches)), byBlock: slices.Clone(v.byBlock), most: v.most, how: how, budget: budget}
	p.budget.leave(int(how.less))
	for n := range p.regions {
		x := v.stretches[n]
		p.regions[n] = region{stretch: x, base: x.source, most: x.most}
	}
	if !p.settle(most) {
		return nil
	}
	return p
}

// settle gives the regions that need the most a bottom-up order, as long as that lowers the most, and decides the limit. It gives up
// when more words are alive than may be.
func (p *preScheduler) settle(may int32) bool {
	byNeed := make([]*region, len(p.regions))
	for n := range p.regions {
		byNeed[n] = &p.regions[n]
	}
	slices.SortStableFunc(byNeed, func(a, b *region) int { return cmp.Compare(b.most[general], a.most[general]) })
	most := max(p.most[general], p.cliffs.First()-reserve)
	if p.tune.Quick { // occupancy is no matter
		most = max(most, int32(p.budget.Most)-reserve)
	}
	for _, r := range byNeed {
		if r.most[general] > min(most, p.budget.in(r.block)-reserve) || r.most[predicates] > predicateRoom+1 {
			p.improve(r, min(most, p.budget.in(r.block)-reserve), may)
		}
		if most = max(most, r.most[general]); most > may {
			return false
		}
		p.byBlock[r.block.ID].raise(&r.most)
	}
	p.peak = most
	budget := int32(p.budget.Most)
	if p.budget.Limits != nil { // what counts is where the most are missing
		p.peak = 0
		for _, r := range byNeed {
			p.peak = max(p.peak, budget-p.budget.in(r.block)+p.byBlock[r.block.ID][general])
		}
	}
	p.limit = counts{general: budget, predicates: predicateRoom, uniforms: uniformRoom, uniformPredicates: predicateRoom}
	if c := p.cliffs.Of(most); c > 0 && p.budget.Limits == nil && p.how.less >= 0 {
		p.limit[general] = min(budget, max(c, most+reserve))
	}
	if n := p.registers(); n > 0 {
		p.limit[general] = max(min(n, budget), most+reserve)
		p.limit[general] = min(p.limit[general], budget)
	}
	p.limit[general] -= reserve
	return true
}

// registers is how many orders are made for, or 0.
func (p *preScheduler) registers() int32 { return cmp.Or(p.how.exactly, int32(p.tune.Registers)) }

// way is a way to find an order bottom up; see bottomUp.
type way struct {
	whole, deep bool
	stores      bool // first, upwards: no load can stand before all of them do
	shares      bool // a word counts for its share of one reader: what many read lives long whoever comes first
	first       int8 // so many quarters of the loads, and what they wait for, stand before all else
	penalty     int32
}

// ways are tried one after the other until a region needs no more than others.
var ways = [...]way{
	{deep: true}, {deep: true, whole: true}, {deep: true, penalty: 4}, {deep: true, whole: true, penalty: 4}, {}, {whole: true}, {deep: true, stores: true}, {deep: true, whole: true, shares: true},
}

// improve takes a bottom-up order if it needs less. So many general
// words are as good as fewer, and more than most are of no use.
func (p *preScheduler) improve(r *region, enough, most int32) {
	if p.how.penalty == nil {
		r.plain = true
		for n, w := range ways {
			if p.tune.Quick && n >= p.tune.QuickWays {
				break
			}
			if r.most.price() <= r.least.price() {
				break
			}
			price := r.most.price()
			if w.stores {
				price = p.sparing(r)
			}
			x := r.orderOf(w, nil)
			if price > r.least.price() { // else no order has so few
				x = p.bottomUpWithin(r.stretch, w, bound{price, most, math.MaxInt32})
			}
			if x.most.price() < price {
				r.take(x)
			}
			if r.most.price() <= enough {
				break
			}
		}
		if !p.tune.Quick {
			p.lighten(r)
		}
		return
	}
	for n, k := range p.how.penalty {
		for _, whole := range [...]bool{false, true} {
			w := way{whole: whole, penalty: k}
			if n == 0 && k > 0 && !whole {
				x := p.bottomUpWithin(r.stretch, w, anyOrder)
				r.base, r.most = x.order, x.most
			} else {
				r.take(p.bottomUpWithin(r.stretch, w, bound{r.most.price(), most, math.MaxInt32}))
			}
		}
	}
}

// sparing is the price below which another order of r leaves room for more warps, or its own has none:
// one that follows stores up loads row after row, which hides less than loads in flight together.
func (p *preScheduler) sparing(r *region) int32 {
	now := r.most.price()
	if now > p.budget.in(r.block)-reserve {
		return now
	}
	if p.cliffs.Of(now) == 0 {
		return 0
	}
	return p.cliffs.StepBelow(now) - estimate.Tight + 1
}

// lighten takes an order that needs no more words if there are more than find room
// for less of the time: rows that one instruction after the other goes
// over are stored and loaded each time.
func (p *preScheduler) lighten(r *region) {
	enough, price := p.budget.in(r.block)-reserve, r.most.price()
	if r.most[general] <= enough || p.f.Size() <= p.tune.Tried { // the allocator is asked about orders of those
		return
	}
	within := bound{price + 1, math.MaxInt32, math.MaxInt32}
	p.bottomUpWithin(r.stretch, ways[0], within)
	p.bottomUpWithin(r.stretch, way{}, within)
	best := r.held.excess(r.base, enough)
	for n := range r.bottomUps {
		x := &r.bottomUps[n]
		if x.order == nil || x.first != 0 || &x.order[0] == &r.base[0] || !within.holds(&x.most) {
			continue
		}
		if e := r.held.excess(x.order, enough); e < best-best/int64(p.tune.Lighter) {
			best, r.base, r.most = e, x.order, x.most
		}
	}
}

// lighter reports whether the orders of p have words too many for less of the time
// than those of q: one in Lighter of them, summed up over time, is spared at least.
func (p *preScheduler) lighter(f *ori.Func, q *preScheduler) bool {
	excess := func(p *preScheduler) (sum float64) {
		weights := p.weights(f)
		for n := range p.regions {
			r := &p.regions[n]
			if enough := p.budget.in(r.block) - reserve; r.most[general] > enough {
				sum += weights[n] * float64(r.held.excess(r.base, enough))
			}
		}
		return sum
	}
	return excess(p) < excess(q)*(1-1/float64(p.tune.Lighter))
}

// take gives the region another order if that needs less.
func (r *region) take(x *bottomUpOrder) {
	if x.order != nil && x.most.price() < r.most.price() {
		r.base, r.most = x.order, x.most
	}
}

// price compares orders: a predicate too many costs the instructions that
// save and restore it.
func (c *counts) price() int32 {
	return c[general] + 3*max(0, c[predicates]-predicateRoom-1)
}

// plan lists one region within the limit. Orders that need the fewest words
// leave the least to choose: others that fit are tried, too. It ends without an
// order when that will take so many cycles, and tries no further ones that will
// take so many where registers did not last.
func (p *preScheduler) plan(r *region, enough, wanting int32) plan {
	limit := p.limits(r)
	best := p.planned(r, r.base, dag.ByPath, false, limit, enough)
	if best.held {
		enough = min(enough, wanting)
	}
	if best.order == nil {
		best.cycles = enough
	}
	if shortest := p.graph(r.stretch).Shortest(); best.free || best.cycles <= shortest || enough <= shortest { // others would be no better
		return best
	}
	fit := bound{math.MaxInt32, limit[general], max(predicateRoom+1, r.most[predicates])}
	if r.plain {
		p.bottomUpWithin(r.stretch, way{}, fit)
		p.bottomUpWithin(r.stretch, way{whole: true}, fit)
	}
	for _, x := range r.bottomUps {
		if !x.deep && x.penalty == 0 && x.first == 0 && x.order != nil && &x.order[0] != &r.base[0] && fit.holds(&x.most) {
			best.improve(p.planned(r, x.order, dag.ByPath, false, limit, min(enough, best.cycles)), p.cliffs.Room(limit[general]))
		}
	}
	if p.groups && &r.base[0] != &r.source[0] && fit.holds(&r.stretch.most) { // products in the order that somebody chose
		best.improve(p.planned(r, r.source, dag.ByPath, false, limit, min(enough, best.cycles)), p.cliffs.Room(limit[general]))
	}
	return p.groupLoads(r, limit, best, enough)
}

// limits are how many words may be alive in a region.
func (p *preScheduler) limits(r *region) counts {
	limit := p.limit
	limit[general] = min(limit[general], p.budget.in(r.block)-reserve)
	if r.most[predicates] == predicateRoom && r.tests() >= len(r.instrs)/p.tune.Tests { // no test could be made beside another
		limit[predicates]++
	}
	return limit
}

// improve takes another plan if it is quicker and needs no more words than there is room for.
func (x *plan) improve(y plan, room int32) {
	if y.order != nil && y.cycles < x.cycles && y.words <= max(x.words, room) {
		*x = y
	}
}

// planned lists one region, beginning with an order, unless that is known. It
// ends without an order when that will take so many cycles. Greedy loads from memory
// leave no words to results of shorter latency.
func (p *preScheduler) planned(r *region, base []int32, by dag.Ranking, greedy bool, limit counts, enough int32) plan {
	return r.planned(planned{base: &base[0], by: by, limit: limit, slack: p.slack(r), strict: p.strict, greedy: greedy}, enough, func() plan {
		other := *r
		other.base = base
		return p.move(&other, by, greedy, limit, enough)
	})
}
