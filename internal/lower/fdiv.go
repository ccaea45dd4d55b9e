package lower

import (
	"math"
	"slices"

	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
	"goptxas/internal/ptx/isa"
)

// Division, reciprocal and square root of f32.
//
// The quick way refines the special function unit's estimate with fused
// multiply-adds and is right while nothing leaves the normal range. All other
// inputs go through f64, which holds every f32, subnormal or not, as a normal
// number: the f64 result is within a little more than half a unit, exact if
// it can be, and a quotient or root of f32 numbers that is not exact is
// further than that from all numbers and midpoints of f32, so rounding it
// again gives the right answer in every mode.

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
		l.copy(l.dst(0), l.div64(a, b))
	case l.has(isa.WApprox) || l.has(isa.WFull):
		l.divApprox()
	default:
		a, b := l.reg(l.src1(1, t)), l.reg(l.src1(2, t))
		l.copy(l.dst(0)[:1], value{l.div32(a, b)})
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

// div32 returns a/b in the rounding of the current instruction.
func (l *lowerer) div32(a, b ori.Operand) ori.Operand {
	round, ftz := l.rounding(), l.has(isa.WFtz)
	if round != op.NoMod {
		return l.longWay(wayDiv32, round, ftz, value{a, b})[0]
	}
	y := l.one(op.MUFU, op.M(op.MRCP), b)
	nb := b.Negate()
	y = l.ffma(y, l.ffma(nb, y, ori.Imm(one32)), y)
	q := l.ffma(a, y, rz())
	r := l.tmp(1)
	l.emit(op.FFMA, op.Mods{}, r, y, l.ffma(nb, q, a), q)
	// the machine tells which operands the steps above are not good for
	p := l.test(op.FCHK, op.Mods{}, a, b)
	l.unlikely(p, func() { l.copy(r, l.longWay(wayDiv32, round, ftz, value{a, b})) })
	return r[0]
}

// odd tells whether an f32 is zero, infinite or not a number.
func (l *lowerer) odd(a ori.Operand) ori.Operand {
	bits := l.and2(a, ori.Imm(0x7fffffff))
	return l.cmp1(op.MGE, false, l.iadd(bits, ori.Imm(-1)), ori.Imm(0x7f7fffff))
}

// div32Wide divides through f64. Zeros, infinities and NaNs are multiplied
// with the unit's reciprocal, which is exact for them and for the one that
// takes the place of an ordinary divisor.
func (l *lowerer) div32Wide(a, b ori.Operand, round op.Mod, ftz bool) ori.Operand {
	if ftz {
		a, b = l.flush(a), l.flush(b)
	}
	da, db := l.toDouble(a), l.toDouble(b)
	q := l.quotient(da, db, l.inverse(db, ori.Imm(1)))
	r := l.toSingle(q, round)
	if ftz {
		r = l.flushed(whole(q), r, round)
	}
	oddB := l.odd(b)
	sign := l.lop(0xf0&0xcc|0xaa&^0xcc, b, ori.Imm32(1<<31), ori.Imm(one32))
	s := l.one(op.FMUL, op.Mods{}, a, l.one(op.MUFU, op.M(op.MRCP), l.sel1(b, sign, oddB)))
	return l.sel1(s, r, l.plop(lutOr, l.odd(a), oddB))
}

// rcp32 returns 1/b in the rounding of the current instruction.
func (l *lowerer) rcp32(b ori.Operand) ori.Operand {
	round, ftz := l.rounding(), l.has(isa.WFtz)
	if round != op.NoMod {
		return l.longWay(wayDiv32, round, ftz, value{ori.Imm(one32), b})[0]
	}
	y := l.one(op.MUFU, op.M(op.MRCP), b)
	r := l.tmp(1)
	l.emit(op.FFMA, op.Mods{}, r, y, l.ffma(b.Negate(), y, ori.Imm(one32)), y)
	// good from 2^-125 to 2^125
	e := l.iadd(l.and2(b, ori.Imm(0x7fffffff)), ori.Imm(-0x01000000))
	p := l.cmp1(op.MGE, false, e, ori.Imm(0x7d000000))
	l.unlikely(p, func() { l.copy(r, l.longWay(wayDiv32, round, ftz, value{ori.Imm(one32), b})) })
	return r[0]
}

// sqrt32 returns the root of x in the rounding of the current instruction.
func (l *lowerer) sqrt32(x ori.Operand) ori.Operand {
	round, ftz := l.rounding(), l.has(isa.WFtz)
	if round != op.NoMod {
		return l.longWay(wayRoot32, round, ftz, value{x})[0]
	}
	y := l.one(op.MUFU, op.M(op.MRSQ), x)
	s := l.one(op.FMUL, op.Mods{}, x, y)
	h := l.one(op.FMUL, op.Mods{}, y, f32(0.5))
	r := l.tmp(1)
	l.emit(op.FFMA, op.Mods{}, r, l.ffma(s.Negate(), s, x), h, s)
	// good from 2^-101 on, below that the residue loses bits
	p := l.cmp1(op.MGT, false, l.iadd(x, ori.Imm(-0x0d000000)), ori.Imm(0x727fffff))
	l.unlikely(p, func() { l.copy(r, l.longWay(wayRoot32, round, ftz, value{x})) })
	return r[0]
}

// sqrt32Wide takes the root through f64. The unit is right for zeros,
// infinities, NaNs and negative numbers; scaled, a subnormal negative number
// is not taken for zero.
func (l *lowerer) sqrt32Wide(x ori.Operand, round op.Mod, ftz bool) ori.Operand {
	if ftz {
		x = l.flush(x)
	}
	r := l.toSingle(l.root(l.toDouble(x), rz()), round)
	p := l.cmp1(op.MGE, false, l.iadd(x, ori.Imm(-1)), ori.Imm(0x7f7fffff))
	s := l.one(op.MUFU, op.M(op.MSQRT), l.one(op.FMUL, op.Mods{}, x, f32(1<<24)))
	return l.sel1(s, r, p)
}

// toDouble and toSingle convert between f32 and f64.
func (l *lowerer) toDouble(a ori.Operand) value {
	r := l.tmp(2)
	l.emit(op.F2F, op.M(op.MF64, op.MF32), value{whole(r)}, a)
	return r
}

func (l *lowerer) toSingle(a value, round op.Mod) ori.Operand {
	return l.one(op.F2F, mods(op.MF32, op.MF64, round), whole(a))
}
