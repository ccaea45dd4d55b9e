package sched

import (
	"math"

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/heap"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// lookahead is how many ready instructions are tried for one whose unit is
// free.
const lookahead = 6

// lister orders the instructions of a graph, cycle by cycle.
type lister struct {
	g      *graph
	timing *target.Timing
	busy   *estimate.BusyTable
	now    int32
	at     []int32 // earliest cycle of each instruction
	left   []int32 // predecessors not yet issued
	free   [target.NumClasses]int32
	among  []target.Class          // those of the graph
	keeps  [target.NumClasses]bool // those that keep one of them from its unit for more than a cycle
	ready  heap.Ranked             // may issue now, the longest path first
	soon   heap.Ranked             // waits for a result, the earliest first
	scarce target.Class            // one whose unit most of the time goes into; none if it is zero
	queue  heap.Ranked             // like ready, those of the scarce class
	order  []int32
	rank   []int32 // of each instruction, the greatest first: usually the path behind it
}

// pollEvery is after how many instructions a list asks whether to go on.
const pollEvery = 512

// list returns an order of g that respects its edges. Among ready
// instructions the one with the longest path behind it goes first, then
// the one that stood first.
func list(g *graph, t *target.Timing, busy *estimate.BusyTable) []int32 {
	l := newLister(g, t, busy, g.height)
	for len(l.order) < len(g.instrs) {
		if len(l.order)%pollEvery == 0 {
			g.instrs[0].Block().Poll()
		}
		l.issue(l.pick())
	}
	return l.order
}

// newLister prepares a list by rank; what waits for nothing is ready.
func newLister(g *graph, t *target.Timing, busy *estimate.BusyTable, rank []int32) *lister {
	n := len(g.instrs)
	room := pool.Make[int32](g.mem, 3*n)
	l := &lister{g: g, timing: t, busy: busy, scarce: g.scarce, at: room[:n:n], left: room[n : 2*n : 2*n], order: room[2*n : 2*n], rank: rank}
	copy(l.left, g.preds)
	var seen [target.NumClasses]bool
	for _, c := range g.classes[:n] {
		if !seen[c] {
			seen[c] = true
			l.among = append(l.among, c)
		}
	}
	for _, c := range l.among {
		for _, x := range l.among {
			l.keeps[c] = l.keeps[c] || busy[c][x] > 1
		}
	}
	for k := range int32(n) {
		if l.left[k] == 0 {
			l.isReady(k)
		}
	}
	return l
}

// isReady queues an instruction by its rank.
func (l *lister) isReady(k int32) {
	if l.scarce != 0 && l.g.classes[k] == l.scarce {
		l.queue.Push(-l.rank[k], k)
		return
	}
	l.ready.Push(-l.rank[k], k)
}

// wake makes those ready whose results have arrived.
func (l *lister) wake() {
	for len(l.soon.Nodes) > 0 && l.soon.Nodes[0].Key() <= l.now {
		l.isReady(l.soon.Pop())
	}
}

// pick takes the next instruction and moves time to where it may issue.
func (l *lister) pick() int32 {
	for {
		l.wake()
		if l.queued() {
			return l.queue.Pop()
		}
		if len(l.ready.Nodes) > 0 {
			return l.pickReady()
		}
		next := int32(math.MaxInt32)
		if len(l.soon.Nodes) > 0 {
			next = l.soon.Nodes[0].Key()
		}
		if len(l.queue.Nodes) > 0 {
			next = min(next, l.free[l.scarce])
		}
		l.now = next
	}
}

// queued reports whether the best of the scarce class is the best of all.
func (l *lister) queued() bool {
	return len(l.queue.Nodes) > 0 && l.free[l.scarce] <= l.now &&
		(len(l.ready.Nodes) == 0 || l.queue.Nodes[0] < l.ready.Nodes[0])
}

// pickReady takes the best ready instruction whose unit is free, or the
// best of all when none is.
func (l *lister) pickReady() int32 {
	var tried [lookahead]int32
	n := 0
	best := int32(-1)
	for n < lookahead && len(l.ready.Nodes) > 0 {
		k := l.ready.Pop()
		if l.free[l.g.classes[k]] <= l.now {
			best = k
			break
		}
		tried[n] = k
		n++
	}
	keep := 0
	switch {
	case best >= 0:
	case len(l.queue.Nodes) > 0 && l.free[l.scarce] <= l.free[l.g.classes[tried[0]]]:
		best = l.queue.Pop()
		l.now = max(l.now, l.free[l.scarce])
	default:
		best, keep = tried[0], 1
		l.now = max(l.now, l.free[l.g.classes[best]])
	}
	for _, k := range tried[keep:n] {
		l.isReady(k)
	}
	return best
}

// issue appends k to the order and frees what waited for it.
func (l *lister) issue(k int32) {
	l.order = append(l.order, k)
	c := l.g.classes[k]
	if l.keeps[c] {
		for _, x := range l.among {
			if d := int32(l.busy[c][x]); d > 1 {
				l.free[x] = max(l.free[x], l.now+d)
			}
		}
	}
	if l.scarce != 0 && isWide(l.g.instrs[k]) {
		for _, x := range l.among {
			if l.busy[c][x] > 1 {
				l.free[x] = max(l.free[x], l.now+wideTime)
			}
		}
	}
	if l.g.instrs[k].Mods.Has(op.MLOOSE) {
		l.free[c] = max(l.free[c], l.now+l.g.groupBusy(l.g.instrs[k]))
	}
	for _, e := range l.g.succs[k] {
		l.at[e.to] = max(l.at[e.to], l.now+e.latency)
		if l.left[e.to]--; l.left[e.to] == 0 {
			l.soon.Push(l.at[e.to], e.to)
		}
	}
	l.now++
}
