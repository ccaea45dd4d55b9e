package machine

import (
	"math/bits"
	"slices"

	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Asynchronous copies happen at once, or, where Options.Late says so, at the
// last moment: when a thread waits for their group, when a wait finds the
// phase of their mbarrier not over, or when the block ends. A program whose
// result this changes reads or overwrites what no rule orders.

// Kinds of groups.
const (
	LateCopies = iota // cp.async
	LateBulk          // cp.async.bulk out of shared memory
	LateTensor        // tcgen05.st
	numLate
)

// later is a copy on its way.
type later struct {
	lane  int
	kind  int
	group int   // of the lane, by commits
	bar   *byte // the mbarrier that is told, or nil
	cta   *cta  // who ordered it
	run   func()
}

// Begin does a copy of a group now or later.
func (w *Warp) Begin(l, kind int, run func()) {
	w.cta.grid.async = true
	if !w.cta.grid.opts.Late {
		run()
		return
	}
	w.late = append(w.late, later{lane: l, kind: kind, group: w.commits[kind][l], run: run})
}

// BeginTold does a copy that tells an mbarrier.
func (w *Warp) BeginTold(bar []byte, run func()) {
	w.cta.grid.async = true
	if !w.cta.grid.opts.Late {
		run()
		return
	}
	cl := w.cta.cluster
	cl.late = append(cl.late, later{bar: &bar[0], cta: w.cta, run: run})
}

// commitGroup closes the groups of the running lanes.
func commitGroup(kind int) Step {
	return func(w *Warp) {
		for m := w.Mask; m != 0; m &= m - 1 {
			w.commits[kind][bits.TrailingZeros32(m)]++
		}
	}
}

// waitGroup lets all but the last n groups of the running lanes happen, or
// everything where n is below zero.
func waitGroup(kind, n int) Step {
	return func(w *Warp) {
		w.happen(func(x *later) bool {
			return x.kind == kind && w.Mask>>x.lane&1 != 0 && (n < 0 || x.group < w.commits[kind][x.lane]-n)
		})
	}
}

// happen does the copies of the warp that are due, in order.
func (w *Warp) happen(due func(*later) bool) { w.late = happened(w.late, due) }

// happened does those of a list that are due, in order, and returns the rest.
func happened(list []later, due func(*later) bool) []later {
	return slices.DeleteFunc(list, func(x later) bool {
		if !due(&x) {
			return false
		}
		x.run()
		return true
	})
}

// Look does the copies that a barrier waits for, whichever block ordered them.
func (w *Warp) Look(bar []byte) {
	w.cta.cluster.happen(func(x *later) bool { return x.bar == &bar[0] })
}

// happen does the copies of the cluster that are due, in order.
func (g *group) happen(due func(*later) bool) { g.late = happened(g.late, due) }

// end does what is left when the block is done.
func (c *cta) end() {
	c.cluster.happen(func(x *later) bool { return x.cta == c })
	c.tensor.until(len(c.tensor.orders))
	for _, w := range c.warps {
		w.happen(func(*later) bool { return true })
	}
}

// GroupStep is commit_group, wait_group and wait_all; nil for other forms.
func (d *Decoder) GroupStep(kind int) Step {
	switch {
	case d.Has(isa.WCommitGroup):
		return commitGroup(kind)
	case d.Has(isa.WWaitGroup):
		n := -1
		if len(d.Args) > 0 && d.Args[0].Kind == isa.KInt {
			n = int(d.Args[0].Value)
		}
		return waitGroup(kind, n)
	case d.Has(isa.WWaitAll):
		return waitGroup(kind, -1)
	}
	return nil
}

// FinishCopies does the copies of a lane that cp.async ordered.
func (w *Warp) FinishCopies(l int) {
	w.happen(func(x *later) bool { return x.kind == LateCopies && x.lane == l })
}
