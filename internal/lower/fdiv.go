package lower

import (
	"math"
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Division, reciprocal and square root of f32.
//
// The quick way refines the special function unit's estimate with fused
// multiply-adds and is right while nothing leaves the normal range. All other
// inputs, and all other roundings, go the long way: the same steps on the
// fractions alone, and the exponent, the rounding and what is no number by
// integer arithmetic.

// unlikely runs slow where p holds, out of the way of the other threads.
func (l *lowerer) unlikely(p ori.Operand, slow func()) {
	was := l.guard
	l.guard = ori.Operand{}
	from, aside := l.cur, l.f.NewBlock()
	l.emit(op.BRA, op.Mods{}, nil, ori.Label(aside)).Guard = p
	from.AddEdge(aside)
	l.cur = aside
	slow()
	end, join := l.cur, l.f.NewBlock()
	l.cur = from
	l.follow(join)
	end.AddEdge(join)
	l.guard = was
}

// follow goes on in a block that stands behind the current one.
func (l *lowerer) follow(next *ori.Block) {
	from := l.cur
	from.AddEdge(next)
	if int(from.ID) < len(l.placed) && l.placed[from.ID] {
		l.enter(next)
		return
	}
	l.cur = next // both stand behind all that are placed
	if last := l.f.Blocks; last[len(last)-2] != from {
		at := slices.Index(last, from)
		l.f.Blocks = slices.Insert(last[:len(last)-1], at+1, next)
	}
}

// ffma returns a*b+c rounded to nearest.
func (l *lowerer) ffma(a, b, c ori.Operand) ori.Operand { return l.one(op.FFMA, op.Mods{}, a, b, c) }

// flush returns an f32 with a zero in place of a subnormal number.
func (l *lowerer) flush(a ori.Operand) ori.Operand {
	return l.one(op.FADD, op.M(op.MFTZ), a, rz().Negate())
}

const one32 = 0x3f800000

// divFloat lowers div of floats.
func (l *lowerer) divFloat(t isa.Type) {
	l.knows(isa.WRn)
	switch {
	case t == isa.F64:
		a, b := l.pair(l.src(1, t)), l.pair(l.src(2, t))
		l.div64(l.dst(0), a, b)
	case l.has(isa.WApprox) || l.has(isa.WFull):
		l.divApprox()
	default:
		a, b := l.reg(l.src1(1, t)), l.reg(l.src1(2, t))
		l.div32(l.dst(0)[:1], a, b)
	}
}

// divApprox lowers div.approx and div.full: a product with the reciprocal,
// both operands scaled where the unit would flush the divisor or, for .full,
// the reciprocal.
func (l *lowerer) divApprox() {
	t := isa.F32
	d, a, b := l.dst(0)[:1], l.reg(l.src1(1, t)), l.src1(2, t)
	if b.Is(one32) && !l.has(isa.WFtz) {
		l.copy(d, value{a})
		return
	}
	if b.Kind == ori.KImm && l.divByConstant(d, a, math.Float32frombits(uint32(b.Imm))) {
		return
	}
	var m op.Mods
	if l.has(isa.WFtz) {
		m = op.M(op.MFTZ)
	}
	b = l.reg(b)
	x, y := l.tmp(1), l.tmp(1)
	l.copy(x, value{a})
	l.copy(y, value{b})
	scale := func(p ori.Operand, k float32) {
		l.emitIf(p, op.FMUL, m, x, x[0], f32(k))
		l.emitIf(p, op.FMUL, m, y, y[0], f32(k))
	}
	if l.has(isa.WFull) {
		scale(l.test(op.FSETP, op.M(op.MGT, op.MAND), absolute(b), ori.Imm(0x7e800000), pt()), 0.25)
	}
	if !l.has(isa.WFtz) {
		scale(l.test(op.FSETP, op.M(op.MLT, op.MAND), absolute(b), ori.Imm(smallest), pt()), 1<<24)
	}
	l.emit(op.FMUL, l.contracted(m), d, l.one(op.MUFU, op.M(op.MRCP), y[0]), x[0])
}

// contracted marks the last product of an approximate division: it may be
// fused with a sum like any product.
func (l *lowerer) contracted(m op.Mods) op.Mods {
	if l.opts.NoFMA {
		return m
	}
	return m.With(op.MCONTRACT)
}

// divByConstant multiplies by the reciprocal, rounded once, of a divisor
// that is known; where the general code would scale both sides, so does
// this. It reports false for divisors without a finite reciprocal.
func (l *lowerer) divByConstant(d value, a ori.Operand, b float32) bool {
	const large, tiny = 0x1p126, 0x1p-126
	var m op.Mods
	size := math.Abs(float64(b))
	scale := float32(1)
	switch {
	case l.has(isa.WFull) && size > large:
		scale = 0.25
	case size < tiny && l.has(isa.WFtz):
		return false
	case size < tiny:
		scale = 1 << 24
	}
	if l.has(isa.WFtz) {
		m = op.M(op.MFTZ)
	}
	r := float32(1 / (float64(b) * float64(scale)))
	if r != r || math.IsInf(float64(r), 0) || math.Abs(float64(r)) < tiny {
		return false
	}
	if scale != 1 {
		a = l.one(op.FMUL, m, a, f32(scale))
	}
	l.emit(op.FMUL, l.contracted(m), d, a, f32(r))
	return true
}

// div32 gives d a/b in the rounding of the current instruction.
func (l *lowerer) div32(d value, a, b ori.Operand) {
	round, ftz := l.rounding(), l.has(isa.WFtz)
	q := l.quotient32(a, b, round)
	// the machine tells which operands these steps are not good for
	p := l.test(op.FCHK, op.Mods{}, a, b)
	l.quickOr(d, value{q}, p, wayDiv32, round, ftz, value{a, b})
}

// odd tells whether an f32 is zero, infinite or not a number.
func (l *lowerer) odd(a ori.Operand) ori.Operand {
	bits := l.and2(a, ori.Imm(0x7fffffff))
	return l.cmp1(op.MGE, false, l.iadd(bits, ori.Imm(-1)), ori.Imm(0x7f7fffff))
}

// div32Exact divides any two numbers in any rounding. The quotient of the
// fractions, rounded to nearest, and the sign of what is left give the true
// quotient to a quarter of the last place; the rest is integer arithmetic.
// Zeros, infinities and NaNs are multiplied with the unit's reciprocal, which
// is exact for them and for the one that takes the place of an ordinary
// divisor.
func (l *lowerer) div32Exact(a, b ori.Operand, round op.Mod, ftz bool) ori.Operand {
	if ftz {
		a, b = l.flush(a), l.flush(b)
	}
	oddB := l.odd(b)
	unit := l.lop(0xf0&0xcc|0xaa&^0xcc, b, ori.Imm32(1<<31), ori.Imm(one32))
	odd := l.one(op.FMUL, op.Mods{}, a, l.one(op.MUFU, op.M(op.MRCP), l.sel1(b, unit, oddB)))
	isOdd := l.plop(lutOr, l.odd(a), oddB)
	sign := l.and2(l.xor2(a, b), ori.Imm32(1<<31))
	ma, ea := l.normal32(a)
	mb, eb := l.normal32(b)
	q := l.quotient32(ma, mb, op.NoMod)
	rest := l.ffma(mb.Negate(), q, ma)
	e := l.one(op.IADD3, op.Mods{}, ea, negate(eb), l.shr1(q, ori.Imm(23)))
	frac := l.lop(0xf0&0xcc|0xaa&^0xcc, q, ori.Imm(0x7fffff), ori.Imm(0x800000))
	left := l.test(op.FSETP, op.M(op.MNEU, op.MAND), rest, rz(), pt())
	dir := l.sel1(l.or2(l.sar1(rest, ori.Imm(31)), ori.Imm(1)), rz(), left)
	r := l.packSingle(l.imad(frac, ori.Imm(4), dir), e, sign, round, ftz)
	return l.sel1(odd, r, isOdd)
}

// normal32 splits an f32 into a number in [1, 2) and its biased exponent.
func (l *lowerer) normal32(a ori.Operand) (m, e ori.Operand) {
	abs := l.and2(a, ori.Imm(0x7fffffff))
	tiny := l.cmp1(op.MLT, false, abs, ori.Imm(smallest))
	v := l.sel1(l.one(op.FMUL, op.Mods{}, abs, f32(1<<24)), abs, tiny)
	e = l.iadd(l.shr1(v, ori.Imm(23)), l.sel1(ori.Imm(-24), rz(), tiny))
	return l.lop(0xf0&0xcc|0xaa&^0xcc, v, ori.Imm(0x7fffff), ori.Imm(one32)), e
}

// packSingle rounds n·2^-25·2^(e-127), n of 26 bits, to an f32 with a sign.
// With ftz all places are kept and results below the normal numbers are zero.
func (l *lowerer) packSingle(n, e, sign ori.Operand, round op.Mod, ftz bool) ori.Operand {
	const inf32 = 0x7f800000
	drop, base := ori.Imm(2), l.iadd(e, ori.Imm(-1))
	if !ftz { // two places, and one more for each below the normal numbers
		drop = l.min1(op.Mods{}, l.iadd(ori.Imm(3), negate(e)), ori.Imm(2), pt().Not())
		drop = l.min1(op.Mods{}, drop, ori.Imm(31), pt())
		base = l.min1(op.Mods{}, base, rz(), pt().Not())
	}
	base = l.min1(op.Mods{}, base, ori.Imm(254), pt())
	rem := l.shl1(n, l.iadd(ori.Imm(32), negate(drop)))
	f := l.imad(base, ori.Imm(1<<23), l.shr1(n, drop))
	huge, biggest := ori.Imm(inf32), ori.Imm(inf32-1)
	neg := l.cmp1(op.MLT, true, sign, rz())
	switch round {
	case op.NoMod: // above half, or half of an odd number
		tie := l.lop(0xf0|0xcc&0xaa, rem, f, ori.Imm(1))
		f = l.plusOne(f, l.cmp1(op.MGT, false, tie, ori.Imm32(1<<31)))
	case op.MRZ:
		huge = biggest
	default: // away from zero on one side
		away := pick(round == op.MRM, neg, neg.Not())
		f = l.plusOne(f, l.test(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), rem, rz(), away))
		huge = l.sel1(l.reg(huge), biggest, away)
	}
	f = l.sel1(huge, f, l.cmp1(op.MGE, ftz, f, ori.Imm(inf32)))
	if ftz {
		f = l.sel1(rz(), f, l.cmp1(op.MLT, true, f, ori.Imm(smallest)))
	}
	return l.or2(f, sign)
}

// plusOne adds one where p holds.
func (l *lowerer) plusOne(a, p ori.Operand) ori.Operand {
	return l.iadd(a, l.sel1(ori.Imm(1), rz(), p))
}

// quotient32 returns a/b while nothing leaves the normal range. The refined
// reciprocal is rounded to nearest, and the residue of the first quotient is
// exact (TestQuotient32).
func (l *lowerer) quotient32(a, b ori.Operand, round op.Mod) ori.Operand {
	y := l.one(op.MUFU, op.M(op.MRCP), b)
	y = l.ffma(y, l.ffma(b.Negate(), y, ori.Imm(one32)), y)
	q := l.ffma(a, y, rz())
	q = l.ffma(y, l.ffma(b.Negate(), q, a), q)
	if round == op.NoMod {
		return q
	}
	return l.toward32(q, l.ffma(b.Negate(), q, a), y, round)
}

// toward32 rounds what q is the nearest number of to the side round says, as
// toward does.
func (l *lowerer) toward32(q, rest, k ori.Operand, round op.Mod) ori.Operand {
	return l.one(op.FFMA, mods(round), rest, k, q)
}

// rcp32 gives d 1/b in the rounding of the current instruction.
func (l *lowerer) rcp32(d value, b ori.Operand) {
	round, ftz := l.rounding(), l.has(isa.WFtz)
	y := l.one(op.MUFU, op.M(op.MRCP), b)
	y = l.ffma(y, l.ffma(b.Negate(), y, ori.Imm(one32)), y)
	if round != op.NoMod {
		y = l.toward32(y, l.ffma(b.Negate(), y, ori.Imm(one32)), y, round)
	}
	// good from 2^-125 to 2^125
	e := l.iadd(l.and2(b, ori.Imm(0x7fffffff)), ori.Imm(-0x01000000))
	p := l.cmp1(op.MGE, false, e, ori.Imm(0x7d000000))
	l.quickOr(d, value{y}, p, wayDiv32, round, ftz, value{ori.Imm(one32), b})
}

// sqrt32 gives d the root of x in the rounding of the current instruction.
func (l *lowerer) sqrt32(d value, x ori.Operand) {
	round, ftz := l.rounding(), l.has(isa.WFtz)
	// good from 2^-101 on, below that the residue loses bits
	p := l.cmp1(op.MGT, false, l.iadd(x, ori.Imm(-0x0d000000)), ori.Imm(0x727fffff))
	l.quickOr(d, value{l.root32(x, round)}, p, wayRoot32, round, ftz, value{x})
}

// root32 returns the root of an ordinary number.
func (l *lowerer) root32(x ori.Operand, round op.Mod) ori.Operand {
	y := l.one(op.MUFU, op.M(op.MRSQ), x)
	s := l.one(op.FMUL, op.Mods{}, x, y)
	h := l.one(op.FMUL, op.Mods{}, y, f32(0.5))
	s = l.ffma(l.ffma(s.Negate(), s, x), h, s)
	if round == op.NoMod {
		return s
	}
	return l.toward32(s, l.ffma(s.Negate(), s, x), h, round)
}

// sqrt32Exact takes the root of any number in any rounding. Small ones are
// scaled by 2^64 and their roots back by 2^-32. The unit is right for zeros,
// infinities, NaNs and negative numbers; scaled, a subnormal negative number
// is not taken for zero.
func (l *lowerer) sqrt32Exact(x ori.Operand, round op.Mod, ftz bool) ori.Operand {
	if ftz {
		x = l.flush(x)
	}
	odd := l.one(op.MUFU, op.M(op.MSQRT), l.one(op.FMUL, op.Mods{}, x, f32(1<<24)))
	isOdd := l.cmp1(op.MGE, false, l.iadd(x, ori.Imm(-1)), ori.Imm(0x7f7fffff))
	small := l.cmp1(op.MLT, true, x, ori.Imm(0x0d000000))
	v := l.sel1(l.one(op.FMUL, op.Mods{}, x, f32(1<<64)), x, small)
	s := l.root32(v, round)
	s = l.sel1(l.one(op.FMUL, op.Mods{}, s, f32(1.0/(1<<32))), s, small)
	return l.sel1(odd, s, isOdd)
}
