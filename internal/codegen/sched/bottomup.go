package sched

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/heap"
	"github.com/goptxas/goptxas/internal/codegen/sched/table"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// tightPredicates is how many predicates may be alive before the bottom-up
// order prefers instructions that need no further one.
const tightPredicates = 5

// predicateWords is how many words an instruction must spare then to be
// preferred all the same: one keeps the predicate that finds no register.
const predicateWords = 3

// bottomUpScheduler orders a region bottom up for few words alive:
// the next instruction, upwards, is the one that makes the fewest further
// words alive; among equal ones the one whose reader was placed last, so
// that it finishes what it began.
type bottomUpScheduler struct {
	way
	*bottomUpFacts
	left  []int32
	turn  []int32 // when each instruction became ready
	done  []bool
	live  []bool       // by unit
	price []int32      // of each unit, what making it alive counts for
	word  int32        // what a word counts for
	wants *table.Lists // of each instruction, the units that count: those it needs or those it wants
	users *table.Lists // of each unit, the instructions of which that counts
	grow  []int32      // general words each instruction would make alive
	asks  []int32      // predicates each instruction would make alive, less those it makes
	preds int32        // predicates alive
	easy  heap.Ranked
	hard  heap.Ranked // those that ask for a predicate
	late  heap.Ranked // those that stand before all others
	eager []bool      // which these are; nil: none
}

// bottomUp returns an order of g, first instruction first. The words of a
// register that one instruction writes count as one unit, which is alive
// from its first reader on, upwards, or each for itself: either can be the
// better guide where vectors meet single words. A word with other readers that
// were not placed yet cannot end before all of them are: penalty says how many words
// more it counts for, so that those readers come one soon after the other
// (a number that is packed for a product and summed up stays alive until the
// later of both). It ends without an order when that has more words of held
// alive than a bound allows, and returns how many are alive so far.
func bottomUp(h *bottomUpFacts, held *values, w way, base []int32, most bound) ([]int32, counts) {
	n, units := int32(len(h.g.Instrs)), int32(len(h.file))
	mem := h.v.mem
	order := pool.Make[int32](mem, int(n))
	if w.deep {
		h.lookAhead()
	}
	defer mem.Release(mem.Mark())
	flags, room := pool.Make[bool](mem, int(n+units)), pool.Make[int32](mem, int(4*n+units))
	part := func(k int32) []int32 {
		x := room[:k:k]
		room = room[k:]
		return x
	}
	c := &bottomUpScheduler{way: w, bottomUpFacts: h, left: part(n), turn: part(n), done: flags[:n], grow: part(n), asks: part(n), live: flags[n:], price: part(units)}
	c.prepare()
	if w.first > 0 {
		c.eager = h.g.Eager(int(w.first), base)
	}
	for k := range n {
		if c.left[k] == 0 {
			c.queue(k)
		}
	}
	t := pressureTally{v: held}
	t.begin()
	more := true
	for at := n - 1; at >= 0; at-- {
		if more && !most.holds(&t.most) {
			return nil, t.most
		}
		k := c.next()
		order[at] = k
		c.place(k, n-at)
		more = t.place(k)
	}
	return order, t.most
}

// prepare counts what each instruction needs and gives.
func (c *bottomUpScheduler) prepare() {
	for k := range c.g.Succs {
		c.left[k] = int32(len(c.g.Succs[k]))
	}
	v := c.v
	c.preds = v.through[predicates]
	for x := range v.list {
		if y := &v.list[x]; y.out {
			c.live[c.unit(int32(x))] = true
			if y.file == predicates {
				c.preds++
			}
		}
	}
	c.word = 1
	if c.shares {
		c.word = int32(c.tune.Shared)
	}
	for u := range c.price {
		c.price[u] = c.word * c.weight[u]
		if n := len(c.readers.Of(int32(u))); c.shares && n > 1 {
			c.price[u] = max(1, c.price[u]/int32(n))
		}
		if c.penalty > 0 && c.weight[u] > 0 && len(c.readers.Of(int32(u))) > 1 {
			c.price[u] += c.penalty
		}
	}
	c.wants, c.users = &c.needs, &c.readers
	if c.deep {
		c.wants, c.users = &c.ahead, &c.askers
	}
	c.count()
}

// urgent is how many words less instruction k counts for where stores come first.
func (c *bottomUpScheduler) urgent(k int32) int32 {
	if c.g.Instrs[k].Op.Has(op.Writes) {
		return int32(c.tune.Stored)
	}
	tests := false
	for _, x := range c.v.writes.Of(k) {
		if y := &c.v.list[x]; y.out {
			return 0
		} else if y.file == predicates {
			tests = true
			continue
		}
		for _, m := range c.v.readers.Of(x) {
			if !c.makesTest(m) {
				return 0
			}
			tests = true
		}
	}
	if tests {
		return int32(c.tune.Tested)
	}
	return 0
}

// makesTest reports whether instruction k makes nothing but predicates.
func (c *bottomUpScheduler) makesTest(k int32) bool {
	list := c.v.writes.Of(k)
	for _, x := range list {
		if c.v.list[x].file != predicates {
			return false
		}
	}
	return len(list) > 0
}

// count finds what each instruction would make alive.
func (c *bottomUpScheduler) count() {
	v := c.v
	for k := range int32(len(c.g.Instrs)) {
		for _, u := range c.wants.Of(k) {
			switch {
			case c.live[u]:
			case c.file[u] == predicates:
				c.asks[k]++
			default:
				c.grow[k] += c.price[u]
			}
		}
		for _, x := range v.writes.Of(k) {
			y := &v.list[x]
			switch {
			case !y.out && len(v.readers.Of(x)) == 0:
			case y.file == general:
				c.grow[k] -= c.word
			case y.file == predicates: // a test that reads another makes none more
				c.asks[k]--
			}
		}
		if c.stores {
			c.grow[k] -= c.urgent(k)
		}
	}
}

func (c *bottomUpScheduler) queue(k int32) {
	h := &c.easy
	switch {
	case c.eager != nil && c.eager[k]:
		h = &c.late
	case c.asks[k] > 0:
		h = &c.hard
	}
	h.Put(heap.PromiseOf(k, c.grow[k], c.turn[k]))
}

// next takes the best instruction. Entries whose promise has changed since
// were queued again.
func (c *bottomUpScheduler) next() int32 {
	easy, soft := c.first(&c.easy, false)
	hard, firm := c.first(&c.hard, true)
	h := &c.easy
	switch {
	case !easy && !hard:
		return c.last()
	case !easy:
		h = &c.hard
	case !hard:
	case c.preds >= tightPredicates:
		if firm+c.word*predicateWords < soft {
			h = &c.hard
		}
	default:
		if c.hard.Nodes[0] < c.easy.Nodes[0] {
			h = &c.hard
		}
	}
	k, _ := heap.Promised(h.Take())
	return k
}

// first takes promises that were not kept out of a heap, and returns what the
// first of the others makes alive, if there is one.
func (c *bottomUpScheduler) first(h *heap.Ranked, asking bool) (any bool, grow int32) {
	for len(h.Nodes) > 0 {
		k, grow := heap.Promised(h.Nodes[0])
		if !c.done[k] && (!asking || c.asks[k] > 0) && grow == heap.Grown(c.grow[k]) {
			return true, grow
		}
		h.Take()
	}
	return false, 0
}

// last takes the best of those that stand before all others.
func (c *bottomUpScheduler) last() int32 {
	for {
		if k, grow := heap.Promised(c.late.Take()); !c.done[k] && grow == heap.Grown(c.grow[k]) {
			return k
		}
	}
}

// place accounts for k obstacle before all that were placed.
func (c *bottomUpScheduler) place(k, turn int32) {
	c.done[k] = true
	for _, x := range c.v.writes.Of(k) {
		if y, u := &c.v.list[x], c.unit(x); c.live[u] && y.file == predicates {
			c.preds--
		}
	}
	for _, u := range c.needs.Of(k) {
		if !c.live[u] {
			c.live[u] = true
			c.wake(u)
		}
	}
	for _, p := range c.back.Of(k) {
		if c.left[p]--; c.left[p] == 0 {
			c.turn[p] = turn
			c.queue(p)
		}
	}
}

// wake tells the readers of a unit that it is alive.
func (c *bottomUpScheduler) wake(u int32) {
	pred := c.file[u] == predicates
	if pred {
		c.preds++
	}
	for _, k := range c.users.Of(u) {
		if c.done[k] {
			continue
		}
		if pred {
			c.asks[k]--
		} else {
			c.grow[k] -= c.price[u]
		}
		if c.left[k] == 0 {
			c.queue(k)
		}
	}
}
