package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// testp lowers testp by comparing the bits without their sign.
func (l *lowerer) testp() {
	t := l.typ(0)
	v := l.src(1, t)
	top := len(v) - 1
	a := append(value{}, v...)
	a[top] = l.and2(v[top], ori.Imm(0x7fffffff))
	inf, min := imm(0x7f800000, 1), imm(smallest, 1)
	if t == isa.F64 {
		inf, min = imm(inf64<<32, 2), imm(0x00100000<<32, 2)
	}
	zero := imm(0, len(v))
	d := value{l.dstPred(0)}
	set := func(p, q ori.Operand, lut int64) {
		l.emit(op.PLOP3, op.M(op.MLUT), d, p, q, pt(), ori.Imm(lut), ori.Imm(0))
	}
	switch {
	case l.has(isa.WFinite):
		set(l.cmp(op.MLT, false, a, inf), pt(), lutAnd)
	case l.has(isa.WInfinite):
		set(l.cmp(op.MEQ, false, a, inf), pt(), lutAnd)
	case l.has(isa.WNumber):
		set(l.cmp(op.MLE, false, a, inf), pt(), lutAnd)
	case l.has(isa.WNotanumber):
		set(l.cmp(op.MGT, false, a, inf), pt(), lutAnd)
	case l.has(isa.WSubnormal):
		set(l.cmp(op.MLT, false, a, min), l.cmp(op.MNE, false, a, zero), lutAnd)
	case l.has(isa.WNormal): // zero counts as normal
		p := l.plop(lutAnd, l.cmp(op.MGE, false, a, min), l.cmp(op.MLT, false, a, inf))
		set(p, l.cmp(op.MEQ, false, a, zero), lutOr)
	default:
		l.unsupported()
	}
}
