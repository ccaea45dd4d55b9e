package sched

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/dag"
	"github.com/goptxas/goptxas/internal/codegen/sched/table"
	"github.com/goptxas/goptxas/internal/engine/pool"
)

// bottomUpFacts is what all bottom-up orders of a region begin with.
type bottomUpFacts struct {
	whole   bool
	joint   bool // what several instructions need that end there is looked at with the first of them
	g       *dag.Graph
	v       *values
	tune    *Tuning
	back    table.Lists  // of each instruction, those that must stand before it
	file    []uint8      // by unit
	weight  []int32      // of each unit, in general registers
	needs   table.Lists  // of each instruction, the units it reads
	readers table.Lists  // of each unit, the instructions that read it
	cones   *table.Lists // of each instruction, what only it needs, itself first; none until asked for
	ahead   table.Lists  // of each instruction, the units that live once all that only it needs is placed, and predicates; see lookAhead
	askers  table.Lists  // of each unit, the instructions that have it there
}

// newBottomUpFacts looks at a region by units, or by words.
func newBottomUpFacts(g *dag.Graph, v *values, tune *Tuning, whole bool) *bottomUpFacts {
	units := int(v.units)
	if !whole {
		units = len(v.list)
	}
	h := &bottomUpFacts{tune: tune, whole: whole, g: g, v: v, file: pool.Make[uint8](v.mem, units), weight: pool.Make[int32](v.mem, units)}
	for x := range v.list {
		y, u := &v.list[x], h.unit(int32(x))
		h.file[u] = y.file
		if y.file == general && (y.out || len(v.readers.Of(int32(x))) > 0) {
			h.weight[u]++
		}
	}
	h.needs.Grow(v.mem, len(g.Instrs), len(v.reads.Items))
	h.needs.Reset()
	for k := range int32(len(g.Instrs)) {
		from := len(h.needs.Items)
		for _, x := range v.reads.Of(k) {
			h.needs.Add(from, h.unit(x))
		}
		h.needs.Close()
	}
	h.readers.Turn(v.mem, &h.needs, units, nil)
	return h
}

// backward finds what must stand before each instruction.
func (h *bottomUpFacts) backward() {
	total := 0
	for k := range h.g.Succs {
		total += len(h.g.Succs[k])
	}
	h.back.Grow(h.v.mem, len(h.g.Succs)+1, total)
	mark := h.v.mem.Mark()
	var edges table.Lists
	edges.Grow(h.v.mem, len(h.g.Succs), total)
	edges.Reset()
	for k := range h.g.Succs {
		for _, e := range h.g.Succs[k] {
			edges.Items = append(edges.Items, e.To)
		}
		edges.Close()
	}
	h.back.Turn(h.v.mem, &edges, len(h.g.Succs), nil)
	h.v.mem.Release(mark)
}

func (h *bottomUpFacts) unit(x int32) int32 {
	if h.whole {
		return h.v.list[x].unit
	}
	return x
}

// mostAhead is how many instructions are looked at that only one needs.
const mostAhead = 8

// lookAhead finds what each instruction wants: what it reads, and instead of
// what only it needs that others make of their sources, those. An address
// that a load alone has costs two words where it is made of a pointer that
// lives anyway, but only for a moment.
func (h *bottomUpFacts) lookAhead() {
	if h.ahead.Keys() > 0 {
		return
	}
	n := len(h.g.Instrs)
	h.findCones()
	wants := 0
	for _, m := range h.cones.Items {
		wants += len(h.needs.Of(m))
	}
	h.ahead.Grow(h.v.mem, n, wants)
	h.ahead.Reset()
	mark := h.v.mem.Mark()
	by := pool.Make[int32](h.v.mem, len(h.file)) // of each unit, the instruction plus one of which the last cone makes it
	for k := range int32(n) {
		cone := h.cones.Of(k)
		for _, m := range cone[1:] {
			for _, x := range h.v.writes.Of(m) {
				by[h.unit(x)] = k + 1
			}
		}
		from := len(h.ahead.Items)
		for _, m := range cone {
			for _, u := range h.needs.Of(m) {
				if own := h.file[u] == predicates && m == k; own || h.file[u] != predicates && by[u] != k+1 {
					h.ahead.Add(from, u)
				}
			}
		}
		h.ahead.Close()
	}
	h.v.mem.Release(mark)
	h.askers.Turn(h.v.mem, &h.ahead, len(h.file), nil)
}

// findCones finds what only each instruction needs, unless that is known.
func (h *bottomUpFacts) findCones() {
	if h.cones.Keys() > 0 {
		return
	}
	n := len(h.g.Instrs)
	h.cones.Grow(h.v.mem, n, 3*n)
	mark := h.v.mem.Mark()
	l := looker{bottomUpFacts: h, keeps: pool.Make[bool](h.v.mem, n)}
	for k := range int32(n) {
		for _, x := range h.v.writes.Of(k) {
			l.keeps[k] = l.keeps[k] || h.v.list[x].out
		}
	}
	for k := range int32(n) {
		l.cone(k)
		h.cones.Items = append(h.cones.Items, l.list...)
		h.cones.Close()
	}
	h.v.mem.Release(mark)
}

// looker finds what only one instruction needs.
type looker struct {
	*bottomUpFacts
	keeps []bool // of each instruction, whether something it makes lives on
	list  []int32
}

// cone lists an instruction and those whose results nobody else needs, up to a
// number. One that makes two words is found when both are.
func (l *looker) cone(k int32) {
	l.list = append(l.list[:0], k)
	for n := 0; n < len(l.list) && len(l.list) < mostAhead; n++ {
		for _, p := range l.back.Of(l.list[n]) {
			if len(l.list) >= mostAhead || table.Contains(l.list, p) {
				continue
			}
			if l.joint && n == 0 {
				l.siblings(p)
			}
			if l.only(p) {
				l.list = append(l.list, p)
			}
		}
	}
}

// siblings adds the others that need what p makes, if nothing waits for any of them.
func (l *looker) siblings(p int32) {
	from := len(l.list)
	for _, e := range l.g.Succs[p] {
		if table.Contains(l.list, e.To) {
			continue
		}
		if len(l.list) == mostAhead || !l.keeps[e.To] || len(l.g.Succs[e.To]) > 0 {
			l.list = l.list[:from]
			return
		}
		l.list = append(l.list, e.To)
	}
}

// only reports whether nobody but the listed needs what p makes.
func (l *looker) only(p int32) bool {
	if l.keeps[p] {
		return false
	}
	for _, e := range l.g.Succs[p] {
		if !table.Contains(l.list, e.To) {
			return false
		}
	}
	return true
}
