package lower

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// A kernel has only the shared variables that it, or a function it reaches,
// names: a block must not pay for those of other kernels. Variables of the
// module come first, in its order, then those of the bodies in the order of
// visits.

// ownShared is a shared variable of a body.
type ownShared struct {
	at          *int64
	align, size int64
}

// names notes the module's shared variables that a body names.
func (p *Plan) names(b *sema.Body) {
	for n := range b.Operands {
		o := &b.Operands[n]
		if o.Ref < 0 || o.Kind != isa.KSymbol && (o.Kind != isa.KAddr || o.Base != isa.KSymbol) {
			continue
		}
		if v := p.m.Syms[o.Ref].Var; v >= 0 && p.m.Vars[v].Space.Base() == isa.SpaceShared {
			p.named[v] = true
		}
	}
}

// placeShared gives the variables their offsets.
func (p *Plan) placeShared(layout *Layout) {
	switch {
	case p.object: // the linker's to do
	case layout.Fixed:
		p.Shared, p.bytes = layout.Shared, layout.SharedBytes
	default:
		for n := range p.m.Vars {
			if v := &p.m.Vars[n]; p.named[int32(n)] && !v.Shape.Open {
				p.bytes = alignUp(p.bytes, max(1, int64(v.Shape.Align)))
				p.Shared[v.Name] = p.bytes
				p.bytes += int64(v.Shape.Size())
			}
		}
	}
	for _, v := range p.own {
		p.bytes = alignUp(p.bytes, v.align)
		*v.at = p.bytes
		p.bytes += v.size
	}
}

// sharedVariable returns the offset of a shared variable of the module.
func (l *lowerer) sharedVariable(name string) int64 {
	at, ok := l.plan.Shared[name]
	if !ok {
		l.fail("Shared variable '%s' has no place", name)
	}
	return at
}
