package arith

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// isHalf reports whether values of t are f16 or bf16 numbers, one or two.
func isHalf(t isa.Type) bool {
	return t == isa.F16 || t == isa.BF16 || t == isa.F16x2 || t == isa.BF16x2
}

// isBrain reports whether the halves of t are bf16 numbers.
func isBrain(t isa.Type) bool { return t == isa.BF16 || t == isa.BF16x2 }

// isPair reports whether t holds two numbers.
func isPair(t isa.Type) bool { return t == isa.F16x2 || t == isa.BF16x2 }

// halfMods starts the modifiers of an operation on halves.
func halfMods(t isa.Type) op.Mods {
	if isBrain(t) {
		return op.M(op.MBF16_V2)
	}
	return op.Mods{}
}

// halfArith adds the modifiers of arithmetic, in the assembler's order.
func halfArith(l *build.Builder, t isa.Type) op.Mods {
	m := halfMods(t)
	l.Knows(isa.WRn)
	for _, x := range [...]build.WordName{{isa.WOob, op.MOOB}, {isa.WFtz, op.MFTZ}, {isa.WSat, op.MSAT}, {isa.WRelu, op.MRELU}} {
		if l.Has(x.Word) {
			m = m.With(x.Mod)
		}
	}
	switch l.In.Op {
	case isa.WAdd, isa.WSub, isa.WMul:
		if !l.Opts.NoFMA && !l.Has(isa.WRn) && !(l.In.Op == isa.WMul && l.Has(isa.WSat)) {
			m = m.With(op.MCONTRACT)
		}
	}
	return m
}

// half returns argument n as halves: a scalar is the low half of a word.
func half(l *build.Builder, n int, t isa.Type) ori.Operand { return asHalf(l.Reg(l.Src1(n, t)), t) }

// asHalf marks a word as holding a value of t.
func asHalf(o ori.Operand, t isa.Type) ori.Operand {
	if !isPair(t) {
		o.Flags |= ori.H0
	}
	return o
}

// halfZero is a zero of both halves.
func halfZero() ori.Operand {
	o := expand.RZ()
	o.Flags |= ori.H0
	return o
}

// addHalf lowers add and sub of halves.
func addHalf(l *build.Builder, t isa.Type) {
	a, b := half(l, 1, t), half(l, 2, t)
	if l.In.Op == isa.WSub {
		b = b.Negate()
	}
	l.Emit(op.HADD2, halfArith(l, t), l.Dst(0)[:1], a, b)
}

// mulHalf lowers mul of halves.
func mulHalf(l *build.Builder, t isa.Type) {
	l.Emit(op.HMUL2, halfArith(l, t), l.Dst(0)[:1], half(l, 1, t), half(l, 2, t))
}

// fmaHalf lowers fma of halves.
func fmaHalf(l *build.Builder, t isa.Type) {
	l.Emit(op.HFMA2, halfArith(l, t), l.Dst(0)[:1], half(l, 1, t), half(l, 2, t), half(l, 3, t))
}

// signHalf lowers neg and abs of halves as arithmetic, which makes NaNs
// canonical. bf16 has no addition on all architectures: -0*0+x is x.
func signHalf(l *build.Builder, t isa.Type) {
	a := half(l, 1, t)
	if l.In.Op == isa.WNeg {
		a = a.Negate()
	} else {
		a.Flags |= ori.Abs
	}
	d := l.Dst(0)[:1]
	if isBrain(t) {
		l.Emit(op.HFMA2, halfMods(t), d, halfZero().Negate(), halfZero(), a)
		return
	}
	m := op.Mods{}
	if l.Has(isa.WFtz) {
		m = op.M(op.MFTZ)
	}
	l.Emit(op.HADD2, m, d, a, halfZero().Negate())
}

// minmaxHalf lowers min and max of halves.
func minmaxHalf(l *build.Builder, t isa.Type, m op.Mods, which ori.Operand) {
	a, b := half(l, 1, t), half(l, 2, t)
	if l.Has(isa.WXorsign) {
		a.Flags |= ori.Abs
		b.Flags |= ori.Abs
	}
	all := halfMods(t)
	for _, x := range m {
		if x != op.NoMod {
			all = all.With(x)
		}
	}
	d := l.Dst(0)[:1]
	if len(l.Args) > 3 {
		ab := asHalf(l.One(op.HMNMX2, all, a, b, which), t)
		l.Emit(op.HMNMX2, all, d, ab, half(l, 3, t), which)
		return
	}
	l.Emit(op.HMNMX2, all, d, a, b, which)
}

// compareHalf writes the comparison of halves to one predicate, or to two
// for the low and the high half.
func compareHalf(l *build.Builder, dsts build.Value, t isa.Type, cmp, join op.Mod, with ori.Operand) {
	m := halfMods(t).With(cmp)
	if l.Has(isa.WFtz) {
		m = m.With(op.MFTZ)
	}
	l.Emit(op.HSETP2, m.With(join), dsts, half(l, 1, t), half(l, 2, t), with)
}

// mufuHalf lowers a function of the special function unit on halves; a pair
// takes it twice but for powers of two where the machine has them for pairs.
func mufuHalf(l *build.Builder, t isa.Type, fn op.Mod) {
	f, pair := op.MF16, op.MF16x2
	if isBrain(t) {
		f, pair = op.MBF16, op.MBF16x2
	}
	a := l.Reg(l.Src1(1, t))
	d := l.Dst(0)[:1]
	if !isPair(t) {
		l.Emit(op.MUFU, op.M(fn, f), d, a)
		return
	}
	if fn == op.MEX2 && l.Arch.Has(target.PairedExponents) {
		l.Emit(op.MUFU, op.M(fn, pair), d, a)
		return
	}
	lo := l.One(op.MUFU, op.M(fn, f), a)
	hi := l.One(op.MUFU, op.M(fn, f), l.Shr1(a, ori.Imm(16)))
	l.Emit(op.PRMT, op.Mods{}, d, lo, ori.Imm(0x5410), hi)
}
