package control

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// OneTurn ends the loops in which threads take turns, one turn for each
// different operand, where it is known after all that they have the same one:
//
//	b: R2UR u = r                           R2UR u = r
//	   ISETP.EQ p = r, u                    UTMASTG [u], ...
//	   UTMASTG [u], ...
//	   @!p BRA b
func OneTurn(f *ori.Func) bool {
	var t *turns
	changed := false
	for _, b := range f.Blocks {
		last := b.Last()
		if last == nil || last.Op != op.BRA || last.Guard.Kind != ori.KReg || last.Guard.Flags != ori.Inv || len(b.Succs) != 2 || b.Succs[0] != b || b.Succs[1] == b || b.Kept {
			continue
		}
		if t == nil {
			t = &turns{opt.ValuesOf(f), flow.UniformityOf(f)}
		}
		if !t.same(b, last.Guard) || !f.Should("oneturn", last) {
			continue
		}
		last.Remove()
		branch.CutEdge(b, b)
		changed = true
	}
	return f.Touched(changed)
}

type turns struct {
	v *opt.Values
	u *flow.Uniformity
}

// same reports whether a predicate of b says nothing but that threads have
// what the first of them has, and they all do.
func (t *turns) same(b *ori.Block, p ori.Operand) bool {
	for n := 0; p.Kind == ori.KReg; n++ {
		p.Flags = 0
		i := t.v.Once(p)
		if i == nil || n > 16 || i.Block() != b || i.Op != op.ISETP || !i.Mods.Has(op.MEQ) || !i.Mods.Has(op.MAND) || i.NDst != 1 || len(i.Args) != 4 {
			return false
		}
		if !t.first(b, i.Args[1], i.Args[2]) {
			return false
		}
		p = i.Args[3]
		if p.Flags != 0 {
			return false
		}
	}
	return p.Kind == ori.KZero
}

// first reports whether u is r of one thread, and r the same for all.
func (t *turns) first(b *ori.Block, r, u ori.Operand) bool {
	if r.Kind != ori.KReg || r.Class != ori.R || u.Kind != ori.KReg || u.Class != ori.UR || r.Flags != 0 || u.Flags != 0 {
		return false
	}
	i := t.v.Once(u)
	if i == nil || i.Op != op.R2UR || i.Block() != b || i.Mods != (op.Mods{}) || len(i.Args) != 2 || i.Args[1] != r {
		return false
	}
	return t.v.Shared(t.u, b, r)
}
