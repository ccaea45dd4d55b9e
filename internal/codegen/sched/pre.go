package sched

import (
	"cmp"
	"math"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/dag"
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/heap"
	"github.com/goptxas/goptxas/internal/codegen/sched/lowering"
	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/codegen/sched/profile"
	"github.com/goptxas/goptxas/internal/codegen/sched/repeat"
	"github.com/goptxas/goptxas/internal/codegen/sched/table"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/engine/pool"
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

// manyTests is the share of tests among the instructions of a region that
// waits for them: it may take the last predicate, which others leave to what
// comes from other blocks.
const manyTests = 8

// crowdedWords is how many words may be alive before computations whose readers
// stand behind a barrier are worth moving there.
const crowdedWords = 80

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

// Pre orders the instructions of every block of f, before registers are
// allocated, for short critical paths. Every region first gets an order
// that needs few registers: that of the source or one found from its end
// upwards. The most words that these orders need anywhere, and the next
// number at which occupancy drops, or the budget, say how many words may be
// alive. Then instructions leave that order to issue early as long as no
// place of it comes to hold more.
//
// Where even these orders need more registers than there are, the judge, if
// there is one, tells what an order costs when its registers are assigned, and
// the cheapest of several is taken.
func Pre(f *ori.Func, a *target.Arch, budget Budget, tune Tuning, judge Judge) {
	if !tune.Quick {
		f.Touched(repeat.Behind(f))
	}
	s := newStudy(f, a, &tune)
	if s == nil || tune.Quick && !s.lacksRoom(budget, how(&tune)) {
		return
	}
	if tune.Quick {
		s.presser(budget, how(&tune)).reaching(f).arrange(f)
		f.Touch()
		return
	}
	p := s.presser(budget, how(&tune))
	moved := f.Touched(localize(f, p))
	var high [][]*ori.Instr // the order before computations moved down
	if p.peak > crowdedWords {
		if high = f.Order(); f.Touched(lowering.Move(f)) {
			moved = true
		} else {
			high = nil
		}
	}
	if moved {
		s = newStudy(f, a, &tune)
		p = s.presser(budget, how(&tune))
	}
	if high != nil && p.short() {
		s, p = s.higher(f, a, p, high)
	}
	if high == nil && p.peak <= crowdedWords {
		s, p = s.lower(f, a, p)
	}
	s, p = s.later(f, a, p)
	s, p = s.testAgain(f, a, p)
	if (flow.HasGroups(f) || s.b.Apart != nil) && tune.Manner == 0 && !p.nearlyFull() {
		// addresses of the next copies need not wait behind the barrier before them, nor
		// one row of exchanges behind that of another
		if q := s.presser(budget, manner{far: places.OverBarriers}); !q.nearlyFull() && (s.b.Apart == nil || q.shortens(f, p)) {
			p = q
		}
	}
	p = p.farther()
	source := f.Order()
	p = p.reaching(f)
	if judge == nil || !p.short() || f.Size() > mostTried || !s.derive(f, a, p, source, judge) {
		s.ampler(f, p, s.list(f, source, p, judge), source, judge)
	}
}

// lacksRoom reports whether some stretch of f needs more registers in the order
// of the source than there are.
func (s *study) lacksRoom(budget Budget, how manner) bool {
	return slices.ContainsFunc(s.view(how.far).stretches, func(x *stretch) bool { return x.most[general] > budget.in(x.block)-reserve })
}

// shortens reports whether the orders of p let more warps run than those of q, or
// as many that take less time.
func (p *presser) shortens(f *ori.Func, q *presser) bool {
	cost := func(x *presser) tuning.Cost {
		limit := x.limit
		_, c := x.plans(f)
		x.limit = limit
		return c
	}
	left, now := cost(p), cost(q)
	return left.Warps > now.Warps || left.Warps == now.Warps && left.Latency < now.Latency
}

// list gives f its order, beginning with that of the source and with orders that
// need few registers, and tells what is known of it.
func (s *study) list(f *ori.Func, source [][]*ori.Instr, p *presser, judge Judge) (found verdict) {
	tune := s.tune
	usual := tune.Slack == Usual().Slack && places.HasProducts(f)
	s.trades = usual && p.budget.Limits != nil
	if usual && !p.nearlyFull() {
		tune.Slack = tune.Slacks.Product
		s.soft = flow.HasGroups(f) && slices.ContainsFunc(p.regions, p.hasExponentials)
	}
	step := p.step(f)
	var time tuning.Cost
	if !p.inTurns(f, source, judge) {
		time = p.arrange(f)
		f.Touch()
		if judge != nil && tune.Manner == 0 && (p.nearlyFull() || p.roomy()) && f.Size() <= mostTried {
			found = try(f, p, source, made{order: f.Order(), how: p.how, time: time}, judge)
		}
	}
	if judge != nil && tune.Manner == 0 && step > 0 && f.Size() <= mostTried {
		s.keepStep(f, step, time, source, judge)
		return verdict{}
	}
	return found
}

// short reports whether the orders with few registers need more than there are.
func (p *presser) short() bool { return p.peak > int32(p.budget.Most)-reserve && p.tune.Manner == 0 }

// reaching returns orders that need the least, over barriers too if there are
// not enough registers without.
func (p *presser) reaching(f *ori.Func) *presser {
	for far := places.OverBarriers; (far == places.OverBarriers || far == places.OverFences && places.Multiplies(f)) && p.short(); far++ {
		if q := p.study.presser(p.budget, manner{far: far}); q.peak < p.peak {
			p = q
		}
	}
	return p
}

// farther returns orders over barriers if they do with the registers of a step
// of occupancy less: sums of products of what was loaded before a barrier need
// not wait behind it.
func (p *presser) farther() *presser {
	if c := estimate.CliffOf(p.peak); p.budget.Limits == nil && p.tune.Manner == 0 && c > estimate.Cliffs[0] && !p.stays(estimate.Below(c), isWhole) {
		if q := p.study.within(p.budget, manner{far: places.OverBarriers}, estimate.Below(c)); q != nil {
			return q
		}
	}
	return p
}

// stays reports whether some region needs more than so many words whichever way
// its order is found, and its block would be no other.
func (p *presser) stays(most int32, same func(*ori.Block) bool) bool {
	if p.how.shy != nil || p.how.far != places.UpToBarriers {
		return false
	}
	for n := range p.regions {
		if r := &p.regions[n]; r.most[general] > most && (r.most.price() <= r.least.price() || len(r.climbs) >= len(ways)) && same(r.block) {
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
func (s *study) higher(f *ori.Func, a *target.Arch, p *presser, order [][]*ori.Instr) (*study, *presser) {
	low, least := f.Order(), p.reaching(f).peak
	f.Reorder(order)
	t := newStudy(f, a, s.tune)
	q := t.presser(p.budget, how(s.tune))
	if q.reaching(f).peak < least {
		return t, q
	}
	f.Reorder(low)
	return s, p
}

// lower moves computations down behind the barriers that their readers stand
// behind, if orders then do with the registers of a step of occupancy less.
func (s *study) lower(f *ori.Func, a *target.Arch, p *presser) (*study, *presser) {
	if p.budget.Limits != nil || estimate.CliffOf(p.peak) == estimate.Cliffs[0] {
		return s, p
	}
	if p.stays(estimate.Below(estimate.CliffOf(p.peak)), lowering.Keeps) {
		return s, p
	}
	high := f.Order()
	if !f.Touched(lowering.Move(f)) {
		return s, p
	}
	t := newStudy(f, a, s.tune)
	if q := t.within(p.budget, how(s.tune), estimate.Below(estimate.CliffOf(p.peak))); q != nil {
		return t, q
	}
	f.Reorder(high)
	return s, p
}

// spacious reports whether so many words in a block leave room for runs of them.
func (p *presser) spacious(b *ori.Block, words int32) bool {
	room := p.budget.in(b)
	return words <= room-max(room/nearlyFull, 2*reserve)
}

// slack is that of a region: where warps trade registers, some may have enough.
func (p *presser) slack(r *region) int {
	if p.trades && p.spacious(r.block, p.byBlock[r.block.ID][general]) {
		return p.tune.Slacks.Product
	}
	return p.tune.Slack
}

// nearlyFull reports whether the orders with few registers leave hardly any.
func (p *presser) nearlyFull() bool {
	return p.peak > int32(p.budget.Most-p.budget.Most/nearlyFull)
}

// roomy reports whether orders may take hardly fewer registers than there are,
// though they need not: runs of registers may find no place among those.
func (p *presser) roomy() bool {
	return p.limit[general] > int32(p.budget.Most-p.budget.Most/nearlyFull)
}

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

// presser orders regions under a limit of registers.
type presser struct {
	*study
	regions []region
	byBlock []counts // words alive in each block, by ID
	budget  Budget
	limit   counts
	most    counts // words alive where nothing changes places
	peak    int32  // general words alive at most, in the orders with few registers
	how     manner
	taken   []int32 // general words alive in each block, by ID, in the orders that were found
	strict  bool    // products hold no matrices for the next beyond the step
}

// presser finds the order with few registers of every region, and the limit.
// Regions go on behind barriers of the block, and fences, only if that is asked for:
// long ones find worse orders, but where registers are short,
// what combines values before such a barrier saves the most.
func (s *study) presser(budget Budget, how manner) *presser {
	return s.within(budget, how, math.MaxInt32)
}

// within finds orders with so many words alive at most, or returns nil.
func (s *study) within(budget Budget, how manner, most int32) *presser {
	v := s.view(how.far)
	if v.most[general] > most || slices.ContainsFunc(v.stretches, func(x *stretch) bool { return x.least[general] > most }) {
		return nil
	}
	p := &presser{study: s, regions: make([]region, len(v.stretches)), byBlock: slices.Clone(v.byBlock), most: v.most, how: how, budget: budget}
	p.budget.Most -= min(int(how.less), budget.Most/4)
	for n := range p.regions {
		x := v.stretches[n]
		p.regions[n] = region{stretch: x, base: x.source, most: x.most}
	}
	if !p.settle(most) {
		return nil
	}
	return p
}

// settle gives the regions that need the most an order from their end
// upwards, as long as that lowers the most, and decides the limit. It gives up
// when more words are alive than may be.
func (p *presser) settle(may int32) bool {
	byNeed := make([]*region, len(p.regions))
	for n := range p.regions {
		byNeed[n] = &p.regions[n]
	}
	slices.SortStableFunc(byNeed, func(a, b *region) int { return cmp.Compare(b.most[general], a.most[general]) })
	most := max(p.most[general], estimate.Cliffs[0]-reserve)
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
	if c := estimate.CliffOf(most); c > 0 && p.budget.Limits == nil && p.how.less >= 0 {
		p.limit[general] = min(budget, max(c, most+reserve))
	}
	if n := int32(p.tune.Registers); n > 0 {
		p.limit[general] = max(min(n, budget), most+reserve)
		p.limit[general] = min(p.limit[general], budget)
	}
	p.limit[general] -= reserve
	return true
}

// way is a way to find an order from the end upwards; see upward.
type way struct {
	whole, deep bool
	first       int8 // so many quarters of the loads, and what they wait for, stand before all else
	shy         int32
}

// ways are tried one after the other until a region needs no more than others.
var ways = [...]way{
	{deep: true}, {deep: true, whole: true}, {deep: true, shy: 4}, {deep: true, whole: true, shy: 4}, {}, {whole: true},
}

// improve takes an order from the end upwards if it needs less. So many general
// words are as good as fewer, and more than most are of no use.
func (p *presser) improve(r *region, enough, most int32) {
	if p.how.shy == nil {
		r.plain = true
		for _, w := range ways {
			if r.most.price() <= r.least.price() {
				break
			}
			r.take(p.climbed(r.stretch, w, bound{r.most.price(), most, math.MaxInt32}))
			if r.most.price() <= enough {
				break
			}
		}
		return
	}
	for n, k := range p.how.shy {
		for _, whole := range [...]bool{false, true} {
			w := way{whole: whole, shy: k}
			if n == 0 && k > 0 && !whole {
				x := p.climbed(r.stretch, w, anyOrder)
				r.base, r.most = x.order, x.most
			} else {
				r.take(p.climbed(r.stretch, w, bound{r.most.price(), most, math.MaxInt32}))
			}
		}
	}
}

// take gives the region another order if that needs less.
func (r *region) take(x *climbed) {
	if x.order != nil && x.most.price() < r.most.price() {
		r.base, r.most = x.order, x.most
	}
}

// price compares orders: a predicate too many costs the instructions that
// save and restore it.
func (c *counts) price() int32 {
	return c[general] + 3*max(0, c[predicates]-predicateRoom-1)
}

// mover lists a region, starting from its order with few registers.
type mover struct {
	*dag.Lister
	r     *region
	v     *values
	pos   []int32 // place of each instruction in the order
	next  int32   // first place of it that was not issued
	done  []bool
	alive *[numCounted]profile.Profile // words alive behind every place
	limit counts
	words int32       // general words alive here
	most  int32       // that may be alive between two places, where the next one ends some
	eager []bool      // loads and what they wait for
	long  int32       // cycles the region takes at least, as far as it is known
	aside heap.Ranked // ready, but without room
	held  bool        // registers kept an instruction from its turn
	kept  bool        // those of any file did
	tune  *Tuning
	slack int
	late  *delayed         // nil: none
	spare int32            // words that loads from memory leave to those with short latencies
	peak  int32            // general words alive at most, so far
	scant [numCounted]bool // files that not all words of the region have room in at once
	tests int32            // predicates alive here
	then  int32            // what issues as soon as it can, whatever else is ready; -1: none
	short bool             // registers are: nothing issues before it that could take them

	crowded bool // products of matrices take most of the time
}

// plan lists one region within the limit. Orders that need the fewest words
// leave the least to choose: others that fit are tried, too. It ends without an
// order when that will take so many cycles, and tries no further ones that will
// take so many where registers did not last.
func (p *presser) plan(r *region, enough, wanting int32) plan {
	limit := p.limits(r)
	best := p.planned(r, r.base, dag.ByPath, limit, enough)
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
		p.climbed(r.stretch, way{}, fit)
		p.climbed(r.stretch, way{whole: true}, fit)
	}
	for _, x := range r.climbs {
		if !x.deep && x.shy == 0 && x.first == 0 && x.order != nil && &x.order[0] != &r.base[0] && fit.holds(&x.most) {
			best.improve(p.planned(r, x.order, dag.ByPath, limit, min(enough, best.cycles)), estimate.RoomOf(limit[general]))
		}
	}
	return p.inTurn(r, limit, best, enough)
}

// limits are how many words may be alive in a region.
func (p *presser) limits(r *region) counts {
	limit := p.limit
	limit[general] = min(limit[general], p.budget.in(r.block)-reserve)
	if r.most[predicates] == predicateRoom && r.tests() >= len(r.instrs)/manyTests { // no test could be made beside another
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
// ends without an order when that will take so many cycles.
func (p *presser) planned(r *region, base []int32, by dag.Ranking, limit counts, enough int32) plan {
	return r.planned(planned{base: &base[0], by: by, limit: limit, slack: p.slack(r), strict: p.strict}, enough, func() plan {
		other := *r
		other.base = base
		return p.move(&other, by, limit, enough)
	})
}

// move lists one region within a limit. It ends without an order when that will
// take so many cycles.
func (p *presser) move(r *region, by dag.Ranking, limit counts, enough int32) plan {
	g := p.graph(r.stretch)
	n := len(g.Instrs)
	order := pool.Room[int32](g.Mem, n)
	mark := g.Mem.Mark()
	pos := table.Inverse(g.Mem, r.base)
	m := &mover{Lister: dag.NewLister(g, p.b.Timing, p.busy, g.Ranks(by, pos)), r: r, v: r.held, pos: pos, done: pool.Make[bool](g.Mem, n), alive: &p.alive, limit: limit, tune: p.tune, slack: p.slack(r), then: -1, short: p.nearlyFull() || p.roomy()}
	m.v.sort(r.base)
	m.v.measure(m.pos, &p.steps)
	before, all := m.v.totals()
	for f := range m.alive {
		if m.scant[f] = f == general || all[f] > limit[f]; m.scant[f] {
			m.alive[f].Reset(n)
			m.alive[f].Fill(p.steps[f])
		}
	}
	m.words, m.peak, m.tests, m.most = before[general], before[general], before[predicates], estimate.RoomOf(limit[general])
	if !p.strict && slices.ContainsFunc(g.Instrs, places.IsProduct) { // what the next of them reads is worth more than warps
		m.most = math.MaxInt32
	}
	m.rush()
	class, _ := g.ScarceOf(p.busy, p.tune)
	m.crowded = class != 0
	if by == dag.ByTurn {
		m.delay()
	}
	least := int32(0) // cycles that the rest takes to issue, counted from the start
	last := dag.Lasting{G: g}
	for len(m.Order) < n {
		if len(m.Order)%dag.PollEvery == 0 {
			g.Instrs[0].Block().Poll()
		}
		k := m.choose()
		m.done[k] = true
		m.take(k)
		m.long = max(m.long, m.Now+m.G.Height[k])
		if enough < math.MaxInt32 {
			if least = max(least, m.Now+g.Rest(k), m.Now+last.Of(m.done), m.Now+int32(n-len(m.Order))); least >= enough {
				g.Mem.Release(mark)
				return plan{cycles: least, held: m.held}
			}
		}
		m.Issue(k)
		m.made(k)
	}
	order = append(order, m.Order...)
	g.Mem.Release(mark)
	return plan{order: order, cycles: m.Now, held: m.held, free: !m.kept, words: m.peak}
}

// rush finds the loads and what they wait for.
func (m *mover) rush() {
	n := len(m.G.Instrs)
	m.eager, m.long = m.G.Leads(), int32(n)
	for k := range n {
		m.long = max(m.long, m.G.Height[k])
		if t := estimate.Typical[m.G.Classes[k]]; t > 0 && !m.eager[k] {
			for _, x := range m.v.writes.Of(int32(k)) {
				if y := &m.v.list[x]; y.file == general {
					m.spare += int32(y.n)
				}
			}
		}
	}
	m.spare = max(0, min(m.spare, int32(m.tune.Spare), (m.limit[general]-m.v.through[general])/4))
}

// choose picks by path length while registers last, and by the order with
// few registers when they do not. The heaps hold instructions already
// issued, too.
func (m *mover) choose() int32 {
	for m.done[m.r.base[m.next]] {
		m.next++
	}
	for {
		if k := m.then; k >= 0 && (m.short || m.At[k] <= m.Now) {
			m.then = -1
			m.Now = max(m.Now, m.At[k], m.Free[m.G.Classes[k]])
			return k
		}
		m.Wake()
		k, soon, any := m.chooseReady()
		if k < 0 && m.then >= 0 {
			m.Now = max(m.Now, m.At[m.then])
			continue
		}
		if k < 0 && any == full {
			// nothing that is due has room: rather than wait, what has
			// room goes ahead of its time
			if next := m.r.base[m.next]; m.At[next] <= m.Now || m.Left[next] > 0 || soon < 0 {
				m.Now = max(m.Now, m.At[next])
				return next
			}
			k = soon
		}
		if k >= 0 {
			m.Now = max(m.Now, m.Free[m.G.Classes[k]])
			return k
		}
		m.wait(any)
	}
}

// wait moves time to when the next instruction is ready, or due.
func (m *mover) wait(any standing) {
	next := int32(math.MaxInt32)
	if len(m.Soon.Nodes) > 0 {
		next = m.Soon.Nodes[0].Key()
	}
	if any == early {
		next = min(next, m.due(m.Ready.Nodes[0].Instr()))
	}
	m.Now = max(m.Now+1, next)
}

// due is the first cycle at which an instruction may issue that makes a
// further word alive.
func (m *mover) due(k int32) int32 { return m.long - m.G.Height[k] - int32(m.slack) }

// standing is why no ready instruction was chosen.
type standing uint8

const (
	none  standing = iota // there is no ready instruction
	early                 // all are too early
	full                  // there are no registers for one that is due
)

// chooseReady returns the best ready instruction for which there are
// registers and whose unit is free, or else the best whose unit is not, or
// -1 and why, and the best that is only too early. Those without room are
// put aside until registers become free.
func (m *mover) chooseReady() (best, soon int32, why standing) {
	var tried [dag.Lookahead]int32
	n, after := 0, int32(-1)
	best, soon = -1, -1
	for n < dag.Lookahead && len(m.Ready.Nodes) > 0 {
		k := m.Ready.Pop()
		if m.done[k] {
			continue
		}
		fit, then := m.fits(k), int32(-1)
		if fit == full {
			wait := int32(0)
			if then, wait = m.follower(k); then >= 0 {
				fit = m.fitBoth(k, then, wait)
			}
		}
		if fit == full {
			m.aside.Push(-m.Rank[k], k)
			continue
		}
		tried[n] = k
		n++
		if then >= 0 && m.then >= 0 { // one pair after the other
			continue
		}
		why = max(why, fit)
		if fit == early && soon < 0 {
			soon = k
		}
		if fit == none && (best < 0 || m.Free[m.G.Classes[k]] <= m.Now) {
			best, after = k, then
			if m.Free[m.G.Classes[k]] <= m.Now {
				break
			}
		}
	}
	if after >= 0 {
		m.then = after
	}
	for _, k := range tried[:n] {
		if k != best {
			m.IsReady(k)
		}
	}
	if len(m.aside.Nodes) > 0 {
		why = full
	}
	return best, soon, why
}

// recall makes some instructions ready again for which there was no room.
func (m *mover) recall() {
	for n := 0; n < recalled && len(m.aside.Nodes) > 0; n++ {
		m.IsReady(m.aside.Pop())
	}
}

// recalled is how many instructions are tried again when registers become
// free.
const recalled = 4

// fits returns none if issuing k now keeps every place within the limit and
// is not too early, or what speaks against it.
func (m *mover) fits(k int32) standing {
	at := m.pos[k]
	var grow counts
	for _, x := range m.v.writes.Of(k) {
		grow[m.v.list[x].file] += int32(m.v.list[x].n)
	}
	for _, x := range m.v.reads.Of(k) {
		if y := &m.v.list[x]; y.left == 1 && !y.out {
			grow[y.file] -= int32(y.n)
		}
	}
	for f, g := range grow {
		if g <= 0 || at == m.next {
			continue
		}
		if m.lacks(f, g, k, at) {
			m.held, m.kept = m.held || f == general, true
			return full
		}
	}
	if !m.eager[k] && grow != (counts{}) && m.due(k) > m.Now {
		for _, g := range grow {
			if g > 0 {
				return early
			}
		}
	}
	return none
}

// take accounts for k being issued now: what it writes is alive from here
// on, what it was the last to read is no longer.
func (m *mover) take(k int32) {
	at, frees, unread := m.pos[k], false, int32(0)
	for _, x := range m.v.writes.Of(k) {
		y := &m.v.list[x]
		if y.left > 0 || y.out {
			m.count(y, 1)
		} else if y.file == general {
			unread += int32(y.n)
		}
		if m.scant[y.file] {
			m.alive[y.file].Add(m.next, at, int32(y.n))
		}
	}
	for _, x := range m.v.reads.Of(k) {
		y := &m.v.list[x]
		if y.left--; y.left == 0 && !y.out {
			m.count(y, -1)
		}
		if y.out || y.last != at {
			continue
		}
		last, list := int32(-1), m.v.readers.Of(x)
		for y.tail > 0 && m.done[list[y.tail-1]] {
			y.tail--
		}
		if y.tail > 0 {
			last = m.pos[list[y.tail-1]]
		}
		if m.scant[y.file] {
			m.alive[y.file].Add(max(m.next, last), at, -int32(y.n))
		}
		y.last = last
		frees = true
	}
	m.peak = max(m.peak, m.words+unread)
	if frees || at == m.next {
		m.recall()
	}
}
