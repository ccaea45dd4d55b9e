package dag

import (
	"math"

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/heap"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Lookahead is how many ready instructions are tried for one whose unit is
// free.
const Lookahead = 6

// mostLook is how many where exponentials take most of the time: dozens of them are
// ready at once, and sums that are scaled meanwhile stand behind all of them.
const mostLook = 40

// Lister orders the instructions of a graph, cycle by cycle.
type Lister struct {
	G      *Graph
	timing *target.Timing
	Now    int32
	At     []int32 // earliest cycle of each instruction
	Left   []int32 // predecessors not yet issued
	Free   [target.NumClasses]int32
	*units
	Ready  heap.Sorted  // may issue now, the longest path first
	Soon   heap.Ranked  // waits for a result, the earliest first
	scarce target.Class // one whose unit most of the time goes into; none if it is zero
	Queue  heap.Ranked  // like ready, those of the scarce class
	Order  []int32
	Rank   []int32 // of each instruction, the greatest first: usually the path behind it
}

// units are the classes of a graph.
type units struct {
	keeps [target.NumClasses][]kept // of each, those that it keeps from their units for more than a cycle
}

// kept is a class that has to wait, and for how long.
type kept struct {
	class target.Class
	time  int32
}

// fewReady is how many instructions are ready at once at most, mostly.
const fewReady = 32

// PollEvery is after how many instructions a list asks whether to go on.
const PollEvery = 512

// List returns an order of g that respects its edges. Among ready
// instructions the one with the longest path behind it goes first, then
// the one that stood first.
func List(g *Graph, t *target.Timing, busy *estimate.BusyTable) []int32 {
	l := NewLister(g, t, busy, g.Height)
	for len(l.Order) < len(g.Instrs) {
		if len(l.Order)%PollEvery == 0 {
			g.Instrs[0].Block().Poll()
		}
		l.Issue(l.pick())
	}
	return l.Order
}

// NewLister prepares a list by rank; what waits for nothing is ready.
func NewLister(g *Graph, t *target.Timing, busy *estimate.BusyTable, rank []int32) *Lister {
	n := len(g.Instrs)
	room := pool.Make[int32](g.Mem, 3*n)
	l := &Lister{G: g, timing: t, scarce: g.Scarce, At: room[:n:n], Left: room[n : 2*n : 2*n], Order: room[2*n : 2*n], Rank: rank}
	copy(l.Left, g.Preds)
	if g.units == nil {
		g.units = unitsOf(g.Classes, busy)
	}
	l.units = g.units
	l.Ready.Near, l.Soon.Nodes = pool.Room[heap.Node](g.Mem, min(n, fewReady)), pool.Room[heap.Node](g.Mem, min(n, fewReady))
	for k := range int32(n) {
		if l.Left[k] == 0 {
			l.IsReady(k)
		}
	}
	return l
}

// Forget takes all that is ready out of the queues.
func (l *Lister) Forget() {
	l.Ready.Reset()
	l.Queue.Nodes = l.Queue.Nodes[:0]
}

// unitsOf finds the classes, and which of them keep others waiting.
func unitsOf(classes []target.Class, busy *estimate.BusyTable) *units {
	u := &units{}
	var seen [target.NumClasses]bool
	var among []target.Class
	for _, c := range classes {
		if !seen[c] {
			seen[c] = true
			among = append(among, c)
		}
	}
	var list []kept
	for _, c := range among {
		from := len(list)
		for _, x := range among {
			if d := int32(busy[c][x]); d > 1 {
				list = append(list, kept{x, d})
			}
		}
		u.keeps[c] = list[from:len(list):len(list)]
	}
	return u
}

// IsReady queues an instruction by its rank.
func (l *Lister) IsReady(k int32) {
	if l.scarce != 0 && l.G.Classes[k] == l.scarce {
		l.Queue.Push(-l.Rank[k], k)
		return
	}
	l.Ready.Push(-l.Rank[k], k)
}

// Wake makes those ready whose results have arrived.
func (l *Lister) Wake() {
	for len(l.Soon.Nodes) > 0 && l.Soon.Nodes[0].Key() <= l.Now {
		l.IsReady(l.Soon.Pop())
	}
}

// pick takes the next instruction and moves time to where it may issue.
func (l *Lister) pick() int32 {
	for {
		l.Wake()
		if l.queued() {
			return l.Queue.Pop()
		}
		if !l.Ready.Empty() {
			return l.pickReady()
		}
		next := int32(math.MaxInt32)
		if len(l.Soon.Nodes) > 0 {
			next = l.Soon.Nodes[0].Key()
		}
		if len(l.Queue.Nodes) > 0 {
			next = min(next, l.Free[l.scarce])
		}
		l.Now = next
	}
}

// queued reports whether the best of the scarce class is the best of all.
func (l *Lister) queued() bool {
	return len(l.Queue.Nodes) > 0 && l.Free[l.scarce] <= l.Now &&
		(l.Ready.Empty() || l.Queue.Nodes[0] < l.Ready.First())
}

// pickReady takes the best ready instruction whose unit is free, or the
// best of all when none is.
func (l *Lister) pickReady() int32 {
	for n := range l.G.look {
		x, ok := l.Ready.Look(n)
		if !ok {
			break
		}
		if k := x.Instr(); l.Free[l.G.Classes[k]] <= l.Now {
			l.Ready.Remove(n)
			return k
		}
	}
	best := l.Ready.First().Instr()
	if len(l.Queue.Nodes) > 0 && l.Free[l.scarce] <= l.Free[l.G.Classes[best]] {
		l.Now = max(l.Now, l.Free[l.scarce])
		return l.Queue.Pop()
	}
	l.Ready.Remove(0)
	l.Now = max(l.Now, l.Free[l.G.Classes[best]])
	return best
}

// Issue appends k to the order and frees what waited for it.
func (l *Lister) Issue(k int32) {
	l.Order = append(l.Order, k)
	c := l.G.Classes[k]
	for _, x := range l.keeps[c] {
		l.Free[x.class] = max(l.Free[x.class], l.Now+x.time)
	}
	if l.scarce != 0 && isWide(l.G.Instrs[k]) {
		for _, x := range l.keeps[c] {
			l.Free[x.class] = max(l.Free[x.class], l.Now+wideTime)
		}
	}
	if l.scarce != 0 && l.G.Instrs[k].Op == op.LDGSTS {
		l.Free[c] = max(l.Free[c], l.Now+copyTime)
	}
	if l.G.groups && l.G.Instrs[k].Mods.Has(op.MLOOSE) {
		l.Free[c] = max(l.Free[c], l.Now+l.G.groupBusy(l.G.Instrs[k]))
	}
	for _, e := range l.G.Succs[k] {
		l.At[e.To] = max(l.At[e.To], l.Now+e.Latency)
		if l.Left[e.To]--; l.Left[e.To] == 0 {
			l.Soon.Push(l.At[e.To], e.To)
		}
	}
	l.Now++
}
