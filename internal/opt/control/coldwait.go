package control

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/opt/ssa"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// ColdWaits moves waiting for an mbarrier out of the way. A loop of a pipeline
// mostly finds the phase over: one look stands in line, and the loop that
// sleeps and looks again stands behind the code.
//
//	b: SYNCS.PHASECHK.TRYWAIT p         b: SYNCS.PHASECHK.TRYWAIT p
//	   @!p NANOSLEEP.SYNCS                 @!p BRA c
//	   @!p SYNCS.PHASECHK p             n: ...
//	   @!p BRA b                        c: what b was; @!p BRA c; BRA n
//	n: ...
//
// Where threads may part, or outside of loops, the wait stays as it is.
func ColdWaits(f *ori.Func) bool {
	var u *flow.Uniformity
	var loops *flow.Loops
	changed := false
	for _, b := range append([]*ori.Block(nil), f.Blocks...) {
		if !onlyWaits(b) {
			continue
		}
		if u == nil {
			u, loops = flow.UniformityOf(f), flow.LoopsOf(f, flow.DomOf(f))
		}
		if u.Parts(b) || loops.Depth(b) < 2 && len(loops.Of(b).Blocks) == 1 || !f.Should("coldwait", b.First()) {
			continue
		}
		coldWait(f, b)
		changed = true
	}
	if changed && f.Props.SSA {
		ssa.Mend(f)
	}
	return f.Touched(changed)
}

// onlyWaits reports whether b does nothing but look at an mbarrier until its phase
// is over.
func onlyWaits(b *ori.Block) bool {
	last := b.Last()
	if last == nil || last.Op != op.BRA || last.Guard.Kind != ori.KReg || len(b.Succs) != 2 || b.Succs[0] != b || b.Succs[1] == b || b.Kept || carries(b) {
		return false
	}
	var looked, is ori.Operand // what the first look found, and the last
	for i := range b.Instrs {
		switch {
		case i == last || i.Op == op.PHISRC || i.Op == op.PHI:
		case i.Op == op.SYNCS && i.Mods.Has(op.MPHASECHK):
			switch {
			case looked.Kind == ori.KNone:
				if i.Guard.Kind != ori.KNone {
					return false
				}
				looked, is = i.Args[0], i.Args[0]
			case len(i.Old) > 0 && sameRegister(i.Old[0], is):
				is = i.Args[0]
			case !sameRegister(i.Args[0], is):
				return false
			}
		case i.Op == op.NANOSLEEP, opt.IsPure(i):
		default:
			return false
		}
	}
	return looked.Kind == ori.KReg && sameRegister(is, last.Guard)
}

// coldWait changes one wait. What it carries from look to look is what it was
// before the first.
func coldWait(f *ori.Func, b *ori.Block) {
	n, last, c := b.Succs[1], b.Last(), f.NewBlock()
	looked := false
	for i := range b.Instrs {
		switch {
		case opt.IsPure(i) || i.Op == op.PHI || i.Op == op.PHISRC && i.Args[0] == ori.Label(b): // the same in every turn
		default:
			j := f.NewInstr(i.Op, i.Mods, i.Dsts(), i.Srcs())
			j.Guard, j.Old, j.Line, j.Loc = i.Guard, slices.Clone(i.Old), i.Line, i.Loc
			c.Append(j)
		}
		switch {
		case i == last:
		case !looked:
			looked = i.Op == op.SYNCS
		case i.Op == op.SYNCS || i.Op == op.NANOSLEEP:
			if len(i.Old) > 0 {
				b.InsertBefore(f.NewInstr(op.COPY, op.Mods{}, i.Dsts()[:1], i.Old[:1]), i)
			}
			i.Remove()
		}
	}
	c.Last().Args[0] = ori.Label(c)
	over := f.NewInstr(op.BRA, op.Mods{}, nil, []ori.Operand{ori.Label(n)})
	over.Line, over.Loc = last.Line, last.Loc
	c.Append(over)
	c.AddEdge(c)
	c.AddEdge(n)
	last.Args[0] = ori.Label(c)
	for s := range flow.PhiSources(b, b) {
		s.Remove()
	}
	b.ReplaceSucc(b, c)
}

// carries reports whether a block that leads to itself brings itself anything
// that it did not begin with.
func carries(b *ori.Block) bool {
	for i := b.First(); i != nil && i.Op == op.PHI; i = i.Next() {
		if s := branch.SourceOf(b, b, i); s == nil || s.Args[2] != i.Args[0] {
			return true
		}
	}
	return false
}

// sameRegister reports whether two operands name one register.
func sameRegister(a, b ori.Operand) bool {
	return a.Kind == ori.KReg && b.Kind == ori.KReg && a.Class == b.Class && a.Reg == b.Reg
}
