package expand

import (
	"math"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Less64 compares 64-bit values.
func (l *Writer) Less64(a, b Value, cmp op.Mod, signed bool) ori.Operand {
	p := l.Test(op.ISETP, op.M(cmp, op.MU32, op.MAND), a[0], b[0], PT())
	m := op.M(cmp, op.MAND, op.MEX)
	if !signed {
		m = op.M(cmp, op.MU32, op.MAND, op.MEX)
	}
	return l.Test(op.ISETP, m, a[1], b[1], PT(), p)
}

func Pick(c bool, a, b ori.Operand) ori.Operand {
	if c {
		return a
	}
	return b
}

// Negate returns -x; constants fold.
func Negate(x ori.Operand) ori.Operand {
	switch x.Kind {
	case ori.KImm:
		return Word(-uint32(x.Imm))
	case ori.KZero:
		return x
	}
	return x.Negate()
}

// Invert returns ~x; constants fold.
func Invert(x ori.Operand) ori.Operand {
	switch x.Kind {
	case ori.KImm:
		return Word(^uint32(x.Imm))
	case ori.KZero:
		return ori.Imm32(^uint32(0))
	}
	return x.Not()
}

// Add64 adds or subtracts 64-bit values. The carry of a subtraction means
// that nothing was borrowed: a - b = a + ~b + 1.
func (l *Writer) Add64(a, b Value, sub bool) Value {
	t, c := l.Tmp(2), l.Pred()
	if sub {
		if b[0].Kind == ori.KZero { // -0 gives no carry: nothing to borrow
			l.Emit(op.MOV, op.Mods{}, t[:1], a[0])
			l.Emit(op.IADD3, op.Mods{}, t[1:], a[1], Negate(b[1]), RZ())
			return t
		}
		l.Emit(op.IADD3, op.Mods{}, Value{t[0], c}, a[0], Negate(b[0]), RZ())
		l.Emit(op.IADD3, op.M(op.MX), t[1:], a[1], Invert(b[1]), RZ(), c, PT().Not())
		return t
	}
	l.Emit(op.IADD3, op.Mods{}, Value{t[0], c}, a[0], b[0], RZ())
	l.Emit(op.IADD3, op.M(op.MX), t[1:], a[1], b[1], RZ(), c, PT().Not())
	return t
}

// Wide computes the 64-bit product of two words plus a 64-bit value.
func (l *Writer) Wide(a, b ori.Operand, c Value, signed bool) Value {
	m := op.M(op.MWIDE)
	if !signed {
		m = op.M(op.MWIDE, op.MU32)
	}
	t := l.Tmp(2)
	addend := RZ()
	if c[0].Kind != ori.KZero || c[1].Kind != ori.KZero {
		addend = Whole(l.Pair(c))
	}
	l.Emit(op.IMAD, m, Value{Whole(t)}, l.Reg(a), b, addend)
	return t
}

// Mul64 computes the low 64 bits of a*b+c.
func (l *Writer) Mul64(a, b, c Value) Value {
	p := l.Wide(a[0], b[0], c, false)
	t := l.Tmp(2)
	l.Emit(op.COPY, op.Mods{}, t[:1], p[0])
	hi := p[1]
	if a[1].Kind != ori.KZero {
		hi = l.Imad(a[1], b[0], hi)
	}
	if b[1].Kind != ori.KZero {
		hi = l.Imad(a[0], b[1], hi)
	}
	l.Emit(op.COPY, op.Mods{}, t[1:], hi)
	return t
}

// luts of the two-input operations: bit n of the table is the result for
// the inputs whose pattern is 0xf0, 0xcc, 0xaa at bit n.
const (
	LutAnd = 0xf0 & 0xcc
	LutOr  = 0xf0 | 0xcc
	LutXor = 0xf0 ^ 0xcc
	LutNot = 0xff &^ 0xf0
)

// F32 is an f32 constant.
func F32(v float32) ori.Operand { return Word(math.Float32bits(v)) }

// Absolute returns |x| of an f32 or f64 value; constants fold.
func Absolute(o ori.Operand) ori.Operand {
	switch o.Kind {
	case ori.KImm:
		return Word(uint32(o.Imm) &^ (1 << 31))
	case ori.KZero:
		return o
	}
	o.Flags = o.Flags&^ori.Neg | ori.Abs
	return o
}

// Smallest is the smallest normal f32, 2^-126.
const Smallest = 0x00800000

// Lane returns bits of a word from a place on, extended to a word.
func (l *Writer) Lane(w ori.Operand, first, bits int, signed bool) ori.Operand {
	if bits == 32 {
		return w
	}
	b := uint32(first / 8)
	top := b + uint32(bits/8) - 1
	fill := uint32(7) // a byte of the zero register
	if signed {
		fill = top | 8
	}
	sel := b
	for k := uint32(1); k < 4; k++ {
		x := fill
		if k < uint32(bits/8) {
			x = b + k
		}
		sel |= x << (4 * k)
	}
	return l.One(op.PRMT, op.Mods{}, w, ori.Imm(int64(sel)), RZ())
}

// Arithmetic on integer values of one or two words, so that an expansion is
// written once for both widths.

// Iadd returns a+b of one word.
func (l *Writer) Iadd(a, b ori.Operand) ori.Operand {
	return l.One(op.IADD3, op.Mods{}, a, b, RZ())
}

// Imad returns the low word of a*b+c.
func (l *Writer) Imad(a, b, c ori.Operand) ori.Operand { return l.One(op.IMAD, op.Mods{}, a, b, c) }

// Lop returns a bitwise function of three words.
func (l *Writer) Lop(lut int64, a, b, c ori.Operand) ori.Operand {
	return l.One(op.LOP3, op.M(op.MLUT), a, b, c, ori.Imm(lut))
}

// and2, or2 and xor2 return the bitwise functions of two words.
func (l *Writer) And2(a, b ori.Operand) ori.Operand { return l.Lop(LutAnd, a, b, RZ()) }

func (l *Writer) Or2(a, b ori.Operand) ori.Operand { return l.Lop(LutOr, a, b, RZ()) }

func (l *Writer) Xor2(a, b ori.Operand) ori.Operand { return l.Lop(LutXor, a, b, RZ()) }

// shl1, shr1 and sar1 shift one word; counts of 32 and more are clamped.
func (l *Writer) Shl1(a, n ori.Operand) ori.Operand {
	return l.One(op.SHF, op.M(op.ML, op.MU32), a, n, RZ())
}

func (l *Writer) Shr1(a, n ori.Operand) ori.Operand {
	return l.One(op.SHF, op.M(op.MR, op.MU32, op.MHI), RZ(), n, a)
}

func (l *Writer) Sar1(a, n ori.Operand) ori.Operand {
	return l.One(op.SHF, op.M(op.MR, op.MS32, op.MHI), RZ(), n, a)
}

// Sel1 returns a where p holds and b elsewhere.
func (l *Writer) Sel1(a, b, p ori.Operand) ori.Operand {
	d := l.Tmp(1)
	l.selTo(d, a, b, p)
	return d[0]
}

// selTo is sel1 to a given place. The machine takes a constant as the second
// source only.
func (l *Writer) selTo(d Value, a, b, p ori.Operand) {
	if a.Kind == ori.KImm && b.Kind != ori.KImm {
		a, b, p = b, a, p.Not()
	}
	l.Emit(op.SEL, op.Mods{}, d, a, b, p)
}

// Sel is sel1 of whole values.
func (l *Writer) Sel(a, b Value, p ori.Operand) Value {
	r := l.Tmp(len(a))
	for k := range a {
		l.selTo(r[k:k+1], a[k], b[k], p)
	}
	return r
}

// AddIf adds b to d, or subtracts it, where p holds.
func (l *Writer) AddIf(p ori.Operand, d, b Value, sub bool) {
	lo, hi := b[0], b[len(b)-1]
	if sub {
		lo, hi = Negate(lo), Invert(hi)
	}
	if len(d) == 1 {
		l.EmitIf(p, op.IADD3, op.Mods{}, d, d[0], lo, RZ())
		return
	}
	c := l.Pred()
	l.EmitIf(p, op.IADD3, op.Mods{}, Value{d[0], c}, d[0], lo, RZ())
	l.EmitIf(p, op.IADD3, op.M(op.MX), d[1:], d[1], hi, RZ(), c, PT().Not())
}

// EmitIf emits an instruction that is executed where p holds.
func (l *Writer) EmitIf(p ori.Operand, o op.Op, m op.Mods, dsts Value, srcs ...ori.Operand) {
	l.Emit(o, m, dsts, srcs...).Guard = p
}

// Cmp1 compares two words.
func (l *Writer) Cmp1(c op.Mod, signed bool, a, b ori.Operand) ori.Operand {
	m := op.M(c, op.MAND)
	if !signed {
		m = op.M(c, op.MU32, op.MAND)
	}
	return l.Test(op.ISETP, m, a, b, PT())
}

// Cmp compares two values.
func (l *Writer) Cmp(c op.Mod, signed bool, a, b Value) ori.Operand {
	if len(a) == 1 {
		return l.Cmp1(c, signed, a[0], b[0])
	}
	return l.Less64(a, b, c, signed)
}

// Plop returns a function of two predicates.
func (l *Writer) Plop(lut int64, a, b ori.Operand) ori.Operand {
	return l.Test(op.PLOP3, op.M(op.MLUT), a, b, PT(), ori.Imm(lut), ori.Imm(0))
}

// Sum and diff add and subtract values.
func (l *Writer) Sum(a, b Value) Value {
	if len(a) == 1 {
		return Value{l.Iadd(a[0], b[0])}
	}
	return l.Add64(a, b, false)
}

func (l *Writer) Diff(a, b Value) Value {
	if len(a) == 1 {
		return Value{l.Iadd(a[0], Negate(b[0]))}
	}
	return l.Add64(a, b, true)
}

// Negated returns -a.
func (l *Writer) Negated(a Value) Value { return l.Diff(Imm(0, len(a)), a) }

// Times returns the low half of a*b.
func (l *Writer) Times(a, b Value) Value {
	if len(a) == 1 {
		return Value{l.Imad(a[0], b[0], RZ())}
	}
	return l.Mul64(a, b, Value{RZ(), RZ()})
}

// High returns the high half of a*b.
func (l *Writer) High(a, b Value, signed bool) Value {
	if len(a) == 1 {
		m := op.M(op.MHI, op.MU32)
		if signed {
			m = op.M(op.MHI)
		}
		return Value{l.One(op.IMAD, m, l.Reg(a[0]), b[0], RZ())}
	}
	return l.high64(a, b, signed)
}

// high64 returns the high 64 bits of a 64-bit product. The products of unlike
// words are summed to three words, the carry of the low ones joins them, and
// all is added to the product of the high words. A negative factor makes the
// unsigned product too large by the other factor.
func (l *Writer) high64(a, b Value, signed bool) Value {
	u32 := op.M(op.MWIDE, op.MU32)
	a0, a1 := l.Reg(a[0]), l.Reg(a[1])
	one, mid, low, h := l.Tmp(2), l.Tmp(2), l.Tmp(2), l.Tmp(2)
	top, carry, c := l.Tmp(2), l.Pred(), l.Pred()
	l.Emit(op.IMAD, u32, Value{Whole(one)}, a1, b[0], RZ())
	l.Emit(op.IMAD, u32, Value{Whole(mid), carry}, a0, b[1], Whole(one))
	l.Emit(op.IMAD, u32, Value{Whole(low)}, a0, b[0], RZ())
	l.Emit(op.COPY, op.Mods{}, top[:1], mid[1])
	l.Emit(op.IADD3, op.M(op.MX), top[1:], RZ(), RZ(), RZ(), carry, PT().Not())
	l.Emit(op.IADD3, op.Mods{}, Value{l.Tmp(1)[0], c}, low[1], mid[0], RZ())
	l.Emit(op.IMAD, u32.With(op.MX), Value{Whole(h)}, a1, b[1], Whole(top), c)
	if !signed {
		return h
	}
	for _, f := range [...][2]Value{{a, b}, {b, a}} {
		s := l.Sar1(f[0][1], ori.Imm(31))
		h = l.Add64(h, Value{l.And2(f[1][0], s), l.And2(f[1][1], s)}, true)
	}
	return h
}

// shl, shr and sar shift a value by a word; counts beyond the width are
// clamped as PTX wants.
func (l *Writer) Shl(a Value, n ori.Operand) Value {
	if len(a) == 1 {
		return Value{l.Shl1(a[0], n)}
	}
	r := l.Tmp(2)
	l.Emit(op.SHF, op.M(op.ML, op.MU64, op.MHI), r[1:], a[0], n, a[1])
	l.Emit(op.SHF, op.M(op.ML, op.MU32), r[:1], a[0], n, RZ())
	return r
}

func (l *Writer) Shr(a Value, n ori.Operand) Value {
	if len(a) == 1 {
		return Value{l.Shr1(a[0], n)}
	}
	return l.right64(a, n, op.MU64, op.MU32)
}

func (l *Writer) Sar(a Value, n ori.Operand) Value {
	if len(a) == 1 {
		return Value{l.Sar1(a[0], n)}
	}
	return l.right64(a, n, op.MS64, op.MS32)
}

// right64 shifts two words to the right, as unsigned or signed.
func (l *Writer) right64(a Value, n ori.Operand, both, high op.Mod) Value {
	r := l.Tmp(2)
	l.Emit(op.SHF, op.M(op.MR, both), r[:1], a[0], n, a[1])
	l.Emit(op.SHF, op.M(op.MR, high, op.MHI), r[1:], RZ(), n, a[1])
	return r
}

// IsZero tests a value for zero.
func (l *Writer) IsZero(a Value) ori.Operand {
	w := a[0]
	if len(a) == 2 {
		w = l.Or2(a[0], a[1])
	}
	return l.Cmp1(op.MEQ, false, w, RZ())
}

// isNegative tests the sign of a value.
func (l *Writer) isNegative(a Value) ori.Operand {
	return l.Cmp1(op.MLT, true, a[len(a)-1], RZ())
}

// Magnitude returns |a| as an unsigned value.
func (l *Writer) Magnitude(a Value) Value {
	if len(a) == 1 {
		return Value{l.One(op.IABS, op.Mods{}, l.Reg(a[0]))}
	}
	return l.Sel(l.Negated(a), a, l.isNegative(a))
}

// Known returns the constant a value is.
func Known(a Value) (v uint64, ok bool) {
	for k, w := range a {
		switch w.Kind {
		case ori.KImm:
			v |= uint64(uint32(w.Imm)) << (32 * k)
		case ori.KZero:
		default:
			return 0, false
		}
	}
	return v, true
}
