package memory

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// ld lowers ld.
func ld(l *build.Builder) {
	t := l.Typ(0)
	a := &l.Args[1]
	switch s := Space(l, a); s {
	case isa.SpaceParam:
		ldParam(l, t, a)
	case isa.SpaceGlobal, isa.Generic, isa.SpaceShared, isa.SpaceLocal:
		load(l, t, s, a)
	case isa.SpaceConst:
		ldConst(l, t, a)
	default:
		l.Unsupported()
	}
}

// ldConst reads the user's constants from bank 3.
func ldConst(l *build.Builder, t isa.Type, a *sema.Operand) {
	ordering(l)
	off := int64(a.Value)
	src := ori.Const(3, 0)
	switch a.Base {
	case isa.KReg:
		src.Reg, src.Class = Index(l, a), ori.R
		if off < minBankOffset || off > maxBankOffset {
			src.Reg = l.Iadd(l.F.Words(src.Reg), expand.Word(uint32(off))).Reg
			off = 0
		}
	case isa.KSymbol:
		sym := l.ModuleSym(a)
		if sym < 0 {
			l.Unsupported()
		}
		name := l.Module.Syms[sym].Name
		switch {
		case l.Layout.Object:
			ldConstNamed(l, t, l.SymbolPart(name, ori.PartAbs), off)
			return
		case l.Layout.Keep:
			ldConstNamed(l, t, l.PlacedPart(name, l.Layout.Const[name]), off)
			return
		}
		off += l.Layout.Const[name]
	default:
		l.Unsupported()
	}
	es := l.Elements(0)
	for k := range es {
		src.Imm = off + int64(k*t.Bits()/8)
		if es[k].Kind == isa.KSink {
			continue
		}
		l.Spread(l.Words(l.Regs[es[k].Ref]), bank(l, src, t.Bits(), t.Class() == isa.Signed), t)
	}
}

// St lowers st to memory that is written at once.
func St(l *build.Builder) {
	t := l.Typ(0)
	a := &l.Args[0]
	s := Space(l, a)
	if s == isa.SpaceParam {
		stParam(l, t, a)
		return
	}
	if s != isa.SpaceGlobal && s != isa.Generic && s != isa.SpaceShared && s != isa.SpaceLocal {
		l.Unsupported()
	}
	es, bits, s := vector(l, 1, t, s)
	if bits > 128 {
		storeWide(l, t, s, a, es)
		return
	}
	x := AccessOf(s)
	o := ordering(l)
	withDefault(l, &o, s, l.Opts.Caches.Store, l.Opts.Caches.ForceStore)
	if o.release {
		FenceBefore(l, o.scope)
	}
	m := ModsOf(x, &o, build.Width(bits, false))
	srcs := Target(l, a, s, &o)
	var v build.Value
	for k := range es {
		v = append(v, l.Read(&es[k], t)...)
	}
	if t.Bits() < 32 && len(es) > 1 {
		v = l.Joined(v, t.Bits())
	}
	srcs = append(srcs, expand.Whole(l.Group(v)))
	l.Emit(x.Store, m, nil, srcs...)
}
