package sched

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Where one unit takes most of the time, the longest path says little about
// what should issue first: thirty products that nobody in the region reads
// have no path behind them at all, and would come last, after everything else
// and with nothing to fill the gaps between them. There, heights are found by
// listing the region from its end: an instruction stands as far from
// the end as its unit, and those of its readers, allow.

// findScarce finds the matrix operations whose unit is busy for most of the time
// that it takes to issue a graph, if there are any. Where memory is what all wait
// for, its latency counts and not the time it is busy.
func (g *graph) findScarce(busy *estimate.BusyTable, tune *Tuning) {
	var n [target.NumClasses]int32
	for _, c := range g.classes {
		n[c]++
	}
	for c := range n {
		if d := int32(busy[c][c]); target.Matrix(target.Class(c)) && d*n[c] >= int32(tune.ScarceTime) && int32(tune.ScarceShare)*d*n[c] >= int32(len(g.classes)) {
			g.scarce, g.work = target.Class(c), d*n[c]
			return
		}
	}
}

// wideTime is how long an access of 16 bytes a thread keeps the memory unit
// where there is enough else to do: the four parts of a multiprocessor share
// what moves them, and a warp whose accesses queue up cannot issue products.
const wideTime = 8

// isWide reports whether i moves 16 bytes for each thread.
func isWide(i *ori.Instr) bool { return i.Mods.Has(op.M128) || i.Op == op.LDSM && i.Mods.Has(op.M4) }

// fromEnd sets the heights of g to the places that its instructions have when
// it is listed from the end, where units are busy, too. Of those
// that may stand at a place the one with the longest path before it does.
func (b *grapher) fromEnd(g *graph, busy *estimate.BusyTable) {
	r := g.reversed()
	l := newLister(r, b.timing, busy, r.height)
	l.ready.Nodes, l.queue.Nodes = l.ready.Nodes[:0], l.queue.Nodes[:0]
	for k := range l.at {
		l.at[k] = b.leaves(g, r.from(k))
		if l.left[k] == 0 {
			l.soon.Push(l.at[k], int32(k))
		}
	}
	for len(l.order) < len(l.at) {
		k := l.pick()
		g.height[r.from(int(k))] = l.now + 1
		l.issue(k)
	}
}

// reversed is the graph with all edges turned round, its last instruction first.
// Heights are the paths from the start.
func (g *graph) reversed() *graph {
	n := len(g.instrs)
	r := &graph{
		mem: g.mem, instrs: make([]*ori.Instr, n), classes: make([]target.Class, n), succs: make([][]edge, n), preds: make([]int32, n), height: make([]int32, n),
		scarce: g.scarce,
	}
	for k := range n {
		x := r.from(k)
		r.instrs[x], r.classes[x] = g.instrs[k], g.classes[k]
		for _, e := range g.succs[k] {
			to := r.from(int(e.to))
			r.height[to] = max(r.height[to], r.height[x]+e.latency)
			r.edge(int32(to), int32(x), e.latency)
		}
	}
	return r
}

// from is the place of an instruction of g in the reversed graph, or the other
// way round.
func (g *graph) from(k int) int { return len(g.instrs) - 1 - k }

// leaves is how long before the end instruction k should issue: the result of a
// load that nobody here reads is read behind the end. Loads from shared memory
// cannot be early enough.
func (b *grapher) leaves(g *graph, k int) int32 {
	if len(g.succs[k]) > 0 {
		return 0
	}
	if c := g.classes[k]; g.instrs[k].NDst > 0 && b.timing.Variable(c) {
		if c == target.ClassLds {
			return g.work
		}
		return b.estimate(c)
	}
	return g.height[k] - 1
}
