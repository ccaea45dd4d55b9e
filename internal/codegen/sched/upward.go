package sched

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/heap"
	"github.com/goptxas/goptxas/internal/engine/pool"
)

// tightPredicates is how many predicates may be alive before the upward
// order prefers instructions that need no further one.
const tightPredicates = 5

// predicateWords is how many words an instruction must spare then to be
// preferred all the same: one keeps the predicate that finds no register.
const predicateWords = 3

// climber orders a region from its end to its start for few words alive:
// the next instruction, upwards, is the one that makes the fewest further
// words alive; among equal ones the one whose reader was placed last, so
// that it finishes what it began.
type climber struct {
	way
	g      *graph
	v      *values
	back   lists // of each instruction, those that must stand before it
	left   []int32
	turn   []int32 // when each instruction became ready
	done   []bool
	keeps  []bool  // of each instruction, whether something it makes lives on; see lookAhead
	by     []int32 // of each unit, the instruction plus one of which the last cone makes it
	live   []bool  // by unit
	file   []uint8 // by unit
	weight []int32 // of each unit, in general registers
	price  []int32 // of each unit, what making it alive counts for
	needs  lists   // of each instruction, the units it reads
	wants  lists   // of each instruction, the units that live once all that only it needs is placed, and predicates
	users  lists   // of each unit, the instructions that want it
	grow   []int32 // general words each instruction would make alive
	asks   []int32 // predicates each instruction would make alive, less those it makes
	preds  int32   // predicates alive
	easy   []climb
	hard   []climb // those that ask for a predicate
	late   []climb // those that stand before all others
	eager  []bool  // which these are; nil: none
}

// climb is a ready instruction with what it promised when it was queued.
type climb struct{ node, grow, turn int32 }

func lessClimb(a, b *climb) bool {
	if a.grow != b.grow {
		return a.grow < b.grow
	}
	if a.turn != b.turn {
		return a.turn > b.turn
	}
	return a.node > b.node
}

// upward returns an order of g, first instruction first. The words of a
// register that one instruction writes count as one unit, which is alive
// from its first reader on, upwards, or each for itself: either can be the
// better guide where vectors meet single words. A word with other readers that
// were not placed yet cannot end before all of them are: shy says how many words
// more it counts for, so that those readers come one soon after the other
// (a number that is packed for a product and summed up stays alive until the
// later of both).
// ahead keeps what lookAhead found for another way that is as deep and whole.
func upward(g *graph, v *values, w way, ahead *lists, base []int32) []int32 {
	n := int32(len(g.instrs))
	units := v.units
	if !w.whole {
		units = int32(len(v.list))
	}
	order := pool.Make[int32](v.mem, int(n))
	if w.deep && len(ahead.start) == 0 {
		ahead.grow(v.mem, len(g.instrs), 2*len(v.reads.items))
	}
	defer v.mem.Release(v.mem.Mark())
	flags, room := pool.Make[bool](v.mem, int(2*n+units)), pool.Make[int32](v.mem, int(4*n+3*units))
	part := func(k int32) []int32 {
		x := room[:k:k]
		room = room[k:]
		return x
	}
	c := &climber{
		way: w, g: g, v: v, left: part(n), turn: part(n), done: flags[:n], grow: part(n), asks: part(n),
		keeps: flags[n : 2*n], by: part(units), live: flags[2*n:], file: pool.Make[uint8](v.mem, int(units)), weight: part(units), price: part(units),
	}
	c.prepare(ahead)
	if w.first > 0 {
		c.eager = g.eager(int(w.first), base)
	}
	for k := range n {
		if c.left[k] == 0 {
			c.queue(k)
		}
	}
	for at := n - 1; at >= 0; at-- {
		k := c.next()
		order[at] = k
		c.place(k, n-at)
	}
	return order
}

func (c *climber) unit(x int32) int32 {
	if c.whole {
		return c.v.list[x].unit
	}
	return x
}

// prepare counts what each instruction needs and gives.
func (c *climber) prepare(ahead *lists) {
	total := 0
	for k := range c.g.succs {
		total += len(c.g.succs[k])
	}
	var edges lists
	edges.grow(c.v.mem, len(c.g.succs), total)
	edges.reset()
	for k := range c.g.succs {
		c.left[k] = int32(len(c.g.succs[k]))
		for _, e := range c.g.succs[k] {
			edges.items = append(edges.items, e.to)
		}
		edges.close()
	}
	c.back.turn(c.v.mem, &edges, len(c.g.succs), nil)
	v := c.v
	c.preds = v.through[predicates]
	for x := range v.list {
		y, u := &v.list[x], c.unit(int32(x))
		c.file[u] = y.file
		if y.file == general && (y.out || len(v.readers.of(int32(x))) > 0) {
			c.weight[u]++
		}
		if y.out {
			c.live[u] = true
			if y.file == predicates {
				c.preds++
			}
		}
	}
	c.needs.grow(v.mem, len(c.g.instrs), len(v.reads.items))
	c.needs.reset()
	for k := range int32(len(c.g.instrs)) {
		from := len(c.needs.items)
		for _, x := range v.reads.of(k) {
			c.needs.add(from, c.unit(x))
		}
		c.needs.close()
	}
	c.users.turn(c.v.mem, &c.needs, len(c.live), nil)
	for u := range c.price {
		c.price[u] = c.weight[u]
		if len(c.users.of(int32(u))) > 1 && c.weight[u] > 0 {
			c.price[u] += c.shy
		}
	}
	if c.deep {
		if len(ahead.start) == 0 {
			c.lookAhead(ahead)
		}
		c.wants = *ahead
		c.users.turn(c.v.mem, &c.wants, len(c.live), nil)
	} else {
		c.wants = c.needs
	}
	c.count()
}

// mostAhead is how many instructions are looked at that only one needs.
const mostAhead = 8

// lookAhead finds what each instruction wants: what it reads, and instead of
// what only it needs that others make of their sources, those. An address
// that a load alone has costs two words where it is made of a pointer that
// lives anyway, but only for a moment.
func (c *climber) lookAhead(wants *lists) {
	wants.reset()
	for k := range int32(len(c.g.instrs)) {
		for _, x := range c.v.writes.of(k) {
			c.keeps[k] = c.keeps[k] || c.v.list[x].out
		}
	}
	var cone []int32
	for k := range int32(len(c.g.instrs)) {
		cone = c.cone(append(cone[:0], k))
		for _, m := range cone[1:] {
			for _, x := range c.v.writes.of(m) {
				c.by[c.unit(x)] = k + 1
			}
		}
		from := len(wants.items)
		for _, m := range cone {
			for _, u := range c.needs.of(m) {
				if own := c.file[u] == predicates && m == k; own || c.file[u] != predicates && c.by[u] != k+1 {
					wants.add(from, u)
				}
			}
		}
		wants.close()
	}
}

// cone adds to an instruction those whose results nobody else needs, up to a
// number. One that makes two words is found when both are.
func (c *climber) cone(list []int32) []int32 {
	for n := 0; n < len(list) && len(list) < mostAhead; n++ {
		for _, p := range c.back.of(list[n]) {
			if len(list) < mostAhead && !contains(list, p) && c.only(p, list) {
				list = append(list, p)
			}
		}
	}
	return list
}

// only reports whether nobody but the listed needs what p makes.
func (c *climber) only(p int32, list []int32) bool {
	if c.keeps[p] {
		return false
	}
	for _, e := range c.g.succs[p] {
		if !contains(list, e.to) {
			return false
		}
	}
	return true
}

// count finds what each instruction would make alive.
func (c *climber) count() {
	v := c.v
	for k := range int32(len(c.g.instrs)) {
		for _, u := range c.wants.of(k) {
			switch {
			case c.live[u]:
			case c.file[u] == predicates:
				c.asks[k]++
			default:
				c.grow[k] += c.price[u]
			}
		}
		for _, x := range v.writes.of(k) {
			y := &v.list[x]
			switch {
			case !y.out && len(v.readers.of(x)) == 0:
			case y.file == general:
				c.grow[k]--
			case y.file == predicates: // a test that reads another makes none more
				c.asks[k]--
			}
		}
	}
}

func contains(list []int32, x int32) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

func (c *climber) queue(k int32) {
	x := climb{k, c.grow[k], c.turn[k]}
	h := &c.easy
	switch {
	case c.eager != nil && c.eager[k]:
		h = &c.late
	case c.asks[k] > 0:
		h = &c.hard
	}
	*h = append(*h, x)
	heap.Up(*h, lessClimb)
}

// next takes the best instruction. Entries whose promise has changed since
// were queued again.
func (c *climber) next() int32 {
	for len(c.easy) > 0 && (c.done[c.easy[0].node] || c.easy[0].grow != c.grow[c.easy[0].node]) {
		heap.Pop(&c.easy, lessClimb)
	}
	for len(c.hard) > 0 && (c.done[c.hard[0].node] || c.asks[c.hard[0].node] <= 0 || c.hard[0].grow != c.grow[c.hard[0].node]) {
		heap.Pop(&c.hard, lessClimb)
	}
	h := &c.easy
	switch {
	case len(c.easy) == 0 && len(c.hard) == 0:
		return c.last()
	case len(c.easy) == 0:
		h = &c.hard
	case len(c.hard) == 0:
	case c.preds >= tightPredicates:
		if c.hard[0].grow+predicateWords < c.easy[0].grow {
			h = &c.hard
		}
	default:
		if lessClimb(&c.hard[0], &c.easy[0]) {
			h = &c.hard
		}
	}
	return heap.Pop(h, lessClimb).node
}

// last takes the best of those that stand before all others.
func (c *climber) last() int32 {
	for {
		x := heap.Pop(&c.late, lessClimb)
		if !c.done[x.node] && x.grow == c.grow[x.node] {
			return x.node
		}
	}
}

// place accounts for k standing before all that were placed.
func (c *climber) place(k, turn int32) {
	c.done[k] = true
	for _, x := range c.v.writes.of(k) {
		if y, u := &c.v.list[x], c.unit(x); c.live[u] && y.file == predicates {
			c.preds--
		}
	}
	for _, u := range c.needs.of(k) {
		if !c.live[u] {
			c.live[u] = true
			c.wake(u)
		}
	}
	for _, p := range c.back.of(k) {
		if c.left[p]--; c.left[p] == 0 {
			c.turn[p] = turn
			c.queue(p)
		}
	}
}

// wake tells the readers of a unit that it is alive.
func (c *climber) wake(u int32) {
	pred := c.file[u] == predicates
	if pred {
		c.preds++
	}
	for _, k := range c.users.of(u) {
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
