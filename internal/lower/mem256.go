package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// Accesses of 256 bits, from sm_100 on: global memory only, two registers of
// 128 bits each. Offsets count pieces of 32 bytes, 17 bits of them with a
// sign in a load.
const (
	wideBytes     = 32
	maxWideOffset = 1<<21 - wideBytes
)

// wideAccess returns the modifiers and the place of an access of 256 bits.
// A generic address is one of global memory.
func (l *lowerer) wideAccess(s isa.Space, a *sema.Operand, o *ordering) (op.Mods, value) {
	if s != isa.SpaceGlobal && s != isa.Generic || l.remote() || o.mmio || !l.arch.Has(target.Wide256) {
		l.unsupported()
	}
	first, last := op.M(op.ME), op.Mods{}
	for _, m := range o.before {
		switch m {
		case op.NoMod:
		case op.MLTC64B, op.MLTC128B, op.MLTC256B:
			last = last.With(m)
		default:
			first = first.With(m)
		}
	}
	level2 := o.level2
	if o.level2 = op.NoMod; level2 == op.NoMod {
		level2 = op.MENL2
	}
	srcs := l.target(a, isa.SpaceGlobal, o)
	at := &srcs[len(srcs)-1]
	switch {
	case at.Reg == ori.NoReg:
		*at = ori.Addr(whole(l.group(imm(uint64(at.Imm), 2))), 0)
	case at.Imm%wideBytes != 0:
		*at = l.near(*at, -1)
	default:
		*at = l.near(*at, maxWideOffset)
	}
	return join(join(first.With(level2), last.With(op.M256)), o.after), srcs
}

// loadWide loads 256 bits.
func (l *lowerer) loadWide(t isa.Type, s isa.Space, a *sema.Operand, es []sema.Operand) {
	o := l.ordering()
	l.withDefault(&o, isa.SpaceGlobal, l.opts.Caches.Load, l.opts.Caches.ForceLoad)
	m, srcs := l.wideAccess(s, a, &o)
	lo, hi := l.tmp(4), l.tmp(4)
	l.emit(op.LDG, m, value{whole(hi), whole(lo)}, srcs...)
	if o.acquire {
		l.fenceAfter(o.scope)
	}
	r := append(lo[:4:4], hi...)
	for k := range es {
		if es[k].Kind != isa.KSink {
			l.spread(l.words(l.regs[es[k].Ref]), l.part(r, t, k, len(es)), t)
		}
	}
}

// storeWide stores 256 bits.
func (l *lowerer) storeWide(t isa.Type, s isa.Space, a *sema.Operand, es []sema.Operand) {
	o := l.ordering()
	l.withDefault(&o, isa.SpaceGlobal, l.opts.Caches.Store, l.opts.Caches.ForceStore)
	if o.release {
		l.fenceBefore(o.scope)
	}
	m, srcs := l.wideAccess(s, a, &o)
	var v value
	for k := range es {
		v = append(v, l.read(&es[k], t)...)
	}
	l.emit(op.STG, m, nil, append(srcs, whole(l.group(v[:4])), whole(l.group(v[4:])))...)
}
