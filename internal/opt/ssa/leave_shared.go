package ssa

import (
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// owner tells whose the values of a place are.
type owner uint8

const (
	ofWarp   owner = 1 << iota // all threads of the warp have the same, and compute with it
	ofThread                   // each may have its own
)

// shared finds the values that all threads of a warp share. A register with
// one of them and one that differs differs, and so does all that is computed
// of it and every branch it decides: such values get places of their own. One
// that is only copied, or a number, is not worth a copy more.
func (l *leaver) shared() {
	u := flow.UniformityOf(l.f)
	l.whose = pool.Make[owner](l.f.Scratch(), len(l.f.Regs))
	for r := range l.f.Regs {
		if u.Differs(ori.Reg(r)) {
			l.whose[r] = ofThread
		}
	}
	computed := pool.Make[bool](l.f.Scratch(), len(l.f.Regs))
	for _, b := range l.f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			for _, d := range i.Dsts() {
				if d.HasReg() && !(i.Op == op.MOV && i.Srcs()[0].Kind == ori.KImm) {
					computed[d.Reg] = true
				}
			}
		}
	}
	for _, b := range l.f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if i.Op == op.PHISRC || i.Op == op.COPY {
				continue
			}
			for k := range i.Srcs() {
				if s := &i.Srcs()[k]; s.HasReg() && computed[s.Reg] && l.whose[s.Reg] == 0 {
					l.whose[s.Reg] = ofWarp
				}
			}
			if i.Guard.HasReg() && computed[i.Guard.Reg] && l.whose[i.Guard.Reg] == 0 {
				l.whose[i.Guard.Reg] = ofWarp
			}
		}
	}
}

// mixes reports whether one of two places has values that threads share and
// the other some that differ.
func (l *leaver) mixes(a, b ori.Reg) bool {
	return l.f.Regs[a].Width == 1 && l.whose[a]|l.whose[b] == ofWarp|ofThread
}
