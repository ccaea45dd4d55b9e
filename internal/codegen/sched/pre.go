package sched

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/codegen/sched/remat"
	"github.com/goptxas/goptxas/internal/codegen/sched/sinking"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/target"
)

// reserve is how many registers beyond what is alive at once allocation
// takes: alignment of pairs, the stack pointer and those the machine keeps.
const reserve = 6

// Words of the smaller files that may be alive before an instruction that
// needs another one is no longer issued early.
const (
	predicateRoom = 6
	uniformRoom   = 48
)

// Budget is how many registers there are.
type Budget struct {
	Most int
	// Limits tells how many there are in a block, where warps trade them; nil:
	// as many as everywhere. Those a warp has are of no use to others then.
	Limits func(*ori.Block) int
}

// in is how many there are in a block.
func (b *Budget) in(at *ori.Block) int32 {
	if b.Limits == nil {
		return int32(b.Most)
	}
	return int32(min(b.Most, b.Limits(at)))
}

// leave makes it so many fewer, a quarter at most; a negative number makes it more.
func (b *Budget) leave(less int) {
	b.Most -= min(less, b.Most/4)
	if all := b.Limits; all != nil && less > 0 {
		b.Limits = func(at *ori.Block) int {
			n := all(at)
			return n - min(less, n/4)
		}
	}
}

// Pre orders the instructions of every block of f, before registers are
// allocated, for short critical paths. Every region first gets an order
// that needs few registers: that of the source or one found bottom up, from
// its end to its start. The most words that these orders need anywhere, and the next
// number at which occupancy drops, or the budget, say how many words may be
// alive. Then instructions leave that order to issue early as long as no
// place of it comes to hold more.
//
// Where even these orders need more registers than there are, the judge, if
// there is one, tells what an order costs when its registers are assigned, and
// the cheapest of several is taken.
func Pre(f *ori.Func, a *target.Arch, budget Budget, tune Tuning, judge Judge) {
	if tune.Quick {
		quick(f, a, budget, &tune)
		return
	}
	f.Touched(remat.Behind(f))
	if places.Meets(f) && !places.HasProducts(f) {
		tune.Fewer = tune.Meeting
	}
	s := analyse(f, a, &tune)
	if s == nil {
		return
	}
	p := s.preScheduler(budget, how(&tune))
	moved := f.Touched(rematConstants(f, p))
	var high [][]*ori.Instr // the order before computations moved down
	if p.peak > int32(tune.Crowded) {
		if high = f.Order(); f.Moves(sinking.Move) {
			moved = true
		} else {
			high = nil
		}
	}
	if moved {
		s = analyse(f, a, &tune)
		p = s.preScheduler(budget, how(&tune))
	}
	if high != nil && p.short() {
		s, p = s.higher(f, a, p, high)
	}
	if high == nil && p.peak <= int32(tune.Crowded) {
		s, p = s.lower(f, a, p)
	}
	s, p = s.rematLater(f, a, p)
	s, p = s.rematTests(f, a, p)
	s, p = s.rematStep(f, a, p)
	if (flow.HasGroups(f) || s.b.Diverged != nil) && tune.Manner == 0 && !p.nearlyFull() {
		// addresses of the next copies need not wait behind the barrier before them, nor
		// one row of exchanges behind that of another
		if q := s.preScheduler(budget, strategy{far: places.OverBarriers}); !q.nearlyFull() && (s.b.Diverged == nil || q.shortens(f, p, 100)) {
			p = q
		}
		if flow.HasGroups(f) && tune.Fences > 0 {
			if q := s.preScheduler(budget, strategy{far: places.OverFences}); !q.nearlyFull() && q.shortens(f, p, tune.Fences) {
				p = q
			}
		}
	}
	if p.groups && s.b.Drains() && p.how.far == places.UpToBarriers && tune.Manner == 0 { // the next copies pass products
		if q := s.preScheduler(budget, strategy{far: places.OverBarriers}); !q.short() && q.hidesCopies(f, p) {
			p = q
		}
	}
	if q := p.farther(); q != p {
		p = q
	} else if p.groups && s.b.DrainsOpen(f) && tune.Manner == 0 {
		p = p.fewerBlocks(f)
	}
	source := f.Order()
	p = p.reaching(f)
	if judge == nil || !p.short() || f.Size() > tune.Tried || !s.rematDerived(f, a, p, source, judge) {
		s.oversubscribe(f, a, p, s.list(f, source, p, judge), source, judge)
	}
}

// hidden is what of the time of another order one that hides copies may take: estimates
// of orders over barriers are no better than that.
const hidden = 0.93

// hidesCopies reports whether the orders of p, which have copies on their way before products, keep the warps
// of those of q and take less than these with the copies that they wait for.
func (p *preScheduler) hidesCopies(f *ori.Func, q *preScheduler) bool {
	left, now := p.costs(f), q.costs(f)
	return left.Warps >= now.Warps && left.Latency < (now.Latency+q.copying(f))*hidden
}

// shortens reports whether the orders of p let more warps run than those of q, or
// as many that take less than so many percent of the time.
func (p *preScheduler) shortens(f *ori.Func, q *preScheduler, most int) bool {
	left, now := p.costs(f), q.costs(f)
	return left.Warps > now.Warps || left.Warps == now.Warps && left.Latency*100 < now.Latency*float64(most)
}

// list gives f its order, beginning with that of the source and with orders that
// need few registers, and tells what is known of it.
func (s *analysis) list(f *ori.Func, source [][]*ori.Instr, p *preScheduler, judge Judge) (found verdict) {
	tune := s.tune
	usual := tune.Slack == Usual().Slack && places.HasProducts(f)
	s.trades = usual && p.budget.Limits != nil
	if usual && !p.nearlyFull() {
		tune.Slack = tune.Slacks.Product
		s.soft = flow.HasGroups(f) && slices.ContainsFunc(p.regions, p.hasExponentials)
	}
	if p.drain(f, source, judge) {
		return verdict{}
	}
	step := p.step(f)
	time, done := p.staggerRows(f, source, judge)
	if !done {
		time = p.arrange(f)
		f.Touch()
		if judge != nil && tune.Manner == 0 && (p.nearlyFull() || p.roomy()) && f.Size() <= tune.Tried {
			found = judgeStrategies(f, p, source, made{order: f.Order(), how: p.how, time: time}, judge)
		}
	}
	if judge != nil && tune.Manner == 0 && step > 0 && f.Size() <= tune.Tried {
		time.Latency += p.awaits(f)
		s.keepStep(f, step, time, source, p.groups && p.how.far == places.OverBarriers && s.b.Drains(), judge)
		return verdict{}
	}
	if judge != nil && !done && found.order == nil {
		p.keepWarps(f, time, judge)
	}
	return found
}

// short reports whether the orders with few registers need more than there are.
func (p *preScheduler) short() bool {
	return p.peak > int32(p.budget.Most)-reserve && p.tune.Manner == 0
}

// reaching returns orders that need the least, over barriers too if there are
// not enough registers without: fewer words, or as many that are too many for less of
// the time.
func (p *preScheduler) reaching(f *ori.Func) *preScheduler {
	for far := places.OverBarriers; (far == places.OverBarriers || far == places.OverFences && places.PassesFences(f)) && p.short(); far++ {
		if q := p.analysis.preScheduler(p.budget, strategy{far: far}); q.peak < p.peak || q.peak == p.peak && q.lighter(f, p) {
			p = q
		}
	}
	return p
}

// farther returns orders over barriers if they do with the registers of a step
// of occupancy less: sums of products of what was loaded before a barrier need
// not wait behind it.
func (p *preScheduler) farther() *preScheduler {
	if c := p.cliffs.Of(p.peak); p.budget.Limits == nil && p.tune.Manner == 0 && c > p.cliffs.First() && !p.stays(p.cliffs.Below(c), isWhole) {
		if q := p.analysis.within(p.budget, strategy{far: places.OverBarriers}, p.cliffs.Below(c)); q != nil {
			return q
		}
	}
	return p
}

// stays reports whether some region needs more than so many words whichever way
// its order is found, and its block would be no other.
func (p *preScheduler) stays(most int32, same func(*ori.Block) bool) bool {
	if p.how.penalty != nil || p.how.far != places.UpToBarriers {
		return false
	}
	for n := range p.regions {
		if r := &p.regions[n]; r.most[general] > most && (r.most.price() <= r.least.price() || len(r.bottomUps) >= len(ways)) && same(r.block) {
			return true
		}
	}
	return false
}

// isWhole reports whether no barrier divides a block.
func isWhole(b *ori.Block) bool {
	for i := range b.Instrs {
		if places.IsBarrier(i) || places.OfGroups(i) {
			return false
		}
	}
	return true
}

// higher goes back to the order before computations moved down behind
// barriers, if that needs less: their sources may live on for them alone, where
// they could as well go up.
func (s *analysis) higher(f *ori.Func, a *target.Arch, p *preScheduler, order [][]*ori.Instr) (*analysis, *preScheduler) {
	low, least := f.Order(), p.reaching(f).peak
	f.Reorder(order)
	t := analyse(f, a, s.tune)
	q := t.preScheduler(p.budget, how(s.tune))
	if q.reaching(f).peak < least {
		return t, q
	}
	f.Reorder(low)
	return s, p
}

// lower moves computations down behind the barriers that their readers stand
// behind, if orders then do with the registers of a step of occupancy less.
func (s *analysis) lower(f *ori.Func, a *target.Arch, p *preScheduler) (*analysis, *preScheduler) {
	if p.budget.Limits != nil || p.cliffs.Of(p.peak) == p.cliffs.First() {
		return s, p
	}
	if p.stays(p.cliffs.Below(p.cliffs.Of(p.peak)), sinking.Keeps) {
		return s, p
	}
	high := f.Order()
	if !f.Moves(sinking.Move) {
		return s, p
	}
	t := analyse(f, a, s.tune)
	if q := t.within(p.budget, how(s.tune), p.cliffs.Below(p.cliffs.Of(p.peak))); q != nil {
		return t, q
	}
	f.Reorder(high)
	return s, p
}

// spacious reports whether so many words in a block leave room for runs of them.
func (p *preScheduler) spacious(b *ori.Block, words int32) bool {
	room := p.budget.in(b)
	return words <= room-max(room/int32(p.tune.Full), 2*reserve)
}

// slack is that of a region: where warps trade registers, some may have enough.
func (p *preScheduler) slack(r *region) int {
	if p.trades && p.spacious(r.block, p.byBlock[r.block.ID][general]) {
		return p.tune.Slacks.Product
	}
	return p.tune.Slack
}

// nearlyFull reports whether the orders with few registers leave hardly any.
func (p *preScheduler) nearlyFull() bool {
	return p.peak > int32(p.budget.Most-p.budget.Most/p.tune.Full)
}

// roomy reports whether orders may take hardly fewer registers than there are,
// though they need not: runs of registers may find no place among those.
func (p *preScheduler) roomy() bool {
	return p.limit[general] > int32(p.budget.Most-p.budget.Most/p.tune.Full)
}
