package arith

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/expand"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// testp lowers testp by comparing the bits without their sign.
func testp(l *build.Builder) {
	t := l.Typ(0)
	v := l.Src(1, t)
	top := len(v) - 1
	a := append(build.Value{}, v...)
	a[top] = l.And2(v[top], ori.Imm(0x7fffffff))
	inf, min := build.Imm(0x7f800000, 1), build.Imm(build.Smallest, 1)
	if t == isa.F64 {
		inf, min = build.Imm(expand.Inf64<<32, 2), build.Imm(0x00100000<<32, 2)
	}
	zero := build.Imm(0, len(v))
	d := build.Value{l.DstPred(0)}
	set := func(p, q ori.Operand, lut int64) {
		l.Emit(op.PLOP3, op.M(op.MLUT), d, p, q, build.PT(), ori.Imm(lut), ori.Imm(0))
	}
	switch {
	case l.Has(isa.WFinite):
		set(l.Cmp(op.MLT, false, a, inf), build.PT(), build.LutAnd)
	case l.Has(isa.WInfinite):
		set(l.Cmp(op.MEQ, false, a, inf), build.PT(), build.LutAnd)
	case l.Has(isa.WNumber):
		set(l.Cmp(op.MLE, false, a, inf), build.PT(), build.LutAnd)
	case l.Has(isa.WNotanumber):
		set(l.Cmp(op.MGT, false, a, inf), build.PT(), build.LutAnd)
	case l.Has(isa.WSubnormal):
		set(l.Cmp(op.MLT, false, a, min), l.Cmp(op.MNE, false, a, zero), build.LutAnd)
	case l.Has(isa.WNormal): // zero counts as normal
		p := l.Plop(build.LutAnd, l.Cmp(op.MGE, false, a, min), l.Cmp(op.MLT, false, a, inf))
		set(p, l.Cmp(op.MEQ, false, a, zero), build.LutOr)
	default:
		l.Unsupported()
	}
}
