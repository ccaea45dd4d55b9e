package texture

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// surface collects the modifiers of a surface access.
type surface struct {
	head, tail op.Mods // before and after what depends on the operation
	evict      op.Mod
	at         ori.Operand
	handle     handle
}

// surfaceOf reads the modifiers and the address of a surface access. Formatted
// accesses convert, others move bytes.
func surfaceOf(l *build.Builder, a *sema.Operand, head op.Mods) surface {
	g := geometryOf(l)
	if g.surf == op.NoMod {
		l.Unsupported()
	}
	s := surface{head: head.With(g.surf), handle: handleOf(l, a)}
	order := op.MSM
	if !l.Arch.Has(target.SMScope) {
		order = op.MCTA
	}
	switch {
	case l.Has(isa.WCg) || l.Has(isa.WCv) || l.Has(isa.WWt) || l.In.Op == isa.WSured:
		order = op.MSYS
	case l.Has(isa.WCs):
		s.evict = op.MEF
	}
	l.Knows(isa.WCa)
	l.Knows(isa.WWb)
	s.tail = op.M(op.MSTRONG, order)
	switch {
	case l.Has(isa.WTrap):
		s.tail = s.tail.With(op.MTRAP)
	case l.Has(isa.WZero):
		s.tail = s.tail.With(op.MIGN)
	default:
		l.Knows(isa.WClamp)
	}
	v := coordinates(l, a, isa.B32)
	if g.layer { // the machine wants the layer last
		v = append(append(build.Value{}, v[1:1+g.n]...), v[0])
	} else {
		v = v[:g.n]
	}
	s.at = ori.Addr(row(l, v), 0)
	s.at.Flags &^= ori.Wide
	return s
}

// mods joins the modifiers around those of the width.
func (s *surface) mods(w op.Mods) op.Mods {
	return build.Join(build.Join(build.Join(s.head, build.Mods(s.evict)), w), s.tail)
}

// suld lowers suld.b.
func suld(l *build.Builder) {
	l.Vectors()
	t := l.Typ(0)
	if !l.Has(isa.WB) {
		l.Unsupported()
	}
	s := surfaceOf(l, &l.Args[1], op.M(op.MD, op.MBA))
	es := l.Elements(0)
	bits := t.Bits() * len(es)
	l.Alone(func() {
		r := l.Tmp(max(1, bits/32))
		eachSurface(l, s.handle, func(at build.Value, p ori.Operand) {
			l.EmitIf(p, op.SULD, s.mods(build.Width(bits, false)), build.Value{expand.Whole(r)}, append(build.Value{s.at}, at...)...)
		})
		for k := range es {
			if es[k].Kind == isa.KReg {
				l.Spread(l.Words(l.Regs[es[k].Ref]), memory.Part(l, r, t, k, len(es)), t)
			}
		}
	})
}

// sust lowers sust.b and sust.p.
func sust(l *build.Builder) {
	l.Vectors()
	t := l.Typ(0)
	es := l.Elements(1)
	head, w := op.M(op.MD, op.MBA), build.Width(t.Bits()*len(es), false)
	if l.Has(isa.WP) {
		head, w = op.M(op.MP), op.Mods{}
	} else {
		l.Knows(isa.WB)
	}
	s := surfaceOf(l, &l.Args[0], head)
	if l.Has(isa.WP) {
		s.tail = partly(s.tail, len(es))
	}
	v := expand.Whole(l.Group(l.JoinedElements(1, t)))
	l.Alone(func() {
		eachSurface(l, s.handle, func(at build.Value, p ori.Operand) {
			l.EmitIf(p, op.SUST, s.mods(w), nil, append(build.Value{s.at, v}, at...)...)
		})
	})
}

// partly says how many of the four components a formatted store has.
func partly(tail op.Mods, n int) op.Mods {
	last := op.NoMod
	var out op.Mods
	for _, m := range tail {
		if m == op.MTRAP || m == op.MIGN {
			last = m
		} else if m != op.NoMod {
			out = out.With(m)
		}
	}
	switch n {
	case 1:
		out = out.With(op.MR)
	case 2:
		out = out.With(op.MRG)
	}
	if last != op.NoMod {
		out = out.With(last)
	}
	return out
}

// sured lowers sured.b and sured.p.
func sured(l *build.Builder) {
	t := l.Typ(0)
	head := op.M(op.MD)
	if l.Has(isa.WB) {
		head = head.With(op.MBA)
	} else {
		l.Knows(isa.WP)
	}
	x := &memory.Atomic{T: t, N: 1}
	memory.AtomMods(l, x)
	kind := op.Mods{}
	switch {
	case t == isa.S32 && (x.Fn == op.MADD || x.Fn == op.MMIN || x.Fn == op.MMAX):
		kind = op.M(op.MS32)
	case t == isa.U64:
		kind = op.M(op.MU64)
	case t == isa.S64:
		kind = op.M(op.MS64)
	case t == isa.B32 && !l.Has(isa.WB) && (x.Fn == op.MMIN || x.Fn == op.MMAX):
		kind = op.M(op.MSD32)
	case t == isa.B64 && !l.Has(isa.WB):
		kind = op.M(op.MSD64)
	}
	s := surfaceOf(l, &l.Args[0], head)
	b := expand.Whole(l.Group(l.Src(1, t)))
	l.Alone(func() {
		eachSurface(l, s.handle, func(at build.Value, p ori.Operand) {
			l.EmitIf(p, op.SURED, build.Join(build.Join(s.head.With(x.Fn), kind), s.tail), nil, append(build.Value{s.at, b}, at...)...)
		})
	})
}
