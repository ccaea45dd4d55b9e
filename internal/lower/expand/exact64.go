package expand

import (
	"github.com/goptxas/goptxas/internal/lower/build"
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

// imm64 is an f64 constant whose low word is zero: the machine's immediates
// hold the high word.
func imm64(hi uint32) ori.Operand { return ori.Imm32(hi) }

// dfma and dmul compute in f64, rounded to nearest.
func dfma(l *build.Builder, a, b, c ori.Operand) build.Value {
	r := l.Tmp(2)
	l.Emit(op.DFMA, op.Mods{}, build.Value{build.Whole(r)}, a, b, c)
	return r
}

func dmul(l *build.Builder, a, b ori.Operand) build.Value {
	r := l.Tmp(2)
	l.Emit(op.DMUL, op.Mods{}, build.Value{build.Whole(r)}, a, b)
	return r
}

// estimate returns the special function unit's estimate of a function of an
// f64: 20 bits or so in the high word, over a low word.
func estimate(l *build.Builder, fn op.Mod, a build.Value, low ori.Operand) build.Value {
	r := l.Tmp(2)
	l.Emit(op.MUFU, op.M(fn), r[1:], a[1])
	l.Copy(r[:1], build.Value{low})
	return r
}

// inverse returns 1/b of an ordinary number rounded to nearest. With
// e = 1-b*y, y(1+e+e²) is right to three times as many bits as y and less
// than a unit of the last place from 1/b; one more step rounds it right,
// whatever b is but for one fraction, all ones. For that one the low word of
// the first estimate must not be zero (TestInverse64).
func inverse(l *build.Builder, b build.Value, low ori.Operand) build.Value {
	y := estimate(l, op.MRCP64H, b, low)
	nb := build.Whole(b).Negate()
	e := dfma(l, nb, build.Whole(y), imm64(One64))
	e = dfma(l, build.Whole(e), build.Whole(e), build.Whole(e))
	y = dfma(l, build.Whole(y), build.Whole(e), build.Whole(y))
	e = dfma(l, nb, build.Whole(y), imm64(One64))
	return dfma(l, build.Whole(y), build.Whole(e), build.Whole(y))
}

// quotient returns a/b rounded to nearest, given 1/b.
func quotient(l *build.Builder, a, b, y build.Value) build.Value {
	q := dmul(l, build.Whole(a), build.Whole(y))
	r := dfma(l, build.Whole(b).Negate(), build.Whole(q), build.Whole(a))
	return dfma(l, build.Whole(r), build.Whole(y), build.Whole(q))
}

// toward rounds what q is the nearest number of to the side round says, given
// the exact rest and a factor k that makes it a difference of results: q+rest*k
// lies on the right side of q, less than half a unit from it.
func toward(l *build.Builder, q, rest, k build.Value, round op.Mod) build.Value {
	r := l.Tmp(2)
	l.Emit(op.DFMA, build.Mods(round), build.Value{build.Whole(r)}, build.Whole(rest), build.Whole(k), build.Whole(q))
	return r
}

// inverseRoot returns the estimate y of 1/sqrt(x), over a low word, refined
// by y·e·(1/2+3/8·e) with e = 1-x*y².
func inverseRoot(l *build.Builder, x build.Value, low ori.Operand) build.Value {
	y := estimate(l, op.MRSQ64H, x, low)
	e := dfma(l, build.Whole(x), build.Whole(dmul(l, build.Whole(y), build.Whole(y))).Negate(), imm64(One64))
	c := dfma(l, build.Whole(e), build.Whole(l.Pair(build.Imm(0x3fd8000000000000, 2))), imm64(half64))
	return dfma(l, build.Whole(c), build.Whole(dmul(l, build.Whole(y), build.Whole(e))), build.Whole(y))
}

// root returns the square root of an ordinary number.
func root(l *build.Builder, x build.Value, low ori.Operand, round op.Mod) build.Value {
	y := inverseRoot(l, x, low)
	s := dmul(l, build.Whole(x), build.Whole(y))
	h := l.Pair(build.Value{y[0], l.Iadd(y[1], ori.Imm(-0x00100000))}) // half of y
	r := dfma(l, build.Whole(s).Negate(), build.Whole(s), build.Whole(x))
	s = dfma(l, build.Whole(r), build.Whole(h), build.Whole(s))
	if round == op.NoMod {
		return s
	}
	return toward(l, s, dfma(l, build.Whole(s).Negate(), build.Whole(s), build.Whole(x)), h, round)
}

// High words of numbers, read as f32: the machine compares them without
// their signs in one step.
const (
	leastNormal   = 0x00100000 // 2^-1022
	leastDividend = 0x03600000 // 2^-969
)

// normal splits an f64 into a number in [1, 2) and its biased exponent.
func normal(l *build.Builder, a build.Value) (m build.Value, e ori.Operand) {
	abs := l.Pair(build.Value{a[0], l.And2(a[1], ori.Imm(abs64))})
	tiny := l.Cmp1(op.MLT, false, abs[1], ori.Imm(0x00100000))
	up := dmul(l, build.Whole(abs), imm64(0x43500000)) // 2^54
	v := l.Sel(up, abs, tiny)
	e = l.Iadd(l.Shr1(v[1], ori.Imm(20)), l.Sel1(ori.Imm(-54), build.RZ(), tiny))
	// fraction of v below the exponent of one
	hi := l.Lop(0xf0&0xcc|0xaa&^0xcc, v[1], ori.Imm(0xfffff), ori.Imm(One64))
	return l.Pair(build.Value{v[0], hi}), e
}

// div64Exact divides any two numbers in any rounding. The quotient of the
// fractions, rounded to nearest, and the sign of what is left give the true
// quotient to a quarter of the last place, all that rounding it at any
// place further up needs to know; the rest is integer arithmetic.
func div64Exact(l *build.Builder, a, b build.Value, round op.Mod) build.Value {
	// what is odd comes first, then the operands need not be kept
	odd, isOdd := oddQuotient(l, a, b), l.Plop(build.LutOr, odd64(l, a), odd64(l, b))
	sign := l.And2(l.Xor2(a[1], b[1]), ori.Imm32(sign64))
	ma, ea := normal(l, a)
	mb, eb := normal(l, b)
	q := quotient(l, ma, mb, inverse(l, mb, ori.Imm(1)))
	rest := dfma(l, build.Whole(mb).Negate(), build.Whole(q), build.Whole(ma))
	e := l.One(op.IADD3, op.Mods{}, ea, build.Negate(eb), l.Shr1(q[1], ori.Imm(20)))
	frac := build.Value{q[0], l.Lop(0xf0&0xcc|0xaa&^0xcc, q[1], ori.Imm(0xfffff), ori.Imm(0x100000))}
	left := l.Test(op.DSETP, op.M(op.MNEU, op.MAND), build.Whole(rest), build.RZ(), build.PT())
	dir := l.Sel1(l.Or2(l.Sar1(rest[1], ori.Imm(31)), ori.Imm(1)), build.RZ(), left)
	n := l.Sum(l.Shl(frac, ori.Imm(2)), build.Value{dir, l.Sar1(dir, ori.Imm(31))})
	return l.Sel(odd, packDouble(l, n, e, sign, round), isOdd)
}

// packDouble rounds n·2^-54·2^(e-1023), n of 55 bits, to an f64 with a sign.
func packDouble(l *build.Builder, n build.Value, e, sign ori.Operand, round op.Mod) build.Value {
	// places dropped: two, and one more for each below the normal numbers
	drop := Min1(l, op.Mods{}, l.Iadd(ori.Imm(3), build.Negate(e)), ori.Imm(2), build.PT().Not())
	drop = Min1(l, op.Mods{}, drop, ori.Imm(63), build.PT())
	f := l.Shr(n, drop)
	rem := l.Shl(n, l.Iadd(ori.Imm(64), build.Negate(drop)))
	base := Min1(l, op.Mods{}, l.Iadd(e, ori.Imm(-1)), build.RZ(), build.PT().Not())
	f = build.Value{f[0], l.Iadd(f[1], l.Shl1(base, ori.Imm(20)))}
	huge := build.Value{build.RZ(), ori.Imm32(Inf64)}
	biggest := build.Value{ori.Imm32(^uint32(0)), ori.Imm32(Inf64 - 1)}
	neg := l.Cmp1(op.MLT, true, sign, build.RZ())
	var up ori.Operand
	switch round {
	case op.NoMod: // above half, or half of an odd number
		tie := l.Lop(0xf0|0xcc&0xaa, rem[0], f[0], ori.Imm(1))
		up = l.Less64(build.Value{tie, rem[1]}, build.Value{build.RZ(), ori.Imm32(1 << 31)}, op.MGT, false)
	case op.MRZ:
		huge = biggest
	default: // away from zero on one side
		up = l.Test(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), l.Or2(rem[0], rem[1]), build.RZ(), build.Pick(round == op.MRM, neg, neg.Not()))
		if round == op.MRM {
			huge = l.Sel(huge, biggest, neg)
		} else {
			huge = l.Sel(biggest, huge, neg)
		}
	}
	if round != op.MRZ {
		f = l.Add64(f, build.Value{l.Sel1(ori.Imm(1), build.RZ(), up), build.RZ()}, false)
	}
	f = l.Sel(huge, f, l.Cmp1(op.MGE, false, f[1], ori.Imm32(Inf64)))
	return build.Value{f[0], l.Or2(f[1], sign)}
}

// odd64 tells whether an f64 is zero, infinite or not a number.
func odd64(l *build.Builder, a build.Value) ori.Operand {
	hi := l.And2(a[1], ori.Imm(abs64))
	zero := l.Cmp1(op.MEQ, false, l.Or2(hi, a[0]), build.RZ())
	return l.Test(op.ISETP, op.M(op.MGE, op.MU32, op.MOR), hi, ori.Imm32(Inf64), zero)
}

// oddQuotient returns a/b where one of them is zero, infinite or not a
// number: the product with the reciprocal, ordinary divisors taken as one.
func oddQuotient(l *build.Builder, a, b build.Value) build.Value {
	y := l.One(op.MUFU, op.M(op.MRCP64H), b[1]) // exact for zero and infinity
	nan := l.Test(op.DSETP, op.M(op.MNAN, op.MAND), build.Whole(b), build.Whole(b), build.PT())
	unit := l.Lop(0xf0&0xcc|0xaa&^0xcc, b[1], ori.Imm32(sign64), ori.Imm(One64))
	hi := l.Sel1(b[1], l.Sel1(y, unit, odd64(l, b)), nan)
	lo := l.Sel1(b[0], build.RZ(), nan)
	q := dmul(l, build.Whole(l.Pair(build.Value{lo, hi})), build.Whole(a))
	nanA := l.Test(op.DSETP, op.M(op.MNAN, op.MAND), build.Whole(a), build.Whole(a), build.PT())
	return l.Sel(dmul(l, build.Whole(a), imm64(One64)), q, nanA) // of two NaNs the dividend's is kept
}

// sqrt64Exact takes the root of any number in any rounding. Small ones are
// scaled by 2^108 and their roots back by 2^-54.
func sqrt64Exact(l *build.Builder, x build.Value, round op.Mod) build.Value {
	small := l.Cmp1(op.MLT, true, x[1], ori.Imm(0x07000000))
	v := l.Sel(dmul(l, build.Whole(x), imm64(0x46b00000)), x, small)
	s := root(l, v, build.RZ(), round)
	back := l.Iadd(s[1], ori.Imm(-54<<20))
	s = build.Value{s[0], l.Sel1(back, s[1], small)}
	return oddRoot(l, x, s)
}

// oddRoot returns s, the root of x, or for zeros, infinities, NaNs and
// negative numbers what they have for one.
func oddRoot(l *build.Builder, x, s build.Value) build.Value {
	odd := dmul(l, build.Whole(x), imm64(One64)) // a NaN becomes quiet
	neg := l.Test(op.DSETP, op.M(op.MLT, op.MAND), build.Whole(x), build.RZ(), build.PT())
	s = l.Sel(odd, s, odd64(l, x))
	return l.Sel(build.Value{build.RZ(), ori.Imm32(0xfff80000)}, s, neg)
}

// rsqrt64Exact takes any number. Subnormal ones are scaled by 2^54 and the
// result back by 2^27.
func rsqrt64Exact(l *build.Builder, x build.Value) build.Value {
	tiny := l.Cmp1(op.MLT, false, l.And2(x[1], ori.Imm(abs64)), ori.Imm(leastNormal))
	v := l.Sel(dmul(l, build.Whole(x), imm64(0x43500000)), x, tiny)
	y := inverseRoot(l, v, build.RZ())
	y = build.Value{y[0], l.Sel1(l.Iadd(y[1], ori.Imm(27<<20)), y[1], tiny)}
	// infinity gives zero, a zero infinity of its sign
	hi := l.And2(x[1], ori.Imm(abs64))
	zero := l.Cmp1(op.MEQ, false, l.Or2(hi, x[0]), build.RZ())
	odd := build.Value{build.RZ(), l.Sel1(l.Or2(x[1], ori.Imm32(Inf64)), build.RZ(), zero)}
	nan := l.Test(op.DSETP, op.M(op.MNAN, op.MAND), build.Whole(x), build.Whole(x), build.PT())
	odd = l.Sel(dmul(l, build.Whole(x), imm64(One64)), odd, nan)
	y = l.Sel(odd, y, odd64(l, x))
	neg := l.Test(op.DSETP, op.M(op.MLT, op.MAND), build.Whole(x), build.RZ(), build.PT())
	return l.Sel(build.Value{build.RZ(), ori.Imm32(0xfff80000)}, y, neg)
}
