package emit

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Coop is an instruction in which threads of a warp take part together, as
// debuggers and checkers want to know it: its place, and the register that
// holds the mask of its threads.
type Coop struct {
	Offset uint32
	Mask   uint32
}

const (
	// coopAll says that the mask is the whole warp.
	coopAll = 0xffffffff
	// coopReg is the space of R0 and up among the numbers of registers that
	// debugging information has.
	coopReg = 0x05000000
)

// coop notes an instruction of a warp's threads. One whose mask no register
// holds any more when it runs is left out: it would be taken for one of the
// whole warp.
func (e *emitter) coop(i *ori.Instr) {
	switch {
	case (i.Op.Has(op.Exchange) || i.Op == op.VOTE) && e.f.Atomics[i.Line]: // one thread does an atomic for all
		e.code.WarpWide = append(e.code.WarpWide, uint32(e.pc()))
		return
	case i.Op.Has(op.Exchange):
	case i.Op == op.VOTE:
		if s := i.Srcs()[0]; s.Kind != ori.KReg { // asks who is here
			return
		}
	case i.Op == op.WARPSYNC:
		if !e.isAlone(i) {
			return
		}
	default:
		return
	}
	if m, ok := e.coopMask(i); ok {
		e.code.Coops = append(e.code.Coops, Coop{uint32(e.pc()), m})
	}
}

// isAlone reports whether a WARPSYNC stands for itself: it does not bring
// threads together for what follows.
func (e *emitter) isAlone(i *ori.Instr) bool {
	n := after(i)
	for n != nil && !n.Op.Has(op.Reads|op.Writes|op.Effect|op.Terminator|op.Convergent) {
		n = after(n)
	}
	return n == nil || !n.Op.Has(op.Gathered) && n.Op != op.USETMAXREG
}

// after is the instruction that always follows i: blocks are split behind an
// instruction that gathers a warp.
func after(i *ori.Instr) *ori.Instr {
	if n := i.Next(); n != nil {
		return n
	}
	if b := i.Block(); len(b.Succs) == 1 && len(b.Succs[0].Preds) == 1 {
		return b.Succs[0].First()
	}
	return nil
}

// before is the instruction that always comes just before i.
func before(i *ori.Instr) *ori.Instr {
	if p := i.Prev(); p != nil {
		return p
	}
	if b := i.Block(); len(b.Preds) == 1 && len(b.Preds[0].Succs) == 1 {
		return b.Preds[0].Last()
	}
	return nil
}

// coopMask finds the mask of an instruction: that of the WARPSYNC before it,
// or all threads where such a WARPSYNC was not needed.
func (e *emitter) coopMask(i *ori.Instr) (uint32, bool) {
	w := i
	for w != nil && w.Op != op.WARPSYNC {
		w = before(w)
	}
	if w == nil {
		return coopAll, !e.hasMasks()
	}
	if w.Mods.Has(op.MALL) {
		return coopAll, true
	}
	s := w.Srcs()[0]
	if s.Kind != ori.KReg {
		return 0, false
	}
	r := int(e.f.Regs[s.Reg].Phys) + int(s.Sub)
	for x := w; x != i; x = after(x) {
		for _, d := range x.Dsts() {
			if d.Kind != ori.KReg || d.Class != ori.R {
				continue
			}
			if at := int(e.f.Regs[d.Reg].Phys) + int(d.Sub); at <= r && r < at+int(d.N) {
				return 0, false
			}
		}
	}
	return coopReg | uint32(r), true
}

// hasMasks reports whether some WARPSYNC of the function names a mask.
func (e *emitter) hasMasks() bool {
	if e.masks == unknownMasks {
		e.masks = noMasks
		for _, b := range e.f.Blocks {
			for i := range b.Instrs {
				if i.Op == op.WARPSYNC && !i.Mods.Has(op.MALL) {
					e.masks = someMasks
				}
			}
		}
	}
	return e.masks == someMasks
}

const (
	unknownMasks = iota
	noMasks
	someMasks
)
