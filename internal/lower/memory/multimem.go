package memory

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// An mbarrier counts up to zero in 20 bits; the high word of its contents
// holds pending arrivals from bit 11 on, the low word the expected ones from
// bit 1 on.
const (
	CountRange = 1 << 20
	CountShift = 11
)

// multimem lowers multimem: memory of several devices behind one address.
// Stores and reductions are the ordinary ones; a load that reduces has an
// instruction of its own, always of the widest scope.
func multimem(l *build.Builder) {
	l.Vectors()
	l.Knows(isa.WV8)
	switch {
	case l.Has(isa.WSt):
		St(l)
	case l.Has(isa.WRed):
		multimemRed(l)
	case l.Has(isa.WLdReduce):
		ldReduce(l)
	default:
		l.Unsupported()
	}
}

// multimemRed lowers multimem.red, which without a scope is of the system:
// its memory lies on many GPUs.
func multimemRed(l *build.Builder) {
	x := &Atomic{T: l.Typ(0), red: true, scope: op.MSYS, addr: &l.Args[0], space: isa.SpaceGlobal}
	if l.Has(isa.WGpu) || l.Has(isa.WCluster) {
		x.scope = op.MGPU
	}
	_, release := AtomMods(l, x)
	x.N = len(l.Elements(1))
	x.b = l.JoinedElements(1, x.T)
	if _, ok := x.Kind(); !ok {
		l.Unsupported()
	}
	if release {
		FenceBefore(l, x.scope)
	}
	atomOp(l, x)
}

func ldReduce(l *build.Builder) {
	t := l.Typ(0)
	x := &Atomic{T: t, N: len(l.Elements(0)), scope: op.MSYS}
	acquire, _ := AtomMods(l, x)
	l.Knows(isa.WWeak)
	kind, _ := x.Kind()
	fn := x.Fn
	switch {
	case t.Class() == isa.Float || t.Class() == isa.PackedFloat:
		if l.Has(isa.WAccF32) || l.Has(isa.WAccF16) {
			if fn = op.MF32ADD; l.Arch.Has(target.WideHalfSums) {
				fn = op.MHPADD
			}
		}
		if kind[0] == op.NoMod { // floats of eight bits
			l.Unsupported()
		}
		kind = op.M(kind[0], op.MRN) // nothing is flushed here
	case t == isa.U32 || t == isa.B32:
		kind = op.M(op.M32)
	}
	r := l.Tmp(max(1, x.N*t.Bits()/32))
	at := Address(l, &l.Args[1], isa.SpaceGlobal)[0]
	m := build.Join(build.Join(op.M(op.ME, fn), kind), op.M(op.MSTRONG, op.MSYS))
	l.Emit(op.LDGMC, m, build.Value{expand.Whole(r)}, at, build.NoUniform())
	if acquire {
		FenceAfter(l, x.scope)
	}
	x.old = r
	atomResult(l, x)
}

// NoComplete arrives without completing the phase. The machine gives the
// contents before the first thread's arrival to all of them, and the mask of
// the threads: each adds the arrivals of those before it.
func NoComplete(l *build.Builder, m op.Mods, a, n ori.Operand) build.Value {
	r := l.Tmp(2)
	l.Emit(op.SYNCS, m.With(op.MART0), build.Value{expand.Whole(r)}, a, build.NoUniform(), n)
	before := l.One(op.S2R, op.Mods{}, ori.Special(op.SRLtMask))
	count := l.One(op.POPC, op.Mods{}, l.And2(r[0], before))
	hi := l.Imad(l.Shl1(count, ori.Imm(CountShift)), n, r[1])
	return build.Value{r[0], hi}
}
