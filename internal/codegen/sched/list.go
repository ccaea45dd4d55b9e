package sched

import (
	"container/heap"

	"github.com/goptxas/goptxas/internal/target"
)

// ranked is a heap of instructions.
type ranked struct {
	nodes []int32
	less  func(a, b int32) bool
}

func (r *ranked) Len() int           { return len(r.nodes) }
func (r *ranked) Less(i, j int) bool { return r.less(r.nodes[i], r.nodes[j]) }
func (r *ranked) Swap(i, j int)      { r.nodes[i], r.nodes[j] = r.nodes[j], r.nodes[i] }
func (r *ranked) Push(x any)         { r.nodes = append(r.nodes, x.(int32)) }
func (r *ranked) Pop() any {
	n := len(r.nodes) - 1
	x := r.nodes[n]
	r.nodes = r.nodes[:n]
	return x
}

// lookahead is how many ready instructions are tried for one whose unit is
// free.
const lookahead = 6

// lister orders the instructions of a graph, cycle by cycle.
type lister struct {
	g      *graph
	timing *target.Timing
	busy   *busyTable
	now    int32
	at     []int32 // earliest cycle of each instruction
	left   []int32 // predecessors not yet issued
	free   [target.NumClasses]int32
	ready  ranked // may issue now, the longest path first
	soon   ranked // waits for a result, the earliest first
	order  []int32
}

// busyTable holds how long each class keeps each other from its unit.
type busyTable [target.NumClasses][target.NumClasses]uint8

func newBusyTable(t *target.Timing) *busyTable {
	b := &busyTable{}
	for x := range target.NumClasses {
		for y := range target.NumClasses {
			b[x][y] = uint8(t.Busy(x, y))
		}
	}
	return b
}

// list returns an order of g that respects its edges. Among ready
// instructions the one with the longest path behind it goes first, then
// the one that stood first.
func list(g *graph, t *target.Timing, busy *busyTable) []int32 {
	l := newLister(g, t, busy)
	for len(l.order) < len(g.instrs) {
		l.issue(l.pick())
	}
	return l.order
}

// newLister prepares a list; what waits for nothing is ready.
func newLister(g *graph, t *target.Timing, busy *busyTable) *lister {
	n := len(g.instrs)
	l := &lister{g: g, timing: t, busy: busy, at: make([]int32, n), left: append([]int32(nil), g.preds...)}
	l.ready.less = func(a, b int32) bool {
		if g.height[a] != g.height[b] {
			return g.height[a] > g.height[b]
		}
		return a < b
	}
	l.soon.less = func(a, b int32) bool {
		if l.at[a] != l.at[b] {
			return l.at[a] < l.at[b]
		}
		return a < b
	}
	for k := range int32(n) {
		if l.left[k] == 0 {
			heap.Push(&l.ready, k)
		}
	}
	return l
}

// pick takes the next instruction and moves time to where it may issue.
func (l *lister) pick() int32 {
	for {
		for len(l.soon.nodes) > 0 && l.at[l.soon.nodes[0]] <= l.now {
			heap.Push(&l.ready, heap.Pop(&l.soon))
		}
		if len(l.ready.nodes) > 0 {
			return l.pickReady()
		}
		l.now = l.at[l.soon.nodes[0]]
	}
}

// pickReady takes the best ready instruction whose unit is free, or the
// best of all when none is.
func (l *lister) pickReady() int32 {
	var tried [lookahead]int32
	n := 0
	best := int32(-1)
	for n < lookahead && len(l.ready.nodes) > 0 {
		k := heap.Pop(&l.ready).(int32)
		if l.free[l.g.classes[k]] <= l.now {
			best = k
			break
		}
		tried[n] = k
		n++
	}
	keep := 0
	if best < 0 {
		best, keep = tried[0], 1
		l.now = max(l.now, l.free[l.g.classes[best]])
	}
	for _, k := range tried[keep:n] {
		heap.Push(&l.ready, k)
	}
	return best
}

// issue appends k to the order and frees what waited for it.
func (l *lister) issue(k int32) {
	l.order = append(l.order, k)
	c := l.g.classes[k]
	for x := range l.free {
		if d := int32(l.busy[c][x]); d > 1 {
			l.free[x] = max(l.free[x], l.now+d)
		}
	}
	for _, e := range l.g.succs[k] {
		l.at[e.to] = max(l.at[e.to], l.now+e.latency)
		if l.left[e.to]--; l.left[e.to] == 0 {
			heap.Push(&l.soon, e.to)
		}
	}
	l.now++
}
