package machine

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// ViewFences takes the fences away that stand before the setting up of an
// mbarrier and have nothing to order: an mbarrier is set up through another
// proxy than loads and stores go through, so that what went through theirs
// before must have ended, unless nothing did since the last such fence.
//
//	FENCE.VIEW.ASYNC.S; SYNCS.EXCH [a], n      FENCE.VIEW.ASYNC.S; SYNCS.EXCH [a], n
//	FENCE.VIEW.ASYNC.S; SYNCS.EXCH [b], n      SYNCS.EXCH [b], n
//
// Fences of the source stay, but those that repeat another (proxyfence.go).
func ViewFences(f *ori.Func) bool {
	open := make([]bool, f.NumBlocks()) // accesses may be on their way at the end of a block
	for again := true; again; {
		again = false
		for _, b := range f.Blocks {
			if out := accesses(b, opens(f, b, open), nil); out != open[b.ID] {
				open[b.ID], again = out, true
			}
		}
	}
	changed := false
	for _, b := range f.Blocks {
		var idle []*ori.Instr
		accesses(b, opens(f, b, open), func(i *ori.Instr) { idle = append(idle, i) })
		for _, i := range idle {
			if f.Should("viewfence", i) {
				i.Remove()
				changed = true
			}
		}
	}
	return f.Touched(repeatedFences(f) || changed)
}

// opens reports whether accesses may be on their way where b begins.
func opens(f *ori.Func, b *ori.Block, open []bool) bool {
	in := b == f.Blocks[0] && !f.Kernel
	for _, p := range b.Preds {
		in = in || open[p.ID]
	}
	return in
}

// accesses walks through a block that begins with accesses on their way, or
// not, and returns whether it ends so. idle gets the fences that have nothing
// to order.
func accesses(b *ori.Block, on bool, idle func(*ori.Instr)) bool {
	for i := range b.Instrs {
		switch {
		case isViewFence(i):
			if !on && idle != nil && setsUp(i) {
				idle(i)
			}
			on = false
		case i.Op == op.CALL, i.Op.Has(op.Reads|op.Writes) && !keepsView(i.Op):
			on = true
		}
	}
	return on
}

// isViewFence reports whether i orders accesses to shared memory before those
// of the other proxy.
func isViewFence(i *ori.Instr) bool {
	return i.Op == op.FENCE && i.Guard.Kind == ori.KNone && i.Mods == op.M(op.MVIEW, op.MASYNC, op.MS)
}

// keepsView reports whether an operation goes through the other proxy too, or never to
// shared memory.
func keepsView(o op.Op) bool {
	return o.Proxy() == op.ProxyBarrier || o.Space()&op.SpaceShared == 0
}

// setsUp reports whether a fence belongs to the setting up of an mbarrier.
func setsUp(i *ori.Instr) bool {
	for j := i.Next(); j != nil && j.Line == i.Line; j = j.Next() {
		if j.Op == op.SYNCS && j.Mods.Has(op.MEXCH) {
			return true
		}
	}
	return false
}
