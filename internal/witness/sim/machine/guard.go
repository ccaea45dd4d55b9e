package machine

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/order"
)

// Registers that asynchronous products own. Between WARPGROUP.ARRIVE and the
// WARPGROUP.DEPBAR that waits for it a product may read and write its
// registers at any time, so nothing else may be on its way to or from them at
// the arrival, nothing may write them between arrival and product, and
// nothing may touch them until the wait (PTX ISA, wgmma.fence and
// wgmma.wait_group).

// usedRegs lists the vector registers that an instruction names.
func usedRegs(i *code.Inst) order.Uses {
	var out order.Uses
	if i.Gmma != nil || !i.In.Known() {
		return nil
	}
	for n := range i.In.NArg() {
		o := i.In.Arg(n)
		if o.Kind != sass.KindReg || o.File != sass.FileR || o.Zero {
			continue
		}
		out = append(out, order.Range{First: uint16(o.Reg), N: uint16(max(o.Width, 1)), Write: o.Role == sass.Write || o.Role == sass.Both})
	}
	return out
}

// lateKinds read their sources late.
func lateKind(k Class) bool {
	switch k {
	case ClassGlobal, ClassShared, ClassLocal, ClassAtomic, ClassTexture, ClassTensor:
		return true
	}
	return false
}

// announce notes an instruction that uses registers late.
func (w *Warp) announce(i *Inst, wr, rd int8) {
	w.async.regs.Announce(w.At, uint8(i.kind), lateKind(i.kind), w.m.async.regs[w.At], wr, rd)
}

// guardRegs checks the registers of an instruction against those of products
// that may still run, and those of a product against everything else.
func (w *Warp) guardRegs(i *Inst, mask uint32) {
	g := &w.async.regs
	g.Step()
	if i.Gmma != nil {
		w.guardGMMA(i.Gmma)
		return
	}
	if mask == 0 {
		return
	}
	for _, u := range w.m.async.regs[w.At] {
		for _, o := range w.async.orders {
			if r, ok := u.Meets(o.D, uint16(o.Regs)); ok && o.D != code.RowZero {
				w.m.race(o.pc, w.At, "belongs to a product that was not waited for", fmt.Sprintf("R%d", r))
			} else if r, ok := u.Meets(o.A, o.ARegs()); ok && u.Write && o.A != code.RowSink {
				w.m.race(o.pc, w.At, "is written and a product may still read it", fmt.Sprintf("R%d", r))
			}
		}
		g.Written(u, w.At)
	}
}

// guardGMMA checks what a product reads and writes.
func (w *Warp) guardGMMA(f *code.GroupForm) {
	if f.D == code.RowZero {
		return
	}
	w.guardRun(f.D, uint16(f.Regs), true)
	if f.A != code.RowSink {
		w.guardRun(f.A, f.ARegs(), false)
	}
	if f.Sparse {
		w.guardRun(f.Meta, 1, false)
	}
}

func (w *Warp) guardRun(first, n uint16, write bool) {
	w.async.regs.Claim(first, n, write, func(pc uint32, what string, r uint16) {
		w.m.race(pc, w.At, what, fmt.Sprintf("R%d", r))
	})
}
