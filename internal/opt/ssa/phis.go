package ssa

import (
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// PhiCopies makes copies of PHIs to which all ways bring the same value, or the
// PHI itself: where branches went away, and in loops that carry what no turn
// changes.
//
//	b1: r3 = PHI 0x1            b1: COPY r3 = r2
//	    …                           …
//	    PHISRC b1, 0x1, r3
func PhiCopies(f *ori.Func) bool {
	if !f.Props.SSA || f.NumPhis() == 0 {
		return false
	}
	p := &phis{result: pool.Make[ori.Operand](f.Scratch(), f.NumPhis()), same: pool.Make[ori.Operand](f.Scratch(), f.NumPhis()), state: pool.Make[phiState](f.Scratch(), f.NumPhis())}
	for _, b := range f.Blocks {
		for i := b.First(); i != nil && i.Op == op.PHI; i = i.Next() {
			p.result[i.Args[1].Imm] = i.Args[0]
		}
	}
	for _, b := range f.Blocks {
		for i := b.Last(); i != nil; i = i.Prev() {
			if i.Op == op.PHISRC {
				p.source(i.Args[1].Imm, i.Args[2])
			}
		}
	}
	changed := false
	for _, b := range f.Blocks {
		changed = p.block(f, b) || changed
	}
	if changed {
		p.forget(f)
	}
	return f.Touched(changed)
}

// phiState is what is known of a PHI.
type phiState uint8

const (
	noSource phiState = iota
	oneSource
	someSources
	copyMade
)

// phis are all PHIs of a function, by their keys.
type phis struct {
	result []ori.Operand
	same   []ori.Operand // what all ways bring
	state  []phiState
}

// source notes what one way brings to a PHI.
func (p *phis) source(key int64, a ori.Operand) {
	switch {
	case a == p.result[key]:
	case a.Kind != ori.KReg:
		p.state[key] = someSources
	case p.state[key] == noSource:
		p.state[key], p.same[key] = oneSource, a
	case p.same[key] != a:
		p.state[key] = someSources
	}
}

// block makes the copies of a block, behind its PHIs.
func (p *phis) block(f *ori.Func, b *ori.Block) bool {
	var after *ori.Instr
	for i := b.First(); i != nil && i.Op == op.PHI; i = i.Next() {
		after = i
	}
	changed := false
	for i := range b.Instrs {
		if i.Op != op.PHI {
			break
		}
		key := i.Args[1].Imm
		if p.state[key] != oneSource || !f.Should("phi", i) {
			continue
		}
		c := f.NewInstr(op.COPY, op.Mods{}, i.Dsts(), []ori.Operand{p.same[key]})
		c.Line, c.Loc = i.Line, i.Loc
		after = b.InsertAfter(c, after)
		i.Remove()
		p.state[key] = copyMade
		changed = true
	}
	return changed
}

// forget removes the sources of PHIs that are copies.
func (p *phis) forget(f *ori.Func) {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.PHISRC && p.state[i.Args[1].Imm] == copyMade {
				i.Remove()
			}
		}
	}
}
