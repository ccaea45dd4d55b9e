package control

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// guards are the guards of a block that is to run under another one, and what
// stands for each together with that.
type guards struct {
	outer ori.Operand
	list  []joined
	done  []ori.Reg // predicates that hold only where the outer guard does
}

type joined struct{ inner, both ori.Operand }

// known reports whether something stands for g together with the outer guard.
func (x *guards) known(g ori.Operand) bool {
	return slices.ContainsFunc(x.list, func(j joined) bool { return j.inner == g })
}

func (x *guards) add(inner, both ori.Operand) { x.list = append(x.list, joined{inner, both}) }

// testOf returns the comparison of t that makes guard g, if it can look at
// another predicate too and nobody reads it but the guards of t that are
// like g.
func testOf(v *opt.Values, t *ori.Block, g ori.Operand) *ori.Instr {
	d := v.Once(g)
	if d == nil || d.Block() != t || d.NDst != 1 || !d.Mods.Has(op.MAND) || len(d.Args) < 4 || !opt.IsPure(d) {
		return nil
	}
	if p := d.Args[3]; !d.Op.Has(op.Compares) || p.Kind != ori.KZero || p.Class != ori.P || p.Flags != 0 {
		return nil
	}
	if _, ok := opt.Opposite(d); !ok && g.Flags&ori.Inv != 0 {
		return nil
	}
	reads := int32(0)
	for i := range t.Instrs {
		if i.Guard == g {
			reads++
		}
	}
	if reads != v.ReadsOf(g) {
		return nil
	}
	return d
}

// tests lets the comparisons of t that make its guards look at the outer
// guard, where something must not run without it.
func (x *guards) tests(v *opt.Values, t *ori.Block, must func(*ori.Instr) bool) {
	for i := range t.Instrs {
		g := i.Guard
		if g.Kind != ori.KReg || !must(i) || g.Reg == x.outer.Reg || slices.Contains(x.done, g.Reg) {
			continue
		}
		d := testOf(v, t, g)
		if d == nil {
			continue
		}
		if g.Flags&ori.Inv != 0 {
			d.Mods, _ = opt.Opposite(d)
			for j := range t.Instrs {
				if j.Guard == g {
					j.Guard = g.Not()
				}
			}
		}
		v.Count(d, -1)
		d.Args[3] = x.outer
		v.Count(d, 1)
		x.done = append(x.done, g.Reg)
	}
}

// both returns a predicate that holds where the guard of i and the outer one
// do, made before at where there is none yet.
func (x *guards) both(v *opt.Values, at, i *ori.Instr) ori.Operand {
	g := i.Guard
	if slices.Contains(x.done, g.Reg) {
		return g
	}
	for _, j := range x.list {
		if j.inner == g {
			return j.both
		}
	}
	f, pt := v.Func, ori.Zero(ori.P)
	both := f.Words(f.NewReg(ori.P, 1))
	v.Grow()
	p := f.NewInstr(op.PLOP3, op.M(op.MLUT), []ori.Operand{both}, []ori.Operand{x.outer, g, pt, ori.Imm(0xc0), ori.Imm(0)})
	p.Line, p.Loc = i.Line, i.Loc
	at.Block().InsertBefore(p, at)
	v.Count(p, 1)
	x.add(g, both)
	return both
}
