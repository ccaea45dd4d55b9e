package lower

import (
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

// surface reads the modifiers and the address of a surface access. Formatted
// accesses convert, others move bytes.
func (l *lowerer) surface(a *sema.Operand, head op.Mods) surface {
	g := l.geometry()
	if g.surf == op.NoMod {
		l.unsupported()
	}
	s := surface{head: head.With(g.surf), handle: l.handle(a)}
	order := op.MSM
	if !l.arch.Has(target.SMScope) {
		order = op.MCTA
	}
	switch {
	case l.has(isa.WCg) || l.has(isa.WCv) || l.has(isa.WWt) || l.in.Op == isa.WSured:
		order = op.MSYS
	case l.has(isa.WCs):
		s.evict = op.MEF
	}
	l.knows(isa.WCa)
	l.knows(isa.WWb)
	s.tail = op.M(op.MSTRONG, order)
	switch {
	case l.has(isa.WTrap):
		s.tail = s.tail.With(op.MTRAP)
	case l.has(isa.WZero):
		s.tail = s.tail.With(op.MIGN)
	default:
		l.knows(isa.WClamp)
	}
	v := l.coordinates(a, isa.B32)
	if g.layer { // the machine wants the layer last
		v = append(append(value{}, v[1:1+g.n]...), v[0])
	} else {
		v = v[:g.n]
	}
	s.at = ori.Addr(l.row(v), 0)
	s.at.Flags &^= ori.Wide
	return s
}

// mods joins the modifiers around those of the width.
func (s *surface) mods(w op.Mods) op.Mods { return join(join(join(s.head, mods(s.evict)), w), s.tail) }

// suld lowers suld.b.
func (l *lowerer) suld() {
	l.vectors()
	t := l.typ(0)
	if !l.has(isa.WB) {
		l.unsupported()
	}
	s := l.surface(&l.args[1], op.M(op.MD, op.MBA))
	es := l.elements(0)
	bits := t.Bits() * len(es)
	l.alone(func() {
		r := l.tmp(max(1, bits/32))
		l.eachSurface(s.handle, func(at value, p ori.Operand) {
			l.emitIf(p, op.SULD, s.mods(width(bits, false)), value{whole(r)}, append(value{s.at}, at...)...)
		})
		for k := range es {
			if es[k].Kind == isa.KReg {
				l.spread(l.words(l.regs[es[k].Ref]), l.part(r, t, k, len(es)), t)
			}
		}
	})
}

func (l *lowerer) vectors() {
	l.knows(isa.WV2)
	l.knows(isa.WV4)
}

// sust lowers sust.b and sust.p.
func (l *lowerer) sust() {
	l.vectors()
	t := l.typ(0)
	es := l.elements(1)
	head, w := op.M(op.MD, op.MBA), width(t.Bits()*len(es), false)
	if l.has(isa.WP) {
		head, w = op.M(op.MP), op.Mods{}
	} else {
		l.knows(isa.WB)
	}
	s := l.surface(&l.args[0], head)
	if l.has(isa.WP) {
		s.tail = partly(s.tail, len(es))
	}
	v := whole(l.group(l.joinedElements(1, t)))
	l.alone(func() {
		l.eachSurface(s.handle, func(at value, p ori.Operand) {
			l.emitIf(p, op.SUST, s.mods(w), nil, append(value{s.at, v}, at...)...)
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
func (l *lowerer) sured() {
	t := l.typ(0)
	head := op.M(op.MD)
	if l.has(isa.WB) {
		head = head.With(op.MBA)
	} else {
		l.knows(isa.WP)
	}
	x := &atomic{t: t, n: 1}
	l.atomMods(x)
	kind := op.Mods{}
	switch {
	case t == isa.S32 && (x.fn == op.MADD || x.fn == op.MMIN || x.fn == op.MMAX):
		kind = op.M(op.MS32)
	case t == isa.U64:
		kind = op.M(op.MU64)
	case t == isa.S64:
		kind = op.M(op.MS64)
	case t == isa.B32 && !l.has(isa.WB) && (x.fn == op.MMIN || x.fn == op.MMAX):
		kind = op.M(op.MSD32)
	case t == isa.B64 && !l.has(isa.WB):
		kind = op.M(op.MSD64)
	}
	s := l.surface(&l.args[0], head)
	b := whole(l.group(l.src(1, t)))
	l.alone(func() {
		l.eachSurface(s.handle, func(at value, p ori.Operand) {
			l.emitIf(p, op.SURED, join(join(s.head.With(x.fn), kind), s.tail), nil, append(value{s.at, b}, at...)...)
		})
	})
}
