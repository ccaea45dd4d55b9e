package machine

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
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
//
// Where all threads of the block come to a barrier together, the others have touched nothing either.
func repeatedFences(f *ori.Func) bool {
	pairs := 0
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if isProxyFence(i) {
				pairs++
			}
		}
	}
	if pairs < 2 {
		return false
	}
	r := repeats{f: f, fresh: make([]bool, f.NumBlocks()), together: meetTogether(f)}
	for again := true; again; {
		again = false
		for _, b := range f.Blocks {
			if out := r.walk(b, nil); out != r.fresh[b.ID] {
				r.fresh[b.ID], again = out, true
			}
		}
	}
	changed := false
	for _, b := range f.Blocks {
		var idle []*ori.Instr
		r.walk(b, func(i *ori.Instr) { idle = append(idle, i) })
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

// repeats looks for fences that order nothing new.
type repeats struct {
	f        *ori.Func
	fresh    []bool // by block ID: there may be something to order at its end
	together bool   // all threads of the block come to each barrier together
}

// walk goes through a block and returns whether there may be something to order at its end. idle gets
// the second halves of fences that have nothing.
func (r *repeats) walk(b *ori.Block, idle func(*ori.Instr)) bool {
	on := b == r.f.Blocks[0]
	for _, p := range b.Preds {
		on = on || r.fresh[p.ID]
	}
	for i := range b.Instrs {
		switch {
		case isMemoryFence(i), r.together && flow.Meets(i):
		case isProxyFence(i):
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

// meetTogether reports whether each barrier of a kernel is one for all threads of a block that all come to
// at the same place: no branch before it depends on what differs between them. One who exits
// elsewhere counts as one who came.
func meetTogether(f *ori.Func) bool {
	if !f.Kernel {
		return false
	}
	u := flow.UniformityOfBlock(f)
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			switch {
			case i.Op == op.BAR:
				if s := i.Srcs(); !flow.Meets(i) || len(s) != 1 || s[0].Kind != ori.KImm || u.Partial(b) {
					return false
				}
			case i.Op == op.CALL, i.Op == op.EXIT && i.Guard.Kind != ori.KNone:
				return false
			}
		}
	}
	return true
}

// isProxyFence reports whether i is the second half of a fence between the ways to shared memory for the
// threads of a block.
func isProxyFence(i *ori.Instr) bool {
	return isViewFence(i) && i.Prev() != nil && isMemoryFence(i.Prev())
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
