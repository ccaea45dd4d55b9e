package sched

import (
	"math"

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/engine/pool"
)

// Where registers do not last for all loads from memory of a region, those that
// are in flight together should be read together: a wait for the first of them is
// then one for all, and it gives back the registers for the next ones. By the
// lengths of paths alone, of two numbers that are added all the first ones would be loaded, and then
// the second ones one after the other.

// ranking says which of the instructions that are ready issues first.
type ranking uint8

const (
	byPath ranking = iota // that with the longest path behind it
	byTurn                // loads as the order with few registers has them
)

// earlyWays are orders that begin with loads.
var earlyWays = [...]way{{first: 4, deep: true}, {first: 4, whole: true}, {first: 3, deep: true}, {first: 2, deep: true}}

// inTurn looks for a better plan of a region whose registers did not last for
// its loads: by turn, and with orders that begin with all or most loads, if they fit
// and will take fewer cycles.
func (p *presser) inTurn(r *region, limit counts, best plan, enough int32) plan {
	if g := p.graph(r.stretch); !best.held || p.how.less >= 0 && (p.nearlyFull() || p.roomy()) || best.cycles < g.least()*9/8 || g.loads() < 2 {
		return best
	}
	room := min(estimate.RoomOf(limit[general]), p.budget.in(r.block)-reserve)
	best.improve(p.planned(r, r.base, byTurn, limit, min(enough, best.cycles)), room)
	fit := bound{math.MaxInt32, room, max(predicateRoom+1, r.most[predicates])}
	for _, w := range earlyWays {
		if x := p.loadsFirst(r.stretch, w, r.base, fit); x.order != nil && fit.holds(&x.most) {
			best.improve(p.planned(r, x.order, byPath, limit, min(enough, best.cycles)), room)
			best.improve(p.planned(r, x.order, byTurn, limit, min(enough, best.cycles)), room)
			break
		}
	}
	return best
}

// isLoad reports whether an instruction is a load that cannot be early enough.
func (g *graph) isLoad(k int32) bool { return estimate.Typical[g.classes[k]] >= longLoad }

// least is how many cycles an order takes at least, by paths and instructions.
func (g *graph) least() int32 {
	n := int32(len(g.instrs))
	for _, h := range g.height {
		n = max(n, h)
	}
	return n
}

// loads counts them.
func (g *graph) loads() (n int) {
	for k := range g.classes {
		if g.isLoad(int32(k)) {
			n++
		}
	}
	return n
}

// eager finds loads from memory and what they wait for: all, or some quarters of
// the loads, the first of an order.
func (g *graph) eager(quarters int, order []int32) []bool {
	n := len(g.instrs)
	list := pool.Make[bool](g.mem, n)
	left := (g.loads()*quarters + 3) / 4
	for _, k := range order {
		if g.isLoad(k) && left > 0 {
			list[k] = true
			left--
		}
	}
	for k := n - 1; k >= 0; k-- {
		for _, e := range g.succs[k] {
			list[k] = list[k] || list[e.to]
		}
	}
	return list
}

// ranks returns the rank of each instruction. By turn, what leads to more loads
// one after the other is first, and loads, and what they wait for, before all else.
func (g *graph) ranks(by ranking, pos []int32) []int32 {
	if by == byPath {
		return g.height
	}
	n := int32(len(g.instrs))
	rank, rounds := pool.Make[int32](g.mem, int(n)), pool.Make[int32](g.mem, int(n))
	long := int32(0)
	for k := n - 1; k >= 0; k-- {
		for _, e := range g.succs[k] {
			rounds[k] = max(rounds[k], rounds[e.to])
		}
		if g.isLoad(k) {
			rounds[k]++
		}
		long = max(long, g.height[k])
	}
	for k := range rank {
		rank[k] = g.height[k]
		if rounds[k] > 0 {
			rank[k] = long + rounds[k]*n - pos[k]
		}
	}
	return rank
}

// delayed are constants that loads wait for. They are made when the loads have
// all else: until then they would only take registers.
type delayed struct {
	left  []int32  // of each instruction, how many edges from those not issued lead to it
	first []int32  // of each instruction, the first of them in the list, plus one
	list  []readOf // with the next of the same instruction
}

// delay finds the constants, and makes only those ready that are wanted.
func (m *mover) delay() {
	n := len(m.eager)
	for k := range int32(n) {
		if !m.isConstant(k) {
			continue
		}
		if m.late == nil {
			m.late = &delayed{left: pool.Make[int32](m.g.mem, n), first: pool.Make[int32](m.g.mem, n)}
		}
		for _, e := range m.g.succs[k] {
			m.late.left[e.to]++
			m.late.list = append(m.late.list, readOf{k, m.late.first[e.to]})
			m.late.first[e.to] = int32(len(m.late.list))
		}
	}
	if m.late == nil {
		return
	}
	m.ready.Nodes, m.queue.Nodes = m.ready.Nodes[:0], m.queue.Nodes[:0]
	for k := range int32(n) {
		if m.left[k] == 0 && !m.isConstant(k) {
			m.isReady(k)
		}
	}
	for k := range int32(n) {
		m.wanted(k)
	}
}

// isConstant reports whether k makes a constant for a load.
func (m *mover) isConstant(k int32) bool {
	return m.eager[k] && m.g.preds[k] == 0 && estimate.Typical[m.g.classes[k]] == 0 && len(m.g.succs[k]) > 0 && len(m.v.reads.Of(k)) == 0 && len(m.v.writes.Of(k)) > 0
}

// wanted makes the constants ready that k waits for if it waits for nothing else.
func (m *mover) wanted(k int32) {
	if m.late.left[k] == 0 || m.left[k] != m.late.left[k] {
		return
	}
	for x := m.late.first[k]; x != 0; x = m.late.list[x-1].next {
		if c := m.late.list[x-1].node; !m.done[c] {
			m.isReady(c)
		}
	}
}

// made accounts for k being issued.
func (m *mover) made(k int32) {
	if m.late == nil {
		return
	}
	constant := m.isConstant(k)
	for _, e := range m.g.succs[k] {
		if constant {
			m.late.left[e.to]--
		}
		m.wanted(e.to)
	}
}
