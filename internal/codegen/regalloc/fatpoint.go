package regalloc

import (
	"math"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/waits"
	"github.com/goptxas/goptxas/internal/engine/bits"
)

// order is the sequence in which groups are given registers.
type order uint8

const (
	byStart order = iota // as execution meets them
	byWidth              // wide ones first, then by start
	byDepth              // costly ones first, then by start
	bySize               // those that live long first
)

// trial is one walk over one file.
type trial struct {
	p      *Problem
	g      *groups
	class  uint8
	budget int
	taken  []bits.Set // for each register, the points where it is in use
	who    [][]int32  // for each register, the groups that have it; known where they may be evicted
	phys   []int16    // first register of each root, -1 = none yet
	used   int
	most   int          // what uses more registers than this is no use
	evict  bool         // take slots from cheaper groups
	spill  []int32      // roots that found no place
	waits  *waits.Waits // what overwriting registers soon costs; nil = no matter

	m *Scratch
}

// Scratch is the memory that one trial after the other uses, and one
// allocation after the other if the caller keeps it: only the registers a trial
// gave to groups outlive it.
type Scratch struct {
	flow  flowRoom
	taken bits.Set
	rows  []bits.Set // of each register, its part of taken
	width int        // words of each
	who   [][]int32
	way   []int32  // groups in the way of another
	list  []int32  // groups in the order of the walk
	keys  []uint64 // by which they are sorted
	met   []int32  // of each group, the number of the last look that met it
	looks int32

	wished []int16 // see wish
	crowd  []int
	poll   func() // may be nil
}

// pollEvery is after how many groups a walk asks whether to go on.
const pollEvery = 256

// newTrial prepares a walk: fixed registers, clobbers and taken ones are
// marked first, since nothing can move them.
func newTrial(p *Problem, g *groups, class uint8, m *Scratch) *trial {
	f := &p.Files[class]
	t := &trial{p: p, g: g, class: class, budget: f.Budget, most: math.MaxInt, m: m}
	if len(m.met) < len(p.VRegs) {
		m.met = append(m.met, make([]int32, len(p.VRegs)-len(m.met))...)
	}
	w := (perInst*len(p.Insts) + 63) / 64
	m.clear(f.Size, w)
	t.taken = m.rows
	for n := range p.Insts {
		for _, c := range p.Insts[n].Clobbers {
			if c.Class == class {
				for r := c.Lo; r < c.Hi; r++ {
					t.taken[r].Add(perInst*n + atClobber)
				}
			}
		}
	}
	t.phys = make([]int16, len(p.VRegs))
	for v := range t.phys {
		t.phys[v] = -1
	}
	if g.nearOf != class+1 {
		g.near(p, class)
	}
	return t
}

// clear makes the points of so many registers free, w words of them each.
func (m *Scratch) clear(registers, w int) {
	if m.width == w && len(m.rows) >= registers {
		clear(m.taken[:registers*w])
		return
	}
	m.width = w
	m.taken = slices.Grow(m.taken[:0], registers*w)[:registers*w]
	clear(m.taken)
	m.rows = slices.Grow(m.rows[:0], registers)[:registers]
	for r := range m.rows {
		m.rows[r] = m.taken[r*w : (r+1)*w]
	}
}

// evicting lets groups take registers from cheaper ones.
func (t *trial) evicting() {
	t.evict = true
	t.m.who = emptied(t.m.who, len(t.taken))
	t.who = t.m.who
}

// copyOf says that a copy would vanish if the root's first register stood
// off registers above that of the other root.
type copyOf struct {
	other int32
	off   int16
}

// near collects what the walks over one file look at: where groups start,
// copies that remain, and groups that the same instructions read.
func (g *groups) near(p *Problem, class uint8) {
	g.nearOf = class + 1
	g.vectors, g.late = false, nil
	for v := range p.VRegs {
		if x := &g.info[v]; p.VRegs[v].Class == class && g.parent[v] == int32(v) {
			x.start()
			g.vectors = g.vectors || x.align >= 4
		}
	}
	g.copies = emptied(g.copies, len(p.VRegs))
	banks := p.Files[class].Banks > 1
	if banks {
		g.peers = emptied(g.peers, len(p.VRegs))
	}
	var roots, room []int32
	for n := range p.Insts {
		ops := p.Operands(n)
		if p.Insts[n].Kind == Move && p.VRegs[ops[0].V].Class == class && p.VRegs[ops[1].V].Class == class {
			a, ao := g.find(ops[0].V)
			b, bo := g.find(ops[1].V)
			if a != b {
				d := bo + int16(ops[1].Sub) - ao - int16(ops[0].Sub)
				g.copies[a] = append(g.copies[a], copyOf{b, d})
				g.copies[b] = append(g.copies[b], copyOf{a, -d})
			}
		}
		if !banks {
			continue
		}
		roots = roots[:0]
		for _, o := range ops {
			if o.Role == Use && p.VRegs[o.V].Class == class {
				v, _ := g.find(o.V)
				roots = append(roots, v)
			}
		}
		for _, a := range roots {
			for _, b := range roots {
				if a != b && len(g.peers[a]) < 16 {
					if cap(g.peers[a]) == 0 {
						if len(room) < fewPeers {
							room = make([]int32, 32*fewPeers)
						}
						g.peers[a], room = room[:0:fewPeers], room[fewPeers:]
					}
					g.peers[a] = append(g.peers[a], b)
				}
			}
		}
	}
}

// fewPeers is how many peers most groups have at most.
const fewPeers = 4

// emptied returns n empty lists, in the memory of former ones.
func emptied[T any](lists [][]T, n int) [][]T {
	lists = slices.Grow(lists[:0], n)[:n]
	for k := range lists {
		lists[k] = lists[k][:0]
	}
	return lists
}

// roots returns the groups of the file that are live somewhere, in order.
func (t *trial) roots(o order) []int32 {
	list := t.m.list[:0]
	for v := range t.p.VRegs {
		if t.p.VRegs[v].Class == t.class && t.g.parent[v] == int32(v) && t.g.info[v].from >= 0 {
			list = append(list, int32(v))
		}
	}
	t.m.list = list
	limited := t.p.Files[t.class].Limits != nil
	if (o == byStart || o == byWidth) && !limited {
		t.sortByStart(list, o == byWidth)
		return list
	}
	slices.SortFunc(list, func(a, b int32) int {
		x, y := &t.g.info[a], &t.g.info[b]
		if (x.fixed >= 0) != (y.fixed >= 0) {
			return first(x.fixed >= 0)
		}
		if limited { // what has less choice has the first
			if m, n := t.limit(x), t.limit(y); m != n {
				return m - n
			}
		}
		switch o {
		case bySize:
			if x.size != y.size {
				return int(y.size) - int(x.size)
			}
		case byWidth:
			if x.width != y.width {
				return int(y.width) - int(x.width)
			}
		case byDepth:
			if x.keep != y.keep {
				return first(x.keep)
			}
			if x.cost != y.cost {
				return first(x.cost > y.cost)
			}
		}
		if x.from != y.from {
			return int(x.from) - int(y.from)
		}
		return int(a) - int(b)
	})
	return list
}

// sortByStart puts fixed groups first, then wide ones, if that matters, then
// those that begin first: numbers are sorted sooner than groups.
func (t *trial) sortByStart(list []int32, width bool) {
	keys := slices.Grow(t.m.keys[:0], len(list))
	for _, v := range list {
		x := &t.g.info[v]
		key := uint64(uint32(x.from))<<groupBits | uint64(uint32(v))
		if x.fixed < 0 {
			key |= 1 << 63
		}
		if width {
			key |= uint64(math.MaxUint8-min(x.width, math.MaxUint8)) << (63 - 8)
		}
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for n, key := range keys {
		list[n] = int32(key & (1<<groupBits - 1))
	}
	t.m.keys = keys
}

// groupBits are those of a key that are the number of a group. Its first point has
// 29.
const groupBits = 26

func first(x bool) int {
	if x {
		return -1
	}
	return 1
}

// start finds the first point at which a group is live, -1 if it never is.
func (x *group) start() {
	x.from, x.size = -1, 0
	for _, s := range x.spans {
		for _, q := range s {
			x.size += q.to - q.from
		}
		if len(s) > 0 && (x.from < 0 || s[0].from < x.from) {
			x.from = s[0].from
		}
	}
}

// run gives every group a register and reports whether all found one, and no
// more were used than are of use.
func (t *trial) run(o order) bool {
	for n, v := range t.roots(o) {
		if n%pollEvery == 0 && t.m.poll != nil {
			t.m.poll()
		}
		if !t.place(v) {
			if !t.evict {
				return false
			}
			t.spill = append(t.spill, v)
		}
		if t.used > t.most {
			return false
		}
	}
	for n := 0; n < secondChances && len(t.spill) > 0 && t.secondChance(); n++ {
	}
	return len(t.spill) == 0
}

// place finds the slot for one group.
func (t *trial) place(v int32) bool {
	x := &t.g.info[v]
	if x.fixed >= 0 {
		if !t.free(x, x.fixed) && !t.contest(v, x.fixed, true) {
			return false
		}
		t.assign(v, x.fixed)
		return true
	}
	best, bestCost := int16(-1), math.MaxInt
	limit := t.limit(x)
	t.wish(v)
	at, mask := x.sieve()
	points, step := t.m.taken, int(x.align)*t.m.width
	at += int(t.lowest(x)) * t.m.width
	least, last := t.least()
	align, end := x.align, int16(limit)-x.width
	for r := t.lowest(x); r <= end; r += align {
		used := points[at]
		if at += step; used&mask != 0 {
			continue
		}
		want := t.wanted(r)
		if int(r+x.width) <= t.used && want >= bestCost || !t.free(x, r) || !t.allowed(v, r) {
			continue
		}
		cost := t.secondary(v, r, want, bestCost)
		if cost < bestCost {
			best, bestCost = r, cost
		}
		if cost == 0 || bestCost <= freshCost && int(r+x.width) > t.used || bestCost <= least && r >= last {
			break // higher registers only cost more
		}
	}
	if best < 0 && t.evict {
		best = t.cheapest(v)
	}
	if best < 0 {
		return false
	}
	t.assign(v, best)
	return true
}

// wish notes what secondary asks of every slot for a group: where copies of it
// would vanish, and how many of the groups that instructions read with it are in
// each bank.
func (t *trial) wish(v int32) {
	m, banks := t.m, t.p.Files[t.class].Banks
	m.wished, m.crowd = m.wished[:0], m.crowd[:0]
	for _, c := range t.g.copies[v] {
		if at := t.phys[c.other]; at >= 0 {
			m.wished = append(m.wished, at+c.off)
		}
	}
	if banks <= 1 {
		return
	}
	m.crowd = slices.Grow(m.crowd[:0], banks)[:banks]
	clear(m.crowd)
	for _, q := range t.g.peers[v] {
		if at := t.phys[q]; at >= 0 {
			m.crowd[uint16(at)%uint16(banks)]++
		}
	}
}

// least is what a slot costs at least where no copy vanishes, and the last at
// which one does.
func (t *trial) least() (cost int, last int16) {
	for _, at := range t.m.wished {
		last = max(last, at)
	}
	if len(t.m.crowd) > 1 {
		cost = slices.Min(t.m.crowd)
	}
	return cost + kept*len(t.m.wished), last
}

// kept is what a copy costs that would remain.
const kept = 8

// wanted is what copies that would remain and operands in one bank cost at a
// slot: that is known sooner than whether it is free.
func (t *trial) wanted(r int16) (cost int) {
	for _, at := range t.m.wished {
		if at != r {
			cost += kept
		}
	}
	switch banks := uint16(len(t.m.crowd)); { // a division takes as long as all the rest
	case banks <= 1:
	case banks&(banks-1) == 0:
		cost += t.m.crowd[uint16(r)&(banks-1)]
	default:
		cost += t.m.crowd[uint16(r)%banks]
	}
	return cost
}

// sieve returns a word of the points of a register, and which of them the
// group needs: most registers are taken at one of those.
func (x *group) sieve() (at int, mask uint64) {
	if len(x.spans) == 0 || len(x.spans[0]) == 0 {
		return 0, 0
	}
	lo, hi, first, last := bits.Ends(x.spans[0][0].from, x.spans[0][0].to)
	if lo == hi {
		first &= last
	}
	return int(lo), first
}

func (t *trial) lowest(x *group) int16 {
	lo := max(x.lo, 0)
	return lo + mod(x.phase-lo, x.align)
}

func (t *trial) limit(x *group) int {
	if x.hi > 0 {
		return min(t.budget, int(x.hi))
	}
	return t.budget
}

// allowed checks the file's taken registers and the excluded ones.
func (t *trial) allowed(v int32, r int16) bool {
	x := &t.g.info[v]
	for _, k := range t.p.Files[t.class].Taken {
		if int(r) <= k && k < int(r+x.width) {
			return false
		}
	}
	for _, e := range t.p.Excludes {
		if e.V == v && e.Lo < r+x.width && r < e.Hi {
			return false
		}
	}
	return true
}

// free reports whether the group's words find their registers unused: the
// primary cost of the slot is zero.
func (t *trial) free(x *group, r int16) bool {
	for w, spans := range x.spans {
		taken := t.taken[int(r)+w]
		for k := range spans {
			from, to := spans[k].from, spans[k].to
			if lo := from >> 6; lo == (to-1)>>6 { // most
				if taken[lo]>>(uint(from)&63)<<(uint(from-to)&63) != 0 {
					return false
				}
			} else if taken.AnyIn(from, to) {
				return false
			}
		}
	}
	return true
}

// freshCost is what it costs to use a register above all used so far.
const freshCost = 64

// secondary is the cost that chooses among free slots: a copy that would
// remain, operands of one instruction in one bank, and waits for late
// readers. Low numbers win ties because slots are tried upwards, and a
// register above those already in use costs more than either, unless it is
// below the step at which registers begin to cost. What costs bound or more
// is not chosen, however much more; wanted is known.
func (t *trial) secondary(v int32, r int16, wanted, bound int) int {
	x, f := &t.g.info[v], &t.p.Files[t.class]
	cost, fresh := 0, int(r+x.width) > t.used
	switch {
	case f.Rotate:
		cost += t.recent(x, r)
	case fresh && t.waits != nil && int(r+x.width) <= t.waits.Step:
		cost += t.waits.Fresh
	case fresh:
		cost += freshCost
	}
	if cost += wanted; cost >= bound {
		return cost
	}
	if !f.Rotate && !fresh {
		cost += t.breaks(v, r)
	}
	if t.waits != nil && cost < bound {
		cost += t.waits.Cost(v, r)
	}
	return cost
}

// rotateRange is how many instructions behind its last use a register still
// costs something where registers are given out in turn: the scheduler moves
// chains of a few instructions, each with a predicate, between each other
// only if they share none.
const rotateRange = 32

// recent prices a register by how short before the group's start it was in
// use.
func (t *trial) recent(x *group, r int16) int {
	last := t.taken[r].LastIn(x.from-perInst*rotateRange, x.from)
	if last < 0 {
		return 0
	}
	return int(last-x.from)/perInst + rotateRange + 1
}

// breaks is the cost of taking a part of a run that a vector could have:
// one for each register of the aligned four around r that is free where v
// starts and stays free of v.
func (t *trial) breaks(v int32, r int16) int {
	x := &t.g.info[v]
	if !t.g.vectors || x.width > 2 {
		return 0
	}
	four, n := int(r&^3), 0
	at, bit := four*t.m.width+int(x.from>>6), uint(x.from)&63
	for q := four; q < min(four+4, t.budget); q++ {
		if q < int(r) || q >= int(r+x.width) {
			n += int(^t.m.taken[at] >> bit & 1)
		}
		at += t.m.width
	}
	return n
}

// assign takes the slot.
func (t *trial) assign(v int32, r int16) {
	x := &t.g.info[v]
	for w, spans := range x.spans {
		taken := t.taken[int(r)+w]
		for _, s := range spans {
			taken.AddRange(s.from, s.to)
		}
		if t.evict {
			t.who[int(r)+w] = append(t.who[int(r)+w], v)
		}
	}
	if t.waits != nil {
		t.waits.Take(v, r)
	}
	t.phys[v] = r
	t.used = max(t.used, int(r+x.width))
}

// discardConflicts is how many groups may stand in the way at a slot that is
// looked at, unless all have more and the group cannot be spilled.
const discardConflicts = 50

// cheapest returns the slot whose holders cost less to spill than v, and
// throws them out; -1 when v itself is the cheapest.
func (t *trial) cheapest(v int32) int16 {
	x := &t.g.info[v]
	best := int16(-1)
	for _, most := range [...]int{discardConflicts, math.MaxInt} {
		bestCost := x.cost
		if x.keep {
			bestCost = -1
		}
		for r := t.lowest(x); int(r+x.width) <= t.limit(x); r += x.align {
			if !t.allowed(v, r) {
				continue
			}
			bound := bestCost
			if bound < 0 {
				bound = math.Inf(1)
			}
			if cost, ok := t.holders(v, r, most, bound); ok {
				best, bestCost = r, cost
			}
		}
		if best >= 0 || !x.keep {
			break
		}
	}
	if best >= 0 && !t.contest(v, best, false) { // an instruction in between destroys it
		return -1
	}
	return best
}

// holders sums the cost of the groups that stand in the way of v at r, of
// which there may be so many at most, and which must cost less than a bound.
func (t *trial) holders(v int32, r int16, most int, bound float64) (cost float64, ok bool) {
	t.m.looks++
	n := 0
	for w, spans := range t.g.info[v].spans {
		for _, q := range t.who[int(r)+w] {
			if !t.stands(q, int(r)+w, spans) {
				continue
			}
			y := &t.g.info[q]
			if y.keep || y.fixed >= 0 {
				return 0, false
			}
			if t.m.met[q] == t.m.looks {
				continue
			}
			t.m.met[q] = t.m.looks
			cost += y.cost
			if n++; n > most || cost >= bound {
				return 0, false
			}
		}
	}
	return cost, n > 0
}

// stands reports whether group q holds register r at some point of spans.
func (t *trial) stands(q int32, r int, spans []span) bool {
	at := t.phys[q]
	if at < 0 {
		return false
	}
	x := t.g.info[q].spans[r-int(at)]
	if len(x) == 1 && len(spans) == 1 { // most
		return x[0].from < spans[0].to && spans[0].from < x[0].to
	}
	return overlap(spans, x)
}

// contest throws out the groups in the way of v at r, if that frees it.
func (t *trial) contest(v int32, r int16, must bool) bool {
	if must && !t.evict {
		return false
	}
	if _, ok := t.holders(v, r, math.MaxInt, math.Inf(1)); !ok {
		return false
	}
	for _, q := range t.inTheWay(v, r) {
		if t.phys[q] >= 0 {
			t.release(q)
			t.spill = append(t.spill, q)
		}
	}
	return t.free(&t.g.info[v], r)
}

// inTheWay lists the groups that hold registers v would need at r.
func (t *trial) inTheWay(v int32, r int16) []int32 {
	list := t.m.way[:0]
	for w, spans := range t.g.info[v].spans {
		for _, q := range t.who[int(r)+w] {
			if t.stands(q, int(r)+w, spans) {
				list = append(list, q)
			}
		}
	}
	t.m.way = list
	return list
}

// release gives a group's registers back.
func (t *trial) release(v int32) {
	r := t.phys[v]
	for w, spans := range t.g.info[v].spans {
		taken := t.taken[int(r)+w]
		for _, s := range spans {
			taken.DelRange(s.from, s.to)
		}
		list := t.who[int(r)+w]
		for k, q := range list {
			if q == v {
				list[k] = list[len(list)-1]
				t.who[int(r)+w] = list[:len(list)-1]
				break
			}
		}
	}
	t.phys[v] = -1
}
