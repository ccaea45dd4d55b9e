package arith

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
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
	inf, min := expand.Imm(0x7f800000, 1), expand.Imm(expand.Smallest, 1)
	if t == isa.F64 {
		inf, min = expand.Imm(expand.Inf64<<32, 2), expand.Imm(0x00100000<<32, 2)
	}
	zero := expand.Imm(0, len(v))
	d := build.Value{l.DstPred(0)}
	set := func(p, q ori.Operand, lut int64) {
		l.Emit(op.PLOP3, op.M(op.MLUT), d, p, q, expand.PT(), ori.Imm(lut), ori.Imm(0))
	}
	switch {
	case l.Has(isa.WFinite):
		set(l.Cmp(op.MLT, false, a, inf), expand.PT(), expand.LutAnd)
	case l.Has(isa.WInfinite):
		set(l.Cmp(op.MEQ, false, a, inf), expand.PT(), expand.LutAnd)
	case l.Has(isa.WNumber):
		set(l.Cmp(op.MLE, false, a, inf), expand.PT(), expand.LutAnd)
	case l.Has(isa.WNotanumber):
		set(l.Cmp(op.MGT, false, a, inf), expand.PT(), expand.LutAnd)
	case l.Has(isa.WSubnormal):
		set(l.Cmp(op.MLT, false, a, min), l.Cmp(op.MNE, false, a, zero), expand.LutAnd)
	case l.Has(isa.WNormal): // zero counts as normal
		p := l.Plop(expand.LutAnd, l.Cmp(op.MGE, false, a, min), l.Cmp(op.MLT, false, a, inf))
		set(p, l.Cmp(op.MEQ, false, a, zero), expand.LutOr)
	default:
		l.Unsupported()
	}
}
