package build

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Product computes a*b+c in the way .lo, .hi or .wide says.
func (l *Builder) Product(c Value) {
	t := l.Typ(0)
	d, a, b := l.Dst(0), l.Extended(1, t), l.Extended(2, t)
	signed := t.Class() == isa.Signed
	l.Knows(isa.WLo)
	l.Knows(isa.WHi)
	l.Knows(isa.WWide)
	switch {
	case t.Bits() == 16:
		p := l.One(op.IMAD, op.Mods{}, a[0], b[0], expand.RZ())
		if l.Has(isa.WHi) {
			m := op.M(op.MR, op.MU32, op.MHI)
			if signed {
				m = op.M(op.MR, op.MS32, op.MHI)
			}
			p = l.One(op.SHF, m, expand.RZ(), ori.Imm(16), p)
		}
		l.Emit(op.IADD3, op.Mods{}, d[:1], p, c[0], expand.RZ())
	case t.Bits() == 32 && l.Has(isa.WLo):
		l.Emit(op.IMAD, op.Mods{}, d[:1], a[0], b[0], c[0])
	case t.Bits() == 32 && l.Has(isa.WWide):
		r := l.Wide(a[0], b[0], c, signed)
		l.Copy(d, r)
	case t.Bits() == 32:
		l.Emit(op.IADD3, op.Mods{}, d[:1], l.High(a, b, signed)[0], c[0], expand.RZ())
	case l.Has(isa.WLo):
		l.Copy(d, l.Mul64(a, b, c))
	default:
		l.Copy(d, l.Add64(l.High(a, b, signed), c, false))
	}
}

// Double returns the type twice as wide with the same sign.
func Double(t isa.Type) isa.Type {
	switch t {
	case isa.S16:
		return isa.S32
	case isa.U16:
		return isa.U32
	case isa.S32:
		return isa.S64
	}
	return isa.U64
}
