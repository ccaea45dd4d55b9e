// Package estimate tells about how long code takes, and what of a machine that rests on.
package estimate

import (
	"math"

	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// How long finished code takes, as far as it can be told without a launch: a
// warp issues in order, results that barriers announce take a typical time,
// units stay busy, products of warp groups arrive one after the other, and
// loops run again and again. It compares codes of one kernel with each other
// and nothing else.

// Cost is what a warp of a kernel takes, in cycles.
type Cost struct {
	Latency float64 // of a warp that runs alone
	Issue   float64 // in which a warp issues
	Warps   float64 // that share a scheduler
}

// Price is the product of the times with many and with few warps: nobody knows
// how large the grid will be.
func (c Cost) Price() float64 {
	return math.Sqrt(max(c.Issue, c.Latency/min(c.Warps, FewWarps)) * max(c.Issue, c.Latency/c.Warps))
}

// What barriers and products wait for, where the table of typical times does
// not say.
const (
	SourcesRead = 14 // until the registers of a late reader are free
	productTime = 64 // of a warp group's product
	leastResult = 16 // of what a barrier announces
)

// clock is the time of a warp, and when what it waits for is there.
type clock struct {
	now   int64
	bars  [timing.NumBarriers]int64
	free  [target.NumClasses]int64
	group int64 // when the last product of the warp group is there
}

// since returns the clock with its time set to zero.
func (c *clock) since() clock {
	d := *c
	d.now, d.group = 0, c.group-c.now
	for n := range d.bars {
		d.bars[n] -= c.now
	}
	for n := range d.free {
		d.free[n] -= c.now
	}
	return d
}

// Of tells about how long f takes, of which every instruction says when
// it issues, with so many registers a thread.
func Of(f *ori.Func, a *target.Arch, registers int) Cost {
	d := timing.NewDescriber(f, a)
	busy := NewBusyTable(d.Timing)
	loops := flow.LoopsOf(f, flow.DomOf(f))
	at := make([]int, f.NumBlocks())
	for n, b := range f.Blocks {
		at[b.ID] = n
	}
	cost := Cost{Warps: Warps(f, int32(max(1, registers)))}
	ends := make([]clock, len(f.Blocks))
	for round := range 2 { // the second time loops begin where a turn of theirs ended
		for n, b := range f.Blocks {
			c := before(b, n, at, ends, round)
			weight := math.Pow(Turns, float64(min(loops.Depth(b), MaxDepth)))
			for i := range b.Instrs {
				c.issue(i, d.Class(i), busy)
				if round == 1 {
					cost.Issue += weight
				}
			}
			if round == 1 {
				cost.Latency += weight * float64(c.now)
			}
			ends[n] = c
		}
	}
	return cost
}

// before is the clock with which a block begins: that of the turn before, or
// of the block in front of it.
func before(b *ori.Block, n int, at []int, ends []clock, round int) clock {
	from := -1
	for _, p := range b.Preds {
		if k := at[p.ID]; k < n && k > from || k >= n && round > 0 {
			from = k
			if k >= n {
				break
			}
		}
	}
	if from < 0 {
		return clock{}
	}
	return ends[from].since()
}

// issue moves time on to where the next instruction may issue.
func (c *clock) issue(i *ori.Instr, class target.Class, busy *BusyTable) {
	s := &i.Sched
	for n := range c.bars {
		if s.Wait&(1<<n) != 0 {
			c.now = max(c.now, c.bars[n])
		}
	}
	if i.Op == op.WARPGROUP && i.Mods.Has(op.MDEPBAR) {
		c.now = max(c.now, c.group)
	}
	c.now = max(c.now, c.free[class])
	for n := range c.free {
		c.free[n] = max(c.free[n], c.now+int64(busy[class][n])-1)
	}
	if i.IsGroupMMA() {
		c.group = max(c.group, c.now) + productTime
	}
	if s.WrBar >= 0 {
		c.bars[s.WrBar] = c.now + int64(max(Typical[class], leastResult))
	}
	if s.RdBar >= 0 {
		c.bars[s.RdBar] = max(c.bars[s.RdBar], c.now+SourcesRead)
	}
	c.now += max(1, int64(s.Stall))
}
