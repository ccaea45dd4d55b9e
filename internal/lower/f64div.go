package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Division, reciprocal and square root of f64.

// Bits of f64 numbers, as they stand in the high word.
const (
	one64  = 0x3ff00000
	half64 = 0x3fe00000
	inf64  = 0x7ff00000
	abs64  = 0x7fffffff
	sign64 = 1 << 31
)

// imm64 is an f64 constant whose low word is zero: the machine's immediates
// hold the high word.
func imm64(hi uint32) ori.Operand { return ori.Imm32(hi) }

// dfma and dmul compute in f64, rounded to nearest.
func (l *lowerer) dfma(a, b, c ori.Operand) value {
	r := l.tmp(2)
	l.emit(op.DFMA, op.Mods{}, value{whole(r)}, a, b, c)
	return r
}

func (l *lowerer) dmul(a, b ori.Operand) value {
	r := l.tmp(2)
	l.emit(op.DMUL, op.Mods{}, value{whole(r)}, a, b)
	return r
}

// estimate returns the special function unit's estimate of a function of an
// f64: 20 bits or so in the high word, over a low word.
func (l *lowerer) estimate(fn op.Mod, a value, low ori.Operand) value {
	r := l.tmp(2)
	l.emit(op.MUFU, op.M(fn), r[1:], a[1])
	l.copy(r[:1], value{low})
	return r
}

// inverse returns 1/b of an ordinary number rounded to nearest. With
// e = 1-b*y, y(1+e+e²) is right to three times as many bits as y and less
// than a unit of the last place from 1/b; one more step rounds it right,
// whatever b is but for one fraction, all ones. For that one the low word of
// the first estimate must not be zero (TestInverse64).
func (l *lowerer) inverse(b value, low ori.Operand) value {
	y := l.estimate(op.MRCP64H, b, low)
	nb := whole(b).Negate()
	e := l.dfma(nb, whole(y), imm64(one64))
	e = l.dfma(whole(e), whole(e), whole(e))
	y = l.dfma(whole(y), whole(e), whole(y))
	e = l.dfma(nb, whole(y), imm64(one64))
	return l.dfma(whole(y), whole(e), whole(y))
}

// quotient returns a/b rounded to nearest, given 1/b.
func (l *lowerer) quotient(a, b, y value) value {
	q := l.dmul(whole(a), whole(y))
	r := l.dfma(whole(b).Negate(), whole(q), whole(a))
	return l.dfma(whole(r), whole(y), whole(q))
}

// toward rounds what q is the nearest number of to the side round says, given
// the exact rest and a factor k that makes it a difference of results: q+rest*k
// lies on the right side of q, less than half a unit from it.
func (l *lowerer) toward(q, rest, k value, round op.Mod) value {
	r := l.tmp(2)
	l.emit(op.DFMA, mods(round), value{whole(r)}, whole(rest), whole(k), whole(q))
	return r
}

// inverseRoot returns the estimate y of 1/sqrt(x), over a low word, refined
// by y·e·(1/2+3/8·e) with e = 1-x*y².
func (l *lowerer) inverseRoot(x value, low ori.Operand) value {
	y := l.estimate(op.MRSQ64H, x, low)
	e := l.dfma(whole(x), whole(l.dmul(whole(y), whole(y))).Negate(), imm64(one64))
	c := l.dfma(whole(e), whole(l.pair(imm(0x3fd8000000000000, 2))), imm64(half64))
	return l.dfma(whole(c), whole(l.dmul(whole(y), whole(e))), whole(y))
}

// root returns the square root of an ordinary number.
func (l *lowerer) root(x value, low ori.Operand, round op.Mod) value {
	y := l.inverseRoot(x, low)
	s := l.dmul(whole(x), whole(y))
	h := l.pair(value{y[0], l.iadd(y[1], ori.Imm(-0x00100000))}) // half of y
	r := l.dfma(whole(s).Negate(), whole(s), whole(x))
	s = l.dfma(whole(r), whole(h), whole(s))
	if round == op.NoMod {
		return s
	}
	return l.toward(s, l.dfma(whole(s).Negate(), whole(s), whole(x)), h, round)
}

// High words of numbers, read as f32: the machine compares them without
// their signs in one step.
const (
	leastNormal   = 0x00100000 // 2^-1022
	leastDividend = 0x03600000 // 2^-969
)

// div64 gives d a/b in the rounding of the current instruction.
func (l *lowerer) div64(d, a, b value) {
	round := l.rounding()
	y := l.inverse(b, ori.Imm(1))
	q := l.quotient(a, b, y)
	// The steps are good while the residue has all its bits, which a large
	// dividend sees to, and 1/b and the quotient are normal numbers. A divisor
	// from 2^1017 on is an infinity or NaN as f32; with a smaller one the
	// reciprocal is normal, or not finite and the quotient with it.
	p := l.test(op.FSETP, op.M(op.MGEU, op.MAND), absolute(a[1]), ori.Imm(leastDividend), pt())
	x := l.ffma(rz(), b[1], q[1])
	p = l.test(op.FSETP, op.M(op.MGT, op.MAND), absolute(x), ori.Imm(leastNormal), p)
	if round != op.NoMod {
		q = l.toward(q, l.dfma(whole(b).Negate(), whole(q), whole(a)), y, round)
	}
	l.quickOr(d, q, p.Not(), wayDiv64, round, false, append(append(value(nil), a...), b...))
}

// rcp64 gives d 1/b in the rounding of the current instruction.
func (l *lowerer) rcp64(d, b value) {
	round := l.rounding()
	// Divisors from 2^-1022 to below 2^1022 are moved up by three exponents
	// and a little: those outside come to lie next to zero, on either side.
	// The same word serves as the low one of the estimate.
	const up, least = 0x00300402, leastNormal + 0x00300402
	low := l.iadd(b[1], ori.Imm(up))
	y := l.inverse(b, low)
	p := l.test(op.FSETP, op.M(op.MGEU, op.MAND), absolute(low), ori.Imm(least), pt())
	if round != op.NoMod {
		y = l.toward(y, l.dfma(whole(b).Negate(), whole(y), imm64(one64)), y, round)
	}
	l.quickOr(d, y, p.Not(), wayDiv64, round, false, append(imm(one64<<32, 2), b...))
}

// normal splits an f64 into a number in [1, 2) and its biased exponent.
func (l *lowerer) normal(a value) (m value, e ori.Operand) {
	abs := l.pair(value{a[0], l.and2(a[1], ori.Imm(abs64))})
	tiny := l.cmp1(op.MLT, false, abs[1], ori.Imm(0x00100000))
	up := l.dmul(whole(abs), imm64(0x43500000)) // 2^54
	v := l.sel(up, abs, tiny)
	e = l.iadd(l.shr1(v[1], ori.Imm(20)), l.sel1(ori.Imm(-54), rz(), tiny))
	// fraction of v below the exponent of one
	hi := l.lop(0xf0&0xcc|0xaa&^0xcc, v[1], ori.Imm(0xfffff), ori.Imm(one64))
	return l.pair(value{v[0], hi}), e
}

// div64Exact divides any two numbers in any rounding. The quotient of the
// fractions, rounded to nearest, and the sign of what is left give the true
// quotient to a quarter of the last place, all that rounding it at any
// place further up needs to know; the rest is integer arithmetic.
func (l *lowerer) div64Exact(a, b value, round op.Mod) value {
	// what is odd comes first, then the operands need not be kept
	odd, isOdd := l.oddQuotient(a, b), l.plop(lutOr, l.odd64(a), l.odd64(b))
	sign := l.and2(l.xor2(a[1], b[1]), ori.Imm32(sign64))
	ma, ea := l.normal(a)
	mb, eb := l.normal(b)
	q := l.quotient(ma, mb, l.inverse(mb, ori.Imm(1)))
	rest := l.dfma(whole(mb).Negate(), whole(q), whole(ma))
	e := l.one(op.IADD3, op.Mods{}, ea, negate(eb), l.shr1(q[1], ori.Imm(20)))
	frac := value{q[0], l.lop(0xf0&0xcc|0xaa&^0xcc, q[1], ori.Imm(0xfffff), ori.Imm(0x100000))}
	left := l.test(op.DSETP, op.M(op.MNEU, op.MAND), whole(rest), rz(), pt())
	dir := l.sel1(l.or2(l.sar1(rest[1], ori.Imm(31)), ori.Imm(1)), rz(), left)
	n := l.sum(l.shl(frac, ori.Imm(2)), value{dir, l.sar1(dir, ori.Imm(31))})
	return l.sel(odd, l.packDouble(n, e, sign, round), isOdd)
}

// packDouble rounds n·2^-54·2^(e-1023), n of 55 bits, to an f64 with a sign.
func (l *lowerer) packDouble(n value, e, sign ori.Operand, round op.Mod) value {
	// places dropped: two, and one more for each below the normal numbers
	drop := l.min1(op.Mods{}, l.iadd(ori.Imm(3), negate(e)), ori.Imm(2), pt().Not())
	drop = l.min1(op.Mods{}, drop, ori.Imm(63), pt())
	f := l.shr(n, drop)
	rem := l.shl(n, l.iadd(ori.Imm(64), negate(drop)))
	base := l.min1(op.Mods{}, l.iadd(e, ori.Imm(-1)), rz(), pt().Not())
	f = value{f[0], l.iadd(f[1], l.shl1(base, ori.Imm(20)))}
	huge := value{rz(), ori.Imm32(inf64)}
	biggest := value{ori.Imm32(^uint32(0)), ori.Imm32(inf64 - 1)}
	neg := l.cmp1(op.MLT, true, sign, rz())
	var up ori.Operand
	switch round {
	case op.NoMod: // above half, or half of an odd number
		tie := l.lop(0xf0|0xcc&0xaa, rem[0], f[0], ori.Imm(1))
		up = l.less64(value{tie, rem[1]}, value{rz(), ori.Imm32(1 << 31)}, op.MGT, false)
	case op.MRZ:
		huge = biggest
	default: // away from zero on one side
		up = l.test(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), l.or2(rem[0], rem[1]), rz(), pick(round == op.MRM, neg, neg.Not()))
		if round == op.MRM {
			huge = l.sel(huge, biggest, neg)
		} else {
			huge = l.sel(biggest, huge, neg)
		}
	}
	if round != op.MRZ {
		f = l.add64(f, value{l.sel1(ori.Imm(1), rz(), up), rz()}, false)
	}
	f = l.sel(huge, f, l.cmp1(op.MGE, false, f[1], ori.Imm32(inf64)))
	return value{f[0], l.or2(f[1], sign)}
}

// odd64 tells whether an f64 is zero, infinite or not a number.
func (l *lowerer) odd64(a value) ori.Operand {
	hi := l.and2(a[1], ori.Imm(abs64))
	zero := l.cmp1(op.MEQ, false, l.or2(hi, a[0]), rz())
	return l.test(op.ISETP, op.M(op.MGE, op.MU32, op.MOR), hi, ori.Imm32(inf64), zero)
}

// oddQuotient returns a/b where one of them is zero, infinite or not a
// number: the product with the reciprocal, ordinary divisors taken as one.
func (l *lowerer) oddQuotient(a, b value) value {
	y := l.one(op.MUFU, op.M(op.MRCP64H), b[1]) // exact for zero and infinity
	nan := l.test(op.DSETP, op.M(op.MNAN, op.MAND), whole(b), whole(b), pt())
	unit := l.lop(0xf0&0xcc|0xaa&^0xcc, b[1], ori.Imm32(sign64), ori.Imm(one64))
	hi := l.sel1(b[1], l.sel1(y, unit, l.odd64(b)), nan)
	lo := l.sel1(b[0], rz(), nan)
	q := l.dmul(whole(l.pair(value{lo, hi})), whole(a))
	nanA := l.test(op.DSETP, op.M(op.MNAN, op.MAND), whole(a), whole(a), pt())
	return l.sel(l.dmul(whole(a), imm64(one64)), q, nanA) // of two NaNs the dividend's is kept
}

// sqrt64 gives d the root of x in the rounding of the current instruction.
func (l *lowerer) sqrt64(d, x value) {
	// Good from 2^-970 on, below that the residue loses bits. The difference
	// serves as the low word of the estimate too.
	const least, above = 0x03500000, inf64
	round, low := l.rounding(), l.iadd(x[1], ori.Imm(-least))
	s := l.root(x, low, round)
	l.quickOr(d, s, l.cmp1(op.MGE, false, low, ori.Imm(above-least)), wayRoot64, round, false, x)
}

// sqrt64Exact takes the root of any number in any rounding. Small ones are
// scaled by 2^108 and their roots back by 2^-54.
func (l *lowerer) sqrt64Exact(x value, round op.Mod) value {
	small := l.cmp1(op.MLT, true, x[1], ori.Imm(0x07000000))
	v := l.sel(l.dmul(whole(x), imm64(0x46b00000)), x, small)
	s := l.root(v, rz(), round)
	back := l.iadd(s[1], ori.Imm(-54<<20))
	s = value{s[0], l.sel1(back, s[1], small)}
	return l.oddRoot(x, s)
}

// oddRoot returns s, the root of x, or for zeros, infinities, NaNs and
// negative numbers what they have for one.
func (l *lowerer) oddRoot(x, s value) value {
	odd := l.dmul(whole(x), imm64(one64)) // a NaN becomes quiet
	neg := l.test(op.DSETP, op.M(op.MLT, op.MAND), whole(x), rz(), pt())
	s = l.sel(odd, s, l.odd64(x))
	return l.sel(value{rz(), ori.Imm32(0xfff80000)}, s, neg)
}

// rsqrt64 lowers rsqrt.approx.f64.
func (l *lowerer) rsqrt64(d, x value) {
	p := l.cmp1(op.MGE, false, l.iadd(x[1], ori.Imm(-leastNormal)), ori.Imm(inf64-leastNormal))
	l.quickOr(d, l.inverseRoot(x, rz()), p, wayInverseRoot, op.NoMod, false, x)
}

// rsqrt64Exact takes any number. Subnormal ones are scaled by 2^54 and the
// result back by 2^27.
func (l *lowerer) rsqrt64Exact(x value) value {
	tiny := l.cmp1(op.MLT, false, l.and2(x[1], ori.Imm(abs64)), ori.Imm(leastNormal))
	v := l.sel(l.dmul(whole(x), imm64(0x43500000)), x, tiny)
	y := l.inverseRoot(v, rz())
	y = value{y[0], l.sel1(l.iadd(y[1], ori.Imm(27<<20)), y[1], tiny)}
	// infinity gives zero, a zero infinity of its sign
	hi := l.and2(x[1], ori.Imm(abs64))
	zero := l.cmp1(op.MEQ, false, l.or2(hi, x[0]), rz())
	odd := value{rz(), l.sel1(l.or2(x[1], ori.Imm32(inf64)), rz(), zero)}
	nan := l.test(op.DSETP, op.M(op.MNAN, op.MAND), whole(x), whole(x), pt())
	odd = l.sel(l.dmul(whole(x), imm64(one64)), odd, nan)
	y = l.sel(odd, y, l.odd64(x))
	neg := l.test(op.DSETP, op.M(op.MLT, op.MAND), whole(x), rz(), pt())
	return l.sel(value{rz(), ori.Imm32(0xfff80000)}, y, neg)
}

// exactMufu lowers rcp, sqrt and rsqrt beyond what the special function
// unit gives by itself.
func (l *lowerer) exactMufu(t isa.Type) {
	l.knows(isa.WRn)
	d := l.dst(0)
	if t != isa.F64 {
		a := l.reg(l.src1(1, t))
		if l.in.Op == isa.WRcp {
			l.rcp32(d[:1], a)
		} else {
			l.sqrt32(d[:1], a)
		}
		return
	}
	a := l.pair(l.src(1, t))
	switch {
	case l.has(isa.WApprox) && l.has(isa.WFtz): // the unit's own
		fn := op.MRCP64H
		if l.in.Op == isa.WRsqrt {
			fn = op.MRSQ64H
		}
		l.copy(d, l.estimate(fn, a, rz()))
	case l.in.Op == isa.WRsqrt:
		l.rsqrt64(d, a)
	case l.in.Op == isa.WRcp:
		l.rcp64(d, a)
	default:
		l.sqrt64(d, a)
	}
}
