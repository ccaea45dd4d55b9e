package machine

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// repeatedFences takes the fences between the ways to shared memory away that order
// nothing new: since the last of them on every way the thread has neither touched memory nor
// heard of another thread that did.
//
//	MEMBAR.ALL.CTA; FENCE.VIEW.ASYNC.S          MEMBAR.ALL.CTA; FENCE.VIEW.ASYNC.S
//	HGMMA s = gdesc[a], gdesc[b]                HGMMA s = gdesc[a], gdesc[b]
//	MEMBAR.ALL.CTA; FENCE.VIEW.ASYNC.S          HGMMA t = s, gdesc[c]
//	HGMMA t = s, gdesc[c]
//
// Products only read by the other way, and a fence does not wait for them: who writes
// what they read waits for their end. Attention on tiles that asynchronous copies
// brought has such a fence for each product: it keeps what makes the second from running beside the
// first, and costs its latency before it.
func repeatedFences(f *ori.Func) bool {
	fresh := make([]bool, f.NumBlocks()) // there may be something to order at the end of a block
	for again := true; again; {
		again = false
		for _, b := range f.Blocks {
			if out := orders(b, opens(f, b, fresh) || b == f.Blocks[0], nil); out != fresh[b.ID] {
				fresh[b.ID], again = out, true
			}
		}
	}
	changed := false
	for _, b := range f.Blocks {
		var idle []*ori.Instr
		orders(b, opens(f, b, fresh) || b == f.Blocks[0], func(i *ori.Instr) { idle = append(idle, i) })
		for _, i := range idle {
			if f.Should("proxyfence", i) {
				i.Prev().Remove()
				i.Remove()
				changed = true
			}
		}
	}
	return changed
}

// orders walks through a block that begins with something to order, or not, and
// returns whether it ends so. idle gets the second halves of fences that have nothing.
func orders(b *ori.Block, on bool, idle func(*ori.Instr)) bool {
	for i := range b.Instrs {
		switch {
		case isMemoryFence(i):
		case isViewFence(i) && i.Prev() != nil && isMemoryFence(i.Prev()):
			if !on && idle != nil {
				idle(i)
			}
			on = false
		case !isSilent(i):
			on = true
		}
	}
	return on
}

// isMemoryFence reports whether i is what stands before the view of the other way in
// a fence between the two for the threads of a block.
func isMemoryFence(i *ori.Instr) bool {
	return i.Op == op.MEMBAR && i.Guard.Kind == ori.KNone && i.Mods == op.M(op.MALL, op.MCTA)
}

// isSilent reports whether i touches no memory by the usual way and learns of no other thread
// that did: of what threads meet at, wait for or do together only exchanges of words are silent.
func isSilent(i *ori.Instr) bool {
	switch {
	case i.Op == op.CALL:
		return false
	case i.IsGroupMMA(), i.Op == op.WARPGROUP, i.Op.LoadsConstant():
		return true
	case i.Op == op.WARPSYNC: // one of the source's own is a barrier, and memory is the same behind it for all
		j := i.Next()
		return j != nil && j.Line == i.Line && (j.Op == op.WARPGROUP || j.Op.Has(op.Exchange))
	}
	return !i.Op.Has(op.Reads | op.Writes | op.Effect)
}
