package memory

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// load lowers a load from a space with addresses in registers.
func load(l *build.Builder, t isa.Type, s isa.Space, a *sema.Operand) {
	es, bits, s := vector(l, 0, t, s)
	if bits > 128 {
		loadWide(l, t, s, a, es)
		return
	}
	o := ordering(l)
	withDefault(l, &o, s, l.Opts.Caches.Load, l.Opts.Caches.ForceLoad)
	x := AccessOf(s)
	m := ModsOf(x, &o, build.Width(bits, t.Class() == isa.Signed && len(es) == 1))
	srcs := Target(l, a, s, &o)
	r := l.Tmp(max(1, bits/32))
	l.Emit(x.Load, m, build.Value{expand.Whole(r)}, srcs...)
	if bits >= 32 {
		l.UseBytes(bits / 8)
	}
	if o.acquire {
		FenceAfter(l, o.scope)
	}
	for k := range es {
		if es[k].Kind != isa.KSink {
			l.Spread(l.Words(l.Regs[es[k].Ref]), Part(l, r, t, k, len(es)), t)
		}
	}
}
