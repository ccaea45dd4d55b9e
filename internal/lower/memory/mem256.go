package memory

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// Near brings the offset of an address within a limit.
func Near(l *build.Builder, a ori.Operand, limit int64) ori.Operand {
	if a.Imm <= limit && a.Imm >= -limit-1 || a.Reg == ori.NoReg {
		return a
	}
	if a.N == 2 {
		base := l.Add64(l.Words(a.Reg)[a.Sub:a.Sub+2], expand.Imm(uint64(a.Imm), 2), false)
		return ori.Addr(expand.Whole(l.Group(base)), 0)
	}
	return ori.Addr(l.Iadd(l.F.Word(a.Reg, int(a.Sub)), expand.Word(uint32(a.Imm))), 0)
}

// Accesses of 256 bits, from sm_100 on: global memory only, two registers of
// 128 bits each. Offsets count pieces of 32 bytes, 17 bits of them with a
// sign in a load.
const (
	wideBytes     = 32
	maxWideOffset = 1<<21 - wideBytes
)

// wideAccess returns the modifiers and the place of an access of 256 bits.
// A generic address is one of global memory.
func wideAccess(l *build.Builder, s isa.Space, a *sema.Operand, o *Ordering) (op.Mods, build.Value) {
	if s != isa.SpaceGlobal && s != isa.Generic || Remote(l) || o.mmio || !l.Arch.Has(target.Wide256) {
		l.Unsupported()
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
	srcs := Target(l, a, isa.SpaceGlobal, o)
	at := &srcs[len(srcs)-1]
	switch {
	case at.Reg == ori.NoReg:
		*at = ori.Addr(expand.Whole(l.Group(expand.Imm(uint64(at.Imm), 2))), 0)
	case at.Imm%wideBytes != 0:
		*at = Near(l, *at, -1)
	default:
		*at = Near(l, *at, maxWideOffset)
	}
	return build.Join(build.Join(first.With(level2), last.With(op.M256)), o.after), srcs
}

// loadWide loads 256 bits.
func loadWide(l *build.Builder, t isa.Type, s isa.Space, a *sema.Operand, es []sema.Operand) {
	o := ordering(l)
	withDefault(l, &o, isa.SpaceGlobal, l.Opts.Caches.Load, l.Opts.Caches.ForceLoad)
	m, srcs := wideAccess(l, s, a, &o)
	lo, hi := l.Tmp(4), l.Tmp(4)
	l.Emit(op.LDG, m, build.Value{expand.Whole(hi), expand.Whole(lo)}, srcs...)
	if o.acquire {
		FenceAfter(l, o.scope)
	}
	r := append(lo[:4:4], hi...)
	for k := range es {
		if es[k].Kind != isa.KSink {
			l.Spread(l.Words(l.Regs[es[k].Ref]), Part(l, r, t, k, len(es)), t)
		}
	}
}

// storeWide stores 256 bits.
func storeWide(l *build.Builder, t isa.Type, s isa.Space, a *sema.Operand, es []sema.Operand) {
	o := ordering(l)
	withDefault(l, &o, isa.SpaceGlobal, l.Opts.Caches.Store, l.Opts.Caches.ForceStore)
	if o.release {
		FenceBefore(l, o.scope)
	}
	m, srcs := wideAccess(l, s, a, &o)
	var v build.Value
	for k := range es {
		v = append(v, l.Read(&es[k], t)...)
	}
	l.Emit(op.STG, m, nil, append(srcs, expand.Whole(l.Group(v[:4])), expand.Whole(l.Group(v[4:])))...)
}
