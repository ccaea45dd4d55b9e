package expand

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Bits of f64 numbers, as they stand in the high word.
const (
	One64  = 0x3ff00000
	half64 = 0x3fe00000
	Inf64  = 0x7ff00000
	abs64  = 0x7fffffff
	sign64 = 1 << 31
)

// Imm64 is an f64 constant whose low word is zero: the machine's immediates
// hold the high word.
func Imm64(hi uint32) ori.Operand { return ori.Imm32(hi) }

// Fma64 and dmul compute in f64, rounded to nearest.
func Fma64(l *Writer, a, b, c ori.Operand) Value {
	r := l.Tmp(2)
	l.Emit(op.DFMA, op.Mods{}, Value{Whole(r)}, a, b, c)
	return r
}

func dmul(l *Writer, a, b ori.Operand) Value {
	r := l.Tmp(2)
	l.Emit(op.DMUL, op.Mods{}, Value{Whole(r)}, a, b)
	return r
}

// Estimate64 returns the special function unit's estimate of a function of an
// f64: 20 bits or so in the high word, over a low word.
func Estimate64(l *Writer, fn op.Mod, a Value, low ori.Operand) Value {
	r := l.Tmp(2)
	l.Emit(op.MUFU, op.M(fn), r[1:], a[1])
	l.Copy(r[:1], Value{low})
	return r
}

// Inverse64 returns 1/b of an ordinary number rounded to nearest. With
// e = 1-b*y, y(1+e+e²) is right to three times as many bits as y and less
// than a unit of the last place from 1/b; one more step rounds it right,
// whatever b is but for one fraction, all ones. For that one the low word of
// the first estimate must not be zero (TestInverse64).
func Inverse64(l *Writer, b Value, low ori.Operand) Value {
	y := Estimate64(l, op.MRCP64H, b, low)
	nb := Whole(b).Negate()
	e := Fma64(l, nb, Whole(y), Imm64(One64))
	e = Fma64(l, Whole(e), Whole(e), Whole(e))
	y = Fma64(l, Whole(y), Whole(e), Whole(y))
	e = Fma64(l, nb, Whole(y), Imm64(One64))
	return Fma64(l, Whole(y), Whole(e), Whole(y))
}

// Quotient64 returns a/b rounded to nearest, given 1/b.
func Quotient64(l *Writer, a, b, y Value) Value {
	q := dmul(l, Whole(a), Whole(y))
	r := Fma64(l, Whole(b).Negate(), Whole(q), Whole(a))
	return Fma64(l, Whole(r), Whole(y), Whole(q))
}

// Toward64 rounds what q is the nearest number of to the side round says, given
// the exact rest and a factor k that makes it a difference of results: q+rest*k
// lies on the right side of q, less than half a unit from it.
func Toward64(l *Writer, q, rest, k Value, round op.Mod) Value {
	r := l.Tmp(2)
	l.Emit(op.DFMA, op.Mods{}.With(round), Value{Whole(r)}, Whole(rest), Whole(k), Whole(q))
	return r
}

// InverseRoot64 returns the estimate y of 1/sqrt(x), over a low word, refined
// by y·e·(1/2+3/8·e) with e = 1-x*y².
func InverseRoot64(l *Writer, x Value, low ori.Operand) Value {
	y := Estimate64(l, op.MRSQ64H, x, low)
	e := Fma64(l, Whole(x), Whole(dmul(l, Whole(y), Whole(y))).Negate(), Imm64(One64))
	c := Fma64(l, Whole(e), Whole(l.Pair(Imm(0x3fd8000000000000, 2))), Imm64(half64))
	return Fma64(l, Whole(c), Whole(dmul(l, Whole(y), Whole(e))), Whole(y))
}

// Root64 returns the square root of an ordinary number.
func Root64(l *Writer, x Value, low ori.Operand, round op.Mod) Value {
	y := InverseRoot64(l, x, low)
	s := dmul(l, Whole(x), Whole(y))
	h := l.Pair(Value{y[0], l.Iadd(y[1], ori.Imm(-0x00100000))}) // half of y
	r := Fma64(l, Whole(s).Negate(), Whole(s), Whole(x))
	s = Fma64(l, Whole(r), Whole(h), Whole(s))
	if round == op.NoMod {
		return s
	}
	return Toward64(l, s, Fma64(l, Whole(s).Negate(), Whole(s), Whole(x)), h, round)
}

// High words of numbers, read as f32: the machine compares them without
// their signs in one step.
const (
	LeastNormal   = 0x00100000 // 2^-1022
	LeastDividend = 0x03600000 // 2^-969
)

// normal splits an f64 into a number in [1, 2) and its biased exponent.
func normal(l *Writer, a Value) (m Value, e ori.Operand) {
	abs := l.Pair(Value{a[0], l.And2(a[1], ori.Imm(abs64))})
	tiny := l.Cmp1(op.MLT, false, abs[1], ori.Imm(0x00100000))
	up := dmul(l, Whole(abs), Imm64(0x43500000)) // 2^54
	v := l.Sel(up, abs, tiny)
	e = l.Iadd(l.Shr1(v[1], ori.Imm(20)), l.Sel1(ori.Imm(-54), RZ(), tiny))
	// fraction of v below the exponent of one
	hi := l.Lop(0xf0&0xcc|0xaa&^0xcc, v[1], ori.Imm(0xfffff), ori.Imm(One64))
	return l.Pair(Value{v[0], hi}), e
}

// Div64Exact divides any two numbers in any rounding. The quotient of the
// fractions, rounded to nearest, and the sign of what is left give the true
// Quotient64 to a quarter of the last place, all that rounding it at any
// place further up needs to know; the rest is integer arithmetic.
func Div64Exact(l *Writer, a, b Value, round op.Mod) Value {
	// what is odd comes first, then the operands need not be kept
	odd, isOdd := oddQuotient(l, a, b), l.Plop(LutOr, odd64(l, a), odd64(l, b))
	return l.to.Unless(isOdd, odd, func() Value { return ordinary64(l, a, b, round) })
}

// ordinary64 divides what is neither zero, infinite nor no number.
func ordinary64(l *Writer, a, b Value, round op.Mod) Value {
	sign := l.And2(l.Xor2(a[1], b[1]), ori.Imm32(sign64))
	ma, ea := normal(l, a)
	mb, eb := normal(l, b)
	q := Quotient64(l, ma, mb, Inverse64(l, mb, ori.Imm(1)))
	rest := Fma64(l, Whole(mb).Negate(), Whole(q), Whole(ma))
	e := l.One(op.IADD3, op.Mods{}, ea, Negate(eb), l.Shr1(q[1], ori.Imm(20)))
	frac := Value{q[0], l.Lop(0xf0&0xcc|0xaa&^0xcc, q[1], ori.Imm(0xfffff), ori.Imm(0x100000))}
	left := l.Test(op.DSETP, op.M(op.MNEU, op.MAND), Whole(rest), RZ(), PT())
	dir := l.Sel1(l.Or2(l.Sar1(rest[1], ori.Imm(31)), ori.Imm(1)), RZ(), left)
	n := l.Sum(l.Shl(frac, ori.Imm(2)), Value{dir, l.Sar1(dir, ori.Imm(31))})
	return packDouble(l, n, e, sign, round)
}

// packDouble rounds n·2^-54·2^(e-1023), n of 55 bits, to an f64 with a sign.
func packDouble(l *Writer, n Value, e, sign ori.Operand, round op.Mod) Value {
	// places dropped: two, and one more for each below the normal numbers
	drop := Min1(l, op.Mods{}, l.Iadd(ori.Imm(3), Negate(e)), ori.Imm(2), PT().Not())
	drop = Min1(l, op.Mods{}, drop, ori.Imm(63), PT())
	f := l.Shr(n, drop)
	rem := l.Shl(n, l.Iadd(ori.Imm(64), Negate(drop)))
	base := Min1(l, op.Mods{}, l.Iadd(e, ori.Imm(-1)), RZ(), PT().Not())
	f = Value{f[0], l.Iadd(f[1], l.Shl1(base, ori.Imm(20)))}
	huge := Value{RZ(), ori.Imm32(Inf64)}
	biggest := Value{ori.Imm32(^uint32(0)), ori.Imm32(Inf64 - 1)}
	neg := l.Cmp1(op.MLT, true, sign, RZ())
	var up ori.Operand
	switch round {
	case op.NoMod: // above half, or half of an odd number
		tie := l.Lop(0xf0|0xcc&0xaa, rem[0], f[0], ori.Imm(1))
		up = l.Less64(Value{tie, rem[1]}, Value{RZ(), ori.Imm32(1 << 31)}, op.MGT, false)
	case op.MRZ:
		huge = biggest
	default: // away from zero on one side
		up = l.Test(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), l.Or2(rem[0], rem[1]), RZ(), Pick(round == op.MRM, neg, neg.Not()))
		if round == op.MRM {
			huge = l.Sel(huge, biggest, neg)
		} else {
			huge = l.Sel(biggest, huge, neg)
		}
	}
	if round != op.MRZ {
		f = l.Add64(f, Value{l.Sel1(ori.Imm(1), RZ(), up), RZ()}, false)
	}
	f = l.Sel(huge, f, l.Cmp1(op.MGE, false, f[1], ori.Imm32(Inf64)))
	return Value{f[0], l.Or2(f[1], sign)}
}

// odd64 tells whether an f64 is zero, infinite or not a number.
func odd64(l *Writer, a Value) ori.Operand {
	hi := l.And2(a[1], ori.Imm(abs64))
	zero := l.Cmp1(op.MEQ, false, l.Or2(hi, a[0]), RZ())
	return l.Test(op.ISETP, op.M(op.MGE, op.MU32, op.MOR), hi, ori.Imm32(Inf64), zero)
}

// oddQuotient returns a/b where one of them is zero, infinite or not a
// number: the product with the reciprocal, ordinary divisors taken as one.
func oddQuotient(l *Writer, a, b Value) Value {
	y := l.One(op.MUFU, op.M(op.MRCP64H), b[1]) // exact for zero and infinity
	nan := l.Test(op.DSETP, op.M(op.MNAN, op.MAND), Whole(b), Whole(b), PT())
	unit := l.Lop(0xf0&0xcc|0xaa&^0xcc, b[1], ori.Imm32(sign64), ori.Imm(One64))
	hi := l.Sel1(b[1], l.Sel1(y, unit, odd64(l, b)), nan)
	lo := l.Sel1(b[0], RZ(), nan)
	q := dmul(l, Whole(l.Pair(Value{lo, hi})), Whole(a))
	nanA := l.Test(op.DSETP, op.M(op.MNAN, op.MAND), Whole(a), Whole(a), PT())
	return l.Sel(dmul(l, Whole(a), Imm64(One64)), q, nanA) // of two NaNs the dividend's is kept
}

// Sqrt64Exact takes the root of any number in any rounding. Small ones are
// scaled by 2^108 and their roots back by 2^-54.
func Sqrt64Exact(l *Writer, x Value, round op.Mod) Value {
	odd := dmul(l, Whole(x), Imm64(One64)) // zeros and infinity are their own roots; a NaN becomes quiet
	return positiveOr(l, x, odd, func() Value {
		small := l.Cmp1(op.MLT, true, x[1], ori.Imm(0x07000000))
		v := l.Sel(dmul(l, Whole(x), Imm64(0x46b00000)), x, small)
		s := Root64(l, v, RZ(), round)
		back := l.Iadd(s[1], ori.Imm(-54<<20))
		return Value{s[0], l.Sel1(back, s[1], small)}
	})
}

// positiveOr returns what rest computes for a positive x, no number for a
// negative one, and odd for zeros, infinity and what is no number.
func positiveOr(l *Writer, x, odd Value, rest func() Value) Value {
	neg := l.Test(op.DSETP, op.M(op.MLT, op.MAND), Whole(x), RZ(), PT())
	odd = l.Sel(Value{RZ(), ori.Imm32(0xfff80000)}, odd, neg)
	return l.to.Unless(l.Plop(LutOr, odd64(l, x), neg), odd, rest)
}

// Rsqrt64Exact takes any number. Subnormal ones are scaled by 2^54 and the
// result back by 2^27.
func Rsqrt64Exact(l *Writer, x Value) Value {
	// infinity gives zero, a zero infinity of its sign
	hi := l.And2(x[1], ori.Imm(abs64))
	zero := l.Cmp1(op.MEQ, false, l.Or2(hi, x[0]), RZ())
	odd := Value{RZ(), l.Sel1(l.Or2(x[1], ori.Imm32(Inf64)), RZ(), zero)}
	nan := l.Test(op.DSETP, op.M(op.MNAN, op.MAND), Whole(x), Whole(x), PT())
	odd = l.Sel(dmul(l, Whole(x), Imm64(One64)), odd, nan)
	return positiveOr(l, x, odd, func() Value {
		tiny := l.Cmp1(op.MLT, false, l.And2(x[1], ori.Imm(abs64)), ori.Imm(LeastNormal))
		v := l.Sel(dmul(l, Whole(x), Imm64(0x43500000)), x, tiny)
		y := InverseRoot64(l, v, RZ())
		return Value{y[0], l.Sel1(l.Iadd(y[1], ori.Imm(27<<20)), y[1], tiny)}
	})
}
