package sched

import (
	"math"
	"math/bits"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/dag"
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/heap"
	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/codegen/sched/profile"
	"github.com/goptxas/goptxas/internal/codegen/sched/table"
	"github.com/goptxas/goptxas/internal/engine/pool"
)

// lister lists a region, starting from its order with few registers.
type lister struct {
	*dag.Lister
	r     *region
	v     *values
	pos   []int32 // place of each instruction in the order
	next  int32   // first place of it that was not issued
	done  []bool
	makes []lanes                      // of each instruction, the words it makes alive
	ends  []lanes                      // and those it is the last to read, of what was issued
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

// move lists one region within a limit. It ends without an order when that will
// take so many cycles.
func (p *preScheduler) move(r *region, by dag.Ranking, greedy bool, limit counts, enough int32) plan {
	g := p.graph(r.stretch)
	n := len(g.Instrs)
	order := pool.Room[int32](g.Mem, n)
	mark := g.Mem.Mark()
	pos := table.Inverse(g.Mem, r.base)
	m := &lister{Lister: dag.NewLister(g, p.b.Timing, p.busy, g.Ranks(by, pos)), r: r, v: r.held, pos: pos, done: pool.Make[bool](g.Mem, n), alive: &p.alive, limit: limit, tune: p.tune, slack: p.slack(r), then: -1, short: p.nearlyFull() || p.roomy()}
	m.v.sort(r.base)
	m.v.measure(m.pos, &p.steps)
	before, all := m.weigh()
	for f := range m.alive {
		if m.scant[f] = f == general || all[f] > limit[f]; m.scant[f] {
			m.alive[f].Fill(p.steps[f])
		}
	}
	m.words, m.peak, m.tests, m.most = before[general], before[general], before[predicates], p.cliffs.Room(limit[general])
	if !p.strict && slices.ContainsFunc(g.Instrs, places.IsProduct) { // what the next of them reads is worth more than warps
		m.most = math.MaxInt32
	}
	if m.rush(); greedy {
		m.spare = 0
	}
	class, _ := g.ScarceOf(p.busy, p.tune)
	m.crowded = class != 0
	if by == dag.ByTurn {
		m.delay()
	}
	least := int32(0) // cycles that the rest takes to issue, counted from the start
	end := int32(0)   // when what it copies is there
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
		end = max(end, m.Now+g.Awaited(k))
		m.Issue(k)
		m.made(k)
	}
	order = append(order, m.Order...)
	g.Mem.Release(mark)
	return plan{order: order, cycles: max(m.Now, end), held: m.held, free: !m.kept, words: m.peak}
}

// rush finds the loads and what they wait for.
func (m *lister) rush() {
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
func (m *lister) choose() int32 {
	for ; m.done[m.r.base[m.next]]; m.next++ {
		for f := range m.alive {
			if m.scant[f] {
				m.alive[f].Pass(m.next)
			}
		}
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
func (m *lister) wait(any obstacle) {
	next := int32(math.MaxInt32)
	if len(m.Soon.Nodes) > 0 {
		next = m.Soon.Nodes[0].Key()
	}
	if any == early {
		next = min(next, m.due(m.Ready.First().Instr()))
	}
	m.Now = max(m.Now+1, next)
}

// due is the first cycle at which an instruction may issue that makes a
// further word alive.
func (m *lister) due(k int32) int32 { return m.long - m.G.Height[k] - int32(m.slack) }

// obstacle is why no ready instruction was chosen.
type obstacle uint8

const (
	none  obstacle = iota // there is no ready instruction
	early                 // all are too early
	full                  // there are no registers for one that is due
)

// chooseReady returns the best ready instruction for which there are
// registers and whose unit is free, or else the best whose unit is not, or
// -1 and why, and the best that is only too early. Those without room are
// put aside until registers become free.
func (m *lister) chooseReady() (best, soon int32, why obstacle) {
	at, after := -1, int32(-1) // of the best; what follows it
	best, soon = -1, -1
	for n := 0; n < dag.Lookahead; {
		x, ok := m.Ready.Look(n)
		if !ok {
			break
		}
		k := x.Instr()
		if m.done[k] {
			m.Ready.Remove(n)
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
			m.Ready.Remove(n)
			m.aside.Push(-m.Rank[k], k)
			continue
		}
		n++
		if then >= 0 && m.then >= 0 { // one pair after the other
			continue
		}
		why = max(why, fit)
		if fit == early && soon < 0 {
			soon = k
		}
		if fit == none && (best < 0 || m.Free[m.G.Classes[k]] <= m.Now) {
			at, best, after = n-1, k, then
			if m.Free[m.G.Classes[k]] <= m.Now {
				break
			}
		}
	}
	if after >= 0 {
		m.then = after
	}
	if best >= 0 {
		m.Ready.Remove(at)
	}
	if len(m.aside.Nodes) > 0 {
		why = full
	}
	return best, soon, why
}

// recall makes some instructions ready again for which there was no room.
func (m *lister) recall() {
	for n := 0; n < recalled && len(m.aside.Nodes) > 0; n++ {
		m.IsReady(m.aside.Pop())
	}
}

// recalled is how many instructions are tried again when registers become
// free.
const recalled = 4

// fits returns none if issuing k now keeps every place within the limit and
// is not too early, or what speaks against it.
func (m *lister) fits(k int32) obstacle {
	up, down := m.makes[k], m.ends[k]
	grows := up.over(down)
	if grows == 0 {
		return none
	}
	if at := m.pos[k]; at != m.next {
		for left := grows; left != 0; left &= left - 1 {
			f := bits.TrailingZeros64(uint64(left)) / laneBits
			if m.lacks(f, up.of(f)-down.of(f), k, at) {
				m.held, m.kept = m.held || f == general, true
				return full
			}
		}
	}
	if !m.eager[k] && m.due(k) > m.Now {
		return early
	}
	return none
}

// lanes are words of each counted file.
type lanes uint64

// of is how many of one file.
func (l lanes) of(file int) int32 { return int32(l >> (laneBits * file) & (1<<laneBits - 1)) }

// over has the highest bit of each file of which l has more words than m: there are never so
// many that it is theirs.
func (l lanes) over(m lanes) lanes { return ^((m | laneTops) - l) & laneTops }

// lanesOf are the words of a value.
func lanesOf(y *value) lanes { return lanes(y.n) << (laneBits * y.file) }

const (
	laneBits = 64 / numCounted
	laneTops = (1<<64 - 1) / (1<<laneBits - 1) << (laneBits - 1)
)

// weigh counts the words of each file that are alive before the region, and those
// with all that it makes; and of instructions what they make alive, and what one
// alone reads.
func (m *lister) weigh() (before, all counts) {
	before, all = m.v.through, m.v.through
	room := pool.Make[lanes](m.G.Mem, 2*len(m.pos))
	m.makes, m.ends = room[:len(m.pos)], room[len(m.pos):]
	for x := range m.v.list {
		y := &m.v.list[x]
		n := int32(y.n)
		all[y.file] += n
		if y.def < 0 {
			before[y.file] += n
		} else {
			m.makes[y.def] += lanesOf(y)
		}
		if y.left == 1 && !y.out {
			m.ends[m.v.readers.Of(int32(x))[0]] += lanesOf(y)
		}
	}
	return before, all
}

// leave notes that one instruction alone is left that reads a value.
func (m *lister) leave(x int32, y *value) {
	for _, k := range m.v.readers.Of(x) {
		if !m.done[k] {
			m.ends[k] += lanesOf(y)
			return
		}
	}
}

// take accounts for k being issued now: what it writes is alive from here
// on, what it was the last to read is no longer.
func (m *lister) take(k int32) {
	at, frees, unread := m.pos[k], false, int32(0)
	var more counts // words alive up to its place
	for _, x := range m.v.writes.Of(k) {
		y := &m.v.list[x]
		if y.left > 0 || y.out {
			m.count(y, 1)
		} else if y.file == general {
			unread += int32(y.n)
		}
		more[y.file] += int32(y.n)
	}
	for _, x := range m.v.reads.Of(k) {
		y := &m.v.list[x]
		y.left--
		if y.out {
			continue
		}
		switch y.left {
		case 0:
			m.count(y, -1)
		case 1:
			m.leave(x, y)
		}
		if y.last != at {
			continue
		}
		last, list := int32(-1), m.v.readers.Of(x)
		for y.tail > 0 && m.done[list[y.tail-1]] {
			y.tail--
		}
		if y.tail > 0 {
			last = m.pos[list[y.tail-1]]
		}
		if last > m.next && m.scant[y.file] {
			m.alive[y.file].Add(last, int32(y.n))
		}
		more[y.file] -= int32(y.n)
		y.last = last
		frees = true
	}
	for f, n := range more {
		if n != 0 && at > m.next && m.scant[f] {
			m.alive[f].Add(at, n)
		}
	}
	m.peak = max(m.peak, m.words+unread)
	if frees || at == m.next {
		m.recall()
	}
}
