package dag

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/codegen/sched/words"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// groupOrder keeps the order of warp-group matrix operations, of the arrivals
// before and the waits behind them, and of whatever touches registers that
// such an operation names: those are the operation's from the arrival to the
// wait, whatever the text between says.
type groupOrder struct {
	timing  *target.Timing
	theirs  []bool // by word: some operation of the function names it
	last    int32  // the last of these instructions, -1 = none
	border  int32  // the last arrival or wait, -1 = none
	touched []int32
}

// newGroupOrder finds the registers of the operations.
func newGroupOrder(names *words.Numbering, t *target.Timing) groupOrder {
	if !flow.HasGroups(names.F) {
		return groupOrder{}
	}
	o := groupOrder{timing: t, theirs: pool.Make[bool](names.F.Scratch(), names.Size)}
	for _, b := range names.F.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if !i.IsGroupMMA() {
				continue
			}
			for _, a := range i.Args {
				if a.Kind == ori.KReg && a.Class == ori.R {
					for w := names.Word(a); w < names.Word(a)+int32(a.N); w++ {
						o.theirs[w] = true
					}
				}
			}
		}
	}
	return o
}

// settled is how long before an arrival instruction t stands, which touches
// registers of products: what it makes must be there.
func (o *groupOrder) settled(g *Graph, t int32, i *ori.Instr) int32 {
	if !i.Mods.Has(op.MARRIVE) || o.timing.Variable(g.Classes[t]) {
		return 1
	}
	return int32(o.timing.RAW(target.FileR, g.Classes[t], target.SinkArriveA))
}

// begin starts a region.
func (o *groupOrder) begin() { o.last, o.border, o.touched = -1, -1, o.touched[:0] }

// add adds the edges of instruction k, which makes some accesses.
func (o *groupOrder) add(g *Graph, k int32, i *ori.Instr, list []words.Access) {
	if o.theirs == nil {
		return
	}
	if places.OfGroups(i) {
		if o.last >= 0 {
			g.edge(o.last, k, int32(max(1, o.timing.Gap(g.Classes[o.last], g.Classes[k]))))
		}
		o.last = k
		if i.Op == op.WARPGROUP {
			for _, t := range o.touched {
				g.edge(t, k, o.settled(g, t, i))
			}
			o.border, o.touched = k, o.touched[:0]
		}
		return
	}
	for _, a := range list {
		for w := a.Word; w < a.Word+int32(a.N); w++ {
			if o.theirs[w] {
				if o.border >= 0 {
					g.edge(o.border, k, 1)
				}
				o.touched = append(o.touched, k)
				return
			}
		}
	}
}
