package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
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
func (l *lowerer) halfArith(t isa.Type) op.Mods {
	m := halfMods(t)
	l.knows(isa.WRn)
	for _, x := range [...]wordName{{isa.WOob, op.MOOB}, {isa.WFtz, op.MFTZ}, {isa.WSat, op.MSAT}, {isa.WRelu, op.MRELU}} {
		if l.has(x.word) {
			m = m.With(x.mod)
		}
	}
	switch l.in.Op {
	case isa.WAdd, isa.WSub, isa.WMul:
		if !l.opts.NoFMA && !l.has(isa.WRn) && !(l.in.Op == isa.WMul && l.has(isa.WSat)) {
			m = m.With(op.MCONTRACT)
		}
	}
	return m
}

// half returns argument n as halves: a scalar is the low half of a word.
func (l *lowerer) half(n int, t isa.Type) ori.Operand { return asHalf(l.reg(l.src1(n, t)), t) }

// asHalf marks a word as holding a value of t.
func asHalf(o ori.Operand, t isa.Type) ori.Operand {
	if !isPair(t) {
		o.Flags |= ori.H0
	}
	return o
}

// halfZero is a zero of both halves.
func halfZero() ori.Operand {
	o := rz()
	o.Flags |= ori.H0
	return o
}

// addHalf lowers add and sub of halves.
func (l *lowerer) addHalf(t isa.Type) {
	a, b := l.half(1, t), l.half(2, t)
	if l.in.Op == isa.WSub {
		b = b.Negate()
	}
	l.emit(op.HADD2, l.halfArith(t), l.dst(0)[:1], a, b)
}

// mulHalf lowers mul of halves.
func (l *lowerer) mulHalf(t isa.Type) {
	l.emit(op.HMUL2, l.halfArith(t), l.dst(0)[:1], l.half(1, t), l.half(2, t))
}

// fmaHalf lowers fma of halves.
func (l *lowerer) fmaHalf(t isa.Type) {
	l.emit(op.HFMA2, l.halfArith(t), l.dst(0)[:1], l.half(1, t), l.half(2, t), l.half(3, t))
}

// signHalf lowers neg and abs of halves as arithmetic, which makes NaNs
// canonical. bf16 has no addition on all architectures: -0*0+x is x.
func (l *lowerer) signHalf(t isa.Type) {
	a := l.half(1, t)
	if l.in.Op == isa.WNeg {
		a = a.Negate()
	} else {
		a.Flags |= ori.Abs
	}
	d := l.dst(0)[:1]
	if isBrain(t) {
		l.emit(op.HFMA2, halfMods(t), d, halfZero().Negate(), halfZero(), a)
		return
	}
	m := op.Mods{}
	if l.has(isa.WFtz) {
		m = op.M(op.MFTZ)
	}
	l.emit(op.HADD2, m, d, a, halfZero().Negate())
}

// minmaxHalf lowers min and max of halves.
func (l *lowerer) minmaxHalf(t isa.Type, m op.Mods, which ori.Operand) {
	a, b := l.half(1, t), l.half(2, t)
	if l.has(isa.WXorsign) {
		a.Flags |= ori.Abs
		b.Flags |= ori.Abs
	}
	all := halfMods(t)
	for _, x := range m {
		if x != op.NoMod {
			all = all.With(x)
		}
	}
	d := l.dst(0)[:1]
	if len(l.args) > 3 {
		ab := asHalf(l.one(op.HMNMX2, all, a, b, which), t)
		l.emit(op.HMNMX2, all, d, ab, l.half(3, t), which)
		return
	}
	l.emit(op.HMNMX2, all, d, a, b, which)
}

// compareHalf writes the comparison of halves to one predicate, or to two
// for the low and the high half.
func (l *lowerer) compareHalf(dsts value, t isa.Type, cmp, join op.Mod, with ori.Operand) {
	m := halfMods(t).With(cmp)
	if l.has(isa.WFtz) {
		m = m.With(op.MFTZ)
	}
	l.emit(op.HSETP2, m.With(join), dsts, l.half(1, t), l.half(2, t), with)
}

// mufuHalf lowers a function of the special function unit on halves; a pair
// takes it twice.
func (l *lowerer) mufuHalf(t isa.Type, fn op.Mod) {
	f := op.MF16
	if isBrain(t) {
		f = op.MBF16
	}
	a := l.reg(l.src1(1, t))
	d := l.dst(0)[:1]
	if !isPair(t) {
		l.emit(op.MUFU, op.M(fn, f), d, a)
		return
	}
	lo := l.one(op.MUFU, op.M(fn, f), a)
	hi := l.one(op.MUFU, op.M(fn, f), l.shr1(a, ori.Imm(16)))
	l.emit(op.PRMT, op.Mods{}, d, lo, ori.Imm(0x5410), hi)
}
