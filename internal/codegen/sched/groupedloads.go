package sched

import (
	"math"

	"github.com/goptxas/goptxas/internal/codegen/sched/dag"
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/engine/pool"
)

// Where registers do not last for all loads from memory of a region, those that
// are in flight together should be read together: a wait for the first of them is
// then one for all, and it gives back the registers for the next ones. By the
// lengths of paths alone, of two numbers that are added all the first ones would be loaded, and then
// the second ones one after the other.

// loadWays are orders that begin with loads.
var loadWays = [...]way{{first: 4, deep: true}, {first: 4, whole: true}, {first: 3, deep: true}, {first: 2, deep: true}}

// groupLoads looks for a better plan of a region whose registers did not last for
// its loads: by turn, and with orders that begin with all or most loads, if they fit
// and will take fewer cycles.
func (p *preScheduler) groupLoads(r *region, limit counts, best plan, enough int32) plan {
	if g := p.graph(r.stretch); !best.held || p.how.less >= 0 && (p.nearlyFull() || p.roomy()) || best.cycles < g.Least()*9/8 || g.Loads() < 2 {
		return best
	}
	if p.tune.Spare > 0 {
		worth := int32(p.tune.Greedy)
		if x := p.planned(r, r.base, dag.ByPath, true, limit, max(0, min(enough, best.cycles)-worth)); x.cycles <= best.cycles-worth {
			best.improve(x, p.cliffs.Room(limit[general]))
		}
	}
	room := min(p.cliffs.Room(limit[general]), p.budget.in(r.block)-reserve)
	best.improve(p.planned(r, r.base, dag.ByTurn, false, limit, min(enough, best.cycles)), room)
	fit := bound{math.MaxInt32, room, max(predicateRoom+1, r.most[predicates])}
	for _, w := range loadWays {
		if x := p.loadsFirst(r.stretch, w, r.base, fit); x.order != nil && fit.holds(&x.most) {
			best.improve(p.planned(r, x.order, dag.ByPath, false, limit, min(enough, best.cycles)), room)
			best.improve(p.planned(r, x.order, dag.ByTurn, false, limit, min(enough, best.cycles)), room)
			break
		}
	}
	return best
}

// delayed are constants that loads wait for. They are made when the loads have
// all else: until then they would only take registers.
type delayed struct {
	left  []int32   // of each instruction, how many edges from those not issued lead to it
	first []int32   // of each instruction, the first of them in the list, plus one
	list  []waiting // with the next of the same instruction
}

// waiting is one of them.
type waiting struct{ node, next int32 }

// delay finds the constants, and makes only those ready that are wanted.
func (m *lister) delay() {
	n := len(m.eager)
	for k := range int32(n) {
		if !m.isConstant(k) {
			continue
		}
		if m.late == nil {
			m.late = &delayed{left: pool.Make[int32](m.G.Mem, n), first: pool.Make[int32](m.G.Mem, n)}
		}
		for _, e := range m.G.Succs[k] {
			m.late.left[e.To]++
			m.late.list = append(m.late.list, waiting{k, m.late.first[e.To]})
			m.late.first[e.To] = int32(len(m.late.list))
		}
	}
	if m.late == nil {
		return
	}
	m.Forget()
	for k := range int32(n) {
		if m.Left[k] == 0 && !m.isConstant(k) {
			m.IsReady(k)
		}
	}
	for k := range int32(n) {
		m.wanted(k)
	}
}

// isConstant reports whether k makes a constant for a load.
func (m *lister) isConstant(k int32) bool {
	return m.eager[k] && m.G.Preds[k] == 0 && estimate.Typical[m.G.Classes[k]] == 0 && len(m.G.Succs[k]) > 0 && len(m.v.reads.Of(k)) == 0 && len(m.v.writes.Of(k)) > 0
}

// wanted makes the constants ready that k waits for if it waits for nothing else.
func (m *lister) wanted(k int32) {
	if m.late.left[k] == 0 || m.Left[k] != m.late.left[k] {
		return
	}
	for x := m.late.first[k]; x != 0; x = m.late.list[x-1].next {
		if c := m.late.list[x-1].node; !m.done[c] {
			m.IsReady(c)
		}
	}
}

// made accounts for k being issued.
func (m *lister) made(k int32) {
	if m.late == nil {
		return
	}
	constant := m.isConstant(k)
	for _, e := range m.G.Succs[k] {
		if constant {
			m.late.left[e.To]--
		}
		m.wanted(e.To)
	}
}
