package division

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// ExactMufu lowers rcp, sqrt and rsqrt beyond what the special function
// unit gives by itself.
func ExactMufu(l *build.Builder, t isa.Type) {
	l.Knows(isa.WRn)
	d := l.Dst(0)
	if t != isa.F64 {
		a := l.Reg(l.Src1(1, t))
		if l.In.Op == isa.WRcp {
			rcp32(l, d[:1], a)
		} else {
			sqrt32(l, d[:1], a)
		}
		return
	}
	a := l.Pair(l.Src(1, t))
	switch {
	case l.Has(isa.WApprox) && l.Has(isa.WFtz): // the unit's own
		fn := op.MRCP64H
		if l.In.Op == isa.WRsqrt {
			fn = op.MRSQ64H
		}
		l.Copy(d, expand.Estimate64(&l.Writer, fn, a, expand.RZ()))
	case l.In.Op == isa.WRsqrt:
		rsqrt64(l, d, a)
	case l.In.Op == isa.WRcp:
		rcp64(l, d, a)
	default:
		sqrt64(l, d, a)
	}
}
