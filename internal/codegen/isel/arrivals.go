package isel

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// arrivalTime is how many cycles a product stands behind the arrival before it.
const arrivalTime = 6

// fill puts arrivals so far before their products that what has nothing to do with
// these fills the time between.
//
//	FMUL r24 = r24, r88              FMUL r24 = r24, r88
//	FADD r9 = r8, r7                 WARPGROUP.ARRIVE
//	SHFL r10 = r9, 1                 FADD r9 = r8, r7
//	WARPGROUP.ARRIVE                 SHFL r10 = r9, 1
//	HGMMA r24 = r80, …, r24          HGMMA r24 = r80, …, r24
func (g *groupWaits) fill() {
	for _, b := range g.f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if i.Op == op.WARPGROUP && i.Mods.Has(op.MARRIVE) {
				g.advance(i)
			}
		}
	}
}

// advance puts an arrival before what it may pass.
func (g *groupWaits) advance(i *ori.Instr) {
	clear(g.written)
	for n := i.Next(); n != nil && n.Op != op.WARPGROUP; n = n.Next() {
		if n.IsGroupMMA() {
			g.mark(n.Args, g.written)
		}
	}
	at := i
	for n := 0; n < arrivalTime; n++ {
		p := at.Prev()
		if p == nil || !passes(p) || g.marked(p.Args, g.written) {
			break
		}
		at = p
	}
	if b := i.Block(); at != i {
		i.Remove()
		b.InsertBefore(i, at)
	}
}

// passes reports whether an arrival may stand before i as far as memory and other threads
// are concerned.
func passes(i *ori.Instr) bool {
	if i.IsGroupMMA() || i.Op == op.WARPGROUP || i.Op.Has(op.Terminator|op.Effect|op.Convergent) {
		return false
	}
	for k := range i.Args {
		if a := &i.Args[k]; a.HasReg() && a.Kind != ori.KReg {
			return false
		}
	}
	_, access := flow.AccessOf(i)
	return !access
}
