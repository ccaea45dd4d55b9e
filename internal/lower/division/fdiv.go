package division

import (
	"math"

	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Division, reciprocal and square root of f32.
//
// The quick way refines the special function unit's estimate with fused
// multiply-adds and is right while nothing leaves the normal range. All other
// inputs, and all other roundings, go the slow path: the same steps on the
// fractions alone, and the exponent, the rounding and what is no number by
// integer arithmetic.

// divApprox lowers div.approx and div.full: a product with the reciprocal,
// both operands scaled where the unit would flush the divisor or, for .full,
// the reciprocal.
func divApprox(l *build.Builder) {
	t := isa.F32
	d, a, b := l.Dst(0)[:1], l.Reg(l.Src1(1, t)), l.Src1(2, t)
	if b.Is(expand.One32) && !l.Has(isa.WFtz) {
		l.Copy(d, build.Value{a})
		return
	}
	if b.Kind == ori.KImm && divByConstant(l, d, a, math.Float32frombits(uint32(b.Imm))) {
		return
	}
	var m op.Mods
	if l.Has(isa.WFtz) {
		m = op.M(op.MFTZ)
	}
	b = l.Reg(b)
	var large, small ori.Operand // both tests first: behind them nobody reads the divisor as it was
	if l.Has(isa.WFull) {
		large = l.Test(op.FSETP, op.M(op.MGT, op.MAND), expand.Absolute(b), ori.Imm(0x7e800000), expand.PT())
	}
	if !l.Has(isa.WFtz) {
		small = l.Test(op.FSETP, op.M(op.MLT, op.MAND), expand.Absolute(b), ori.Imm(expand.Smallest), expand.PT())
	}
	x, y := l.Tmp(1), l.Tmp(1)
	l.Copy(x, build.Value{a})
	l.Copy(y, build.Value{b})
	scale := func(p ori.Operand, k float32) {
		if p.Kind != ori.KNone {
			l.EmitIf(p, op.FMUL, m, x, x[0], expand.F32(k))
			l.EmitIf(p, op.FMUL, m, y, y[0], expand.F32(k))
		}
	}
	scale(large, 0.25)
	scale(small, 1<<24)
	l.Emit(op.FMUL, contracted(l, m), d, l.One(op.MUFU, op.M(op.MRCP), y[0]), x[0])
}

// contracted marks the last product of an approximate division: it may be
// fused with a sum like any product.
func contracted(l *build.Builder, m op.Mods) op.Mods {
	if l.Opts.NoFMA {
		return m
	}
	return m.With(op.MCONTRACT)
}

// divByConstant multiplies by the reciprocal, rounded once, of a divisor
// that is known; where the general code would scale both sides, so does
// this. It reports false for divisors without a finite reciprocal.
func divByConstant(l *build.Builder, d build.Value, a ori.Operand, b float32) bool {
	const large, tiny = 0x1p126, 0x1p-126
	var m op.Mods
	size := math.Abs(float64(b))
	scale := float32(1)
	switch {
	case l.Has(isa.WFull) && size > large:
		scale = 0.25
	case size < tiny && l.Has(isa.WFtz):
		return false
	case size < tiny:
		scale = 1 << 24
	}
	if l.Has(isa.WFtz) {
		m = op.M(op.MFTZ)
	}
	r := float32(1 / (float64(b) * float64(scale)))
	if r != r || math.IsInf(float64(r), 0) || math.Abs(float64(r)) < tiny {
		return false
	}
	if scale != 1 {
		a = l.One(op.FMUL, m, a, expand.F32(scale))
	}
	l.Emit(op.FMUL, contracted(l, m), d, a, expand.F32(r))
	return true
}

// div32 gives d a/b in the rounding of the current instruction.
func div32(l *build.Builder, d build.Value, a, b ori.Operand) {
	round, ftz := l.Rounding(), l.Has(isa.WFtz)
	q := expand.Quotient32(&l.Writer, a, b, round)
	// the machine tells which operands these steps are not good for
	p := l.Test(op.FCHK, op.Mods{}, a, b)
	quickOr(l, d, build.Value{q}, p, routine.KindDiv32, round, ftz, build.Value{a, b})
}

// rcp32 gives d 1/b in the rounding of the current instruction.
func rcp32(l *build.Builder, d build.Value, b ori.Operand) {
	round, ftz := l.Rounding(), l.Has(isa.WFtz)
	y := l.One(op.MUFU, op.M(op.MRCP), b)
	y = expand.Fma32(&l.Writer, y, expand.Fma32(&l.Writer, b.Negate(), y, ori.Imm(expand.One32)), y)
	if round != op.NoMod {
		y = expand.Toward32(&l.Writer, y, expand.Fma32(&l.Writer, b.Negate(), y, ori.Imm(expand.One32)), y, round)
	}
	// good from 2^-125 to 2^125
	e := l.Iadd(l.And2(b, ori.Imm(0x7fffffff)), ori.Imm(-0x01000000))
	p := l.Cmp1(op.MGE, false, e, ori.Imm(0x7d000000))
	quickOr(l, d, build.Value{y}, p, routine.KindDiv32, round, ftz, build.Value{ori.Imm(expand.One32), b})
}

// sqrt32 gives d the root of x in the rounding of the current instruction.
func sqrt32(l *build.Builder, d build.Value, x ori.Operand) {
	round, ftz := l.Rounding(), l.Has(isa.WFtz)
	// good from 2^-101 on, below that the residue loses bits
	p := l.Cmp1(op.MGT, false, l.Iadd(x, ori.Imm(-0x0d000000)), ori.Imm(0x727fffff))
	quickOr(l, d, build.Value{expand.Root32(&l.Writer, x, round)}, p, routine.KindRoot32, round, ftz, build.Value{x})
}
