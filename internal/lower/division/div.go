// Package division lowers division of integers and floats and square roots:
// the quick steps in their places, and the slow paths, which are routines where
// a kernel needs one in several places. The arithmetic is that of
// codegen/expand.
package division

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// div lowers div and rem of integers; floats have their own ways.
func div(l *build.Builder) {
	t := l.Typ(0)
	if t.Class() == isa.Float {
		divFloat(l, t)
		return
	}
	a, b := l.Extended(1, t), l.Extended(2, t)
	signed := t.Class() == isa.Signed
	rem := l.In.Op == isa.WRem
	d := l.Dst(0)
	if c, ok := expand.Known(b); ok {
		l.Copy(d[:len(a)], expand.DivideConst(&l.Writer, a, c, signed, rem))
		return
	}
	var r build.Value
	if t.Bits() == 64 {
		r = divide64(l, a, b, signed, rem)
	} else {
		r = expand.DivideWord(&l.Writer, a, b, t.Bits(), signed, rem)
	}
	l.Copy(d[:len(a)], r)
}

// divide64 divides pairs. Most pairs that programs divide are words: these
// are divided as such, and the slow path is taken aside. Compilers that write
// PTX know that too: where the program asks by itself, it goes the slow path
// at once.
func divide64(l *build.Builder, a, b build.Value, signed, rem bool) build.Value {
	w := routine.KindDivide
	if signed {
		w = routine.KindSigned
	}
	if rem {
		w++
	}
	both := append(append(build.Value(nil), a...), b...)
	if asked64(l) {
		r := l.Tmp(2)
		if l.Guard.Kind != ori.KNone {
			l.Copy(r, build.Value{expand.RZ(), expand.RZ()})
		}
		l.Alone(func() { l.Copy(r, slowPath(l, w, op.NoMod, false, both)) })
		return r
	}
	q := expand.Divide(&l.Writer, a[:1], b[:1], rem)[0]
	r := l.Tmp(2)
	l.Copy(r, l.Sel(expand.Imm(^uint64(0), 2), build.Value{q, expand.RZ()}, l.IsZero(b[:1])))
	long := l.Cmp1(op.MNE, false, l.Or2(a[1], b[1]), expand.RZ())
	unlikely(l, long, func() { l.Copy(r, slowPath(l, w, op.NoMod, false, both)) })
	return r
}

// asked64 reports whether the body combines the operands of the current
// division elsewhere, as it does to see whether both are short.
func asked64(l *build.Builder) bool {
	a, b := &l.Args[1], &l.Args[2]
	if a.Kind != isa.KReg || b.Kind != isa.KReg {
		return false
	}
	if l.Ors == nil {
		l.Ors = map[[2]int32]bool{}
		for k := range l.Body.Instrs {
			in := &l.Body.Instrs[k]
			if in.Op != isa.WOr || in.NTypes == 0 || in.Types[0].Bits() != 64 {
				continue
			}
			if x := l.Body.Of(in.Args); len(x) == 3 && x[1].Kind == isa.KReg && x[2].Kind == isa.KReg {
				l.Ors[[2]int32{x[1].Ref, x[2].Ref}] = true
			}
		}
	}
	return l.Ors[[2]int32{a.Ref, b.Ref}] || l.Ors[[2]int32{b.Ref, a.Ref}]
}

// divFloat lowers div of floats.
func divFloat(l *build.Builder, t isa.Type) {
	l.Knows(isa.WRn)
	switch {
	case t == isa.F64:
		a, b := l.Pair(l.Src(1, t)), l.Pair(l.Src(2, t))
		div64(l, l.Dst(0), a, b)
	case l.Has(isa.WApprox) || l.Has(isa.WFull):
		divApprox(l)
	default:
		a, b := l.Reg(l.Src1(1, t)), l.Reg(l.Src1(2, t))
		div32(l, l.Dst(0)[:1], a, b)
	}
}
