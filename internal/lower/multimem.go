package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// multimem lowers multimem: memory of several devices behind one address.
// Stores and reductions are the ordinary ones; a load that reduces has an
// instruction of its own, always of the widest scope.
func (l *lowerer) multimem() {
	l.vectors()
	l.knows(isa.WV8)
	switch {
	case l.has(isa.WSt):
		l.st()
	case l.has(isa.WRed):
		l.multimemRed()
	case l.has(isa.WLdReduce):
		l.ldReduce()
	default:
		l.unsupported()
	}
}

func (l *lowerer) multimemRed() {
	x := &atomic{t: l.typ(0), red: true, scope: op.MGPU, addr: &l.args[0], space: isa.SpaceGlobal}
	_, release := l.atomMods(x)
	x.n = len(l.elements(1))
	x.b = l.joinedElements(1, x.t)
	if _, ok := x.kind(); !ok {
		l.unsupported()
	}
	if release {
		l.fenceBefore(x.scope)
	}
	l.atomOp(x)
}

func (l *lowerer) ldReduce() {
	t := l.typ(0)
	x := &atomic{t: t, n: len(l.elements(0)), scope: op.MSYS}
	acquire, _ := l.atomMods(x)
	l.knows(isa.WWeak)
	kind, _ := x.kind()
	fn := x.fn
	switch {
	case t.Class() == isa.Float || t.Class() == isa.PackedFloat:
		if l.has(isa.WAccF32) || l.has(isa.WAccF16) {
			if fn = op.MF32ADD; l.arch.Has(target.WideHalfSums) {
				fn = op.MHPADD
			}
		}
		if kind[0] == op.NoMod { // floats of eight bits
			l.unsupported()
		}
		kind = op.M(kind[0], op.MRN) // nothing is flushed here
	case t == isa.U32 || t == isa.B32:
		kind = op.M(op.M32)
	}
	r := l.tmp(max(1, x.n*t.Bits()/32))
	at := l.address(&l.args[1], isa.SpaceGlobal)[0]
	m := join(join(op.M(op.ME, fn), kind), op.M(op.MSTRONG, op.MSYS))
	l.emit(op.LDGMC, m, value{whole(r)}, at, noUniform())
	if acquire {
		l.fenceAfter(x.scope)
	}
	x.old = r
	l.atomResult(x)
}

// noComplete arrives without completing the phase. The machine gives the
// contents before the first thread's arrival to all of them, and the mask of
// the threads: each adds the arrivals of those before it.
func (l *lowerer) noComplete(m op.Mods, a, n ori.Operand) value {
	r := l.tmp(2)
	l.emit(op.SYNCS, m.With(op.MART0), value{whole(r)}, a, noUniform(), n)
	before := l.one(op.S2R, op.Mods{}, ori.Special(op.SRLtMask))
	count := l.one(op.POPC, op.Mods{}, l.and2(r[0], before))
	hi := l.imad(l.shl1(count, ori.Imm(countShift)), n, r[1])
	return value{r[0], hi}
}
