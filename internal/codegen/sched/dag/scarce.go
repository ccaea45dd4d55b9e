package dag

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
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

// ScarceOf finds the matrix operations whose unit is busy for most of the time
// that it takes to issue a graph, and for how long, if there are any. Where memory is what all wait
// for, its latency counts and not the time it is busy.
func (g *Graph) ScarceOf(busy *estimate.BusyTable, tune *tuning.Tuning) (class target.Class, work int32) {
	var n [target.NumClasses]int32
	for _, c := range g.Classes {
		n[c]++
	}
	for c := range n {
		if d := int32(busy[c][c]); target.Matrix(target.Class(c)) && d*n[c] >= int32(tune.ScarceTime) && int32(tune.ScarceShare)*d*n[c] >= int32(len(g.Classes)) {
			return target.Class(c), d * n[c]
		}
	}
	return 0, 0
}

// wideTime is how long an access of 16 bytes a thread keeps the memory unit
// where there is enough else to do: the four parts of a multiprocessor share
// what moves them, and a warp whose accesses queue up cannot issue products.
const wideTime = 8

// copyTime is how long an asynchronous copy keeps others of its kind off there: copies that
// stand close together queue up as well, and the products behind them wait. So the reference's
// code has four or five products between two of them.
const copyTime = 24

// isWide reports whether i moves 16 bytes for each thread.
func isWide(i *ori.Instr) bool { return i.Mods.Has(op.M128) || i.Op == op.LDSM && i.Mods.Has(op.M4) }

// FromEnd sets the heights of g to the places that its instructions have when
// it is listed from the end, where units are busy, too. Of those
// that may stand at a place the one with the longest path before it does.
func (b *Grapher) FromEnd(g *Graph, busy *estimate.BusyTable) {
	r := g.reversed()
	l := NewLister(r, b.Timing, busy, r.Height)
	l.Forget()
	for k := range l.At {
		l.At[k] = b.leaves(g, r.from(k))
		if l.Left[k] == 0 {
			l.Soon.Push(l.At[k], int32(k))
		}
	}
	for len(l.Order) < len(l.At) {
		k := l.pick()
		g.Height[r.from(int(k))] = l.Now + 1
		l.Issue(k)
	}
}

// reversed is the graph with all edges turned round, its last instruction first.
// Heights are the paths from the start.
func (g *Graph) reversed() *Graph {
	n := len(g.Instrs)
	r := &Graph{
		Mem: g.Mem, Instrs: make([]*ori.Instr, n), Classes: make([]target.Class, n), Succs: make([][]edge, n), Preds: make([]int32, n), Height: make([]int32, n),
		Scarce: g.Scarce, look: Lookahead, groups: g.groups,
	}
	for k := range n {
		x := r.from(k)
		r.Instrs[x], r.Classes[x] = g.Instrs[k], g.Classes[k]
		for _, e := range g.Succs[k] {
			to := r.from(int(e.To))
			r.Height[to] = max(r.Height[to], r.Height[x]+e.Latency)
			r.edge(int32(to), int32(x), e.Latency)
		}
	}
	return r
}

// from is the place of an instruction of g in the reversed graph, or the other
// way round.
func (g *Graph) from(k int) int { return len(g.Instrs) - 1 - k }

// leaves is how long before the end instruction k should issue: the result of a
// load that nobody here reads is read behind the end. Loads from shared memory
// cannot be early enough.
func (b *Grapher) leaves(g *Graph, k int) int32 {
	if len(g.Succs[k]) > 0 {
		return g.Awaited(int32(k))
	}
	if c := g.Classes[k]; g.Instrs[k].NDst > 0 && b.Timing.Variable(c) {
		if c == target.ClassLds {
			return g.work
		}
		return b.estimate(c)
	}
	return g.Height[k] - 1
}
