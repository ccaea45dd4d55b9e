package expand

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Fma32 returns a*b+c rounded to nearest.
func Fma32(l *Writer, a, b, c ori.Operand) ori.Operand {
	return l.One(op.FFMA, op.Mods{}, a, b, c)
}

// flush returns an f32 with a zero in place of a subnormal number.
func flush(l *Writer, a ori.Operand) ori.Operand {
	return l.One(op.FADD, op.M(op.MFTZ), a, RZ().Negate())
}

const One32 = 0x3f800000

// oddQuotient32 tells whether an f32 is zero, infinite or not a number.
func oddQuotient32(l *Writer, a ori.Operand) ori.Operand {
	bits := l.And2(a, ori.Imm(0x7fffffff))
	return l.Cmp1(op.MGE, false, l.Iadd(bits, ori.Imm(-1)), ori.Imm(0x7f7fffff))
}

// Div32Exact divides any two numbers in any rounding. The quotient of the
// fractions, rounded to nearest, and the sign of what is left give the true
// Quotient64 to a quarter of the last place; the rest is integer arithmetic.
// Zeros, infinities and NaNs are multiplied with the unit's reciprocal, which
// is exact for them and for the one that takes the place of an ordinary
// divisor.
func Div32Exact(l *Writer, a, b ori.Operand, round op.Mod, ftz bool) ori.Operand {
	if ftz {
		a, b = flush(l, a), flush(l, b)
	}
	oddB := oddQuotient32(l, b)
	unit := l.Lop(0xf0&0xcc|0xaa&^0xcc, b, ori.Imm32(1<<31), ori.Imm(One32))
	odd := l.One(op.FMUL, op.Mods{}, a, l.One(op.MUFU, op.M(op.MRCP), l.Sel1(b, unit, oddB)))
	isOdd := l.Plop(LutOr, oddQuotient32(l, a), oddB)
	return l.to.Unless(isOdd, Value{odd}, func() Value { return Value{ordinary32(l, a, b, round, ftz)} })[0]
}

// ordinary32 divides what is neither zero, infinite nor no number.
func ordinary32(l *Writer, a, b ori.Operand, round op.Mod, ftz bool) ori.Operand {
	sign := l.And2(l.Xor2(a, b), ori.Imm32(1<<31))
	ma, ea := normal32(l, a)
	mb, eb := normal32(l, b)
	q := Quotient32(l, ma, mb, op.NoMod)
	rest := Fma32(l, mb.Negate(), q, ma)
	e := l.One(op.IADD3, op.Mods{}, ea, Negate(eb), l.Shr1(q, ori.Imm(23)))
	frac := l.Lop(0xf0&0xcc|0xaa&^0xcc, q, ori.Imm(0x7fffff), ori.Imm(0x800000))
	left := l.Test(op.FSETP, op.M(op.MNEU, op.MAND), rest, RZ(), PT())
	dir := l.Sel1(l.Or2(l.Sar1(rest, ori.Imm(31)), ori.Imm(1)), RZ(), left)
	return packSingle(l, l.Imad(frac, ori.Imm(4), dir), e, sign, round, ftz)
}

// normal32 splits an f32 into a number in [1, 2) and its biased exponent.
func normal32(l *Writer, a ori.Operand) (m, e ori.Operand) {
	abs := l.And2(a, ori.Imm(0x7fffffff))
	tiny := l.Cmp1(op.MLT, false, abs, ori.Imm(Smallest))
	v := l.Sel1(l.One(op.FMUL, op.Mods{}, abs, F32(1<<24)), abs, tiny)
	e = l.Iadd(l.Shr1(v, ori.Imm(23)), l.Sel1(ori.Imm(-24), RZ(), tiny))
	return l.Lop(0xf0&0xcc|0xaa&^0xcc, v, ori.Imm(0x7fffff), ori.Imm(One32)), e
}

// packSingle rounds n·2^-25·2^(e-127), n of 26 bits, to an f32 with a sign.
// With ftz all places are kept and results below the normal numbers are zero.
func packSingle(l *Writer, n, e, sign ori.Operand, round op.Mod, ftz bool) ori.Operand {
	const inf32 = 0x7f800000
	drop, base := ori.Imm(2), l.Iadd(e, ori.Imm(-1))
	if !ftz { // two places, and one more for each below the normal numbers
		drop = Min1(l, op.Mods{}, l.Iadd(ori.Imm(3), Negate(e)), ori.Imm(2), PT().Not())
		drop = Min1(l, op.Mods{}, drop, ori.Imm(31), PT())
		base = Min1(l, op.Mods{}, base, RZ(), PT().Not())
	}
	base = Min1(l, op.Mods{}, base, ori.Imm(254), PT())
	rem := l.Shl1(n, l.Iadd(ori.Imm(32), Negate(drop)))
	f := l.Imad(base, ori.Imm(1<<23), l.Shr1(n, drop))
	huge, biggest := ori.Imm(inf32), ori.Imm(inf32-1)
	neg := l.Cmp1(op.MLT, true, sign, RZ())
	switch round {
	case op.NoMod: // above half, or half of an odd number
		tie := l.Lop(0xf0|0xcc&0xaa, rem, f, ori.Imm(1))
		f = plusOne(l, f, l.Cmp1(op.MGT, false, tie, ori.Imm32(1<<31)))
	case op.MRZ:
		huge = biggest
	default: // away from zero on one side
		away := Pick(round == op.MRM, neg, neg.Not())
		f = plusOne(l, f, l.Test(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), rem, RZ(), away))
		huge = l.Sel1(l.Reg(huge), biggest, away)
	}
	f = l.Sel1(huge, f, l.Cmp1(op.MGE, ftz, f, ori.Imm(inf32)))
	if ftz {
		f = l.Sel1(RZ(), f, l.Cmp1(op.MLT, true, f, ori.Imm(Smallest)))
	}
	return l.Or2(f, sign)
}

// plusOne adds one where p holds.
func plusOne(l *Writer, a, p ori.Operand) ori.Operand {
	return l.Iadd(a, l.Sel1(ori.Imm(1), RZ(), p))
}

// Quotient32 returns a/b while nothing leaves the normal range. The refined
// reciprocal is rounded to nearest, and the residue of the first quotient is
// exact (TestQuotient32).
func Quotient32(l *Writer, a, b ori.Operand, round op.Mod) ori.Operand {
	y := l.One(op.MUFU, op.M(op.MRCP), b)
	y = Fma32(l, y, Fma32(l, b.Negate(), y, ori.Imm(One32)), y)
	q := Fma32(l, a, y, RZ())
	q = Fma32(l, y, Fma32(l, b.Negate(), q, a), q)
	if round == op.NoMod {
		return q
	}
	return Toward32(l, q, Fma32(l, b.Negate(), q, a), y, round)
}

// Toward32 rounds what q is the nearest number of to the side round says, as
// Toward64 does.
func Toward32(l *Writer, q, rest, k ori.Operand, round op.Mod) ori.Operand {
	return l.One(op.FFMA, op.Mods{}.With(round), rest, k, q)
}

// Root32 returns the root of an ordinary number.
func Root32(l *Writer, x ori.Operand, round op.Mod) ori.Operand {
	y := l.One(op.MUFU, op.M(op.MRSQ), x)
	s := l.One(op.FMUL, op.Mods{}, x, y)
	h := l.One(op.FMUL, op.Mods{}, y, F32(0.5))
	s = Fma32(l, Fma32(l, s.Negate(), s, x), h, s)
	if round == op.NoMod {
		return s
	}
	return Toward32(l, s, Fma32(l, s.Negate(), s, x), h, round)
}

// Sqrt32Exact takes the root of any number in any rounding. Small ones are
// scaled by 2^64 and their roots back by 2^-32. The unit is right for zeros,
// infinities, NaNs and negative numbers; scaled, a subnormal negative number
// is not taken for zero.
func Sqrt32Exact(l *Writer, x ori.Operand, round op.Mod, ftz bool) ori.Operand {
	if ftz {
		x = flush(l, x)
	}
	odd := l.One(op.MUFU, op.M(op.MSQRT), l.One(op.FMUL, op.Mods{}, x, F32(1<<24)))
	isOdd := l.Cmp1(op.MGE, false, l.Iadd(x, ori.Imm(-1)), ori.Imm(0x7f7fffff))
	small := l.Cmp1(op.MLT, true, x, ori.Imm(0x0d000000))
	v := l.Sel1(l.One(op.FMUL, op.Mods{}, x, F32(1<<64)), x, small)
	s := Root32(l, v, round)
	s = l.Sel1(l.One(op.FMUL, op.Mods{}, s, F32(1.0/(1<<32))), s, small)
	return l.Sel1(odd, s, isOdd)
}
