package call

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// bra lowers bra.
func bra(l *build.Builder) {
	l.Knows(isa.WUni)
	to := l.At[l.Body.Labels[l.Args[0].Ref].At]
	l.Emit(op.BRA, op.Mods{}, nil, ori.Label(to))
	l.Cur.AddEdge(to)
}

// retInst lowers ret.
func retInst(l *build.Builder) {
	l.Knows(isa.WUni)
	if l.Fn.Entry {
		l.Exit()
		return
	}
	l.Ret()
}

// numEvents is how many performance events there are.
const numEvents = 16

func pmevent(l *build.Builder) {
	n := int64(l.Args[0].Value)
	if l.Args[0].Kind != isa.KInt {
		l.Unsupported()
	}
	if !l.Has(isa.WMask) {
		n = 1 << (n % numEvents)
	}
	l.Emit(op.PMTRIG, op.Mods{}, nil, ori.Imm(n))
}

// griddepcontrol lowers griddepcontrol.
func griddepcontrol(l *build.Builder) {
	switch {
	case l.Has(isa.WWait):
		l.Emit(op.ACQBULK, op.Mods{}, nil)
	case l.Has(isa.WLaunchDependents):
		l.Emit(op.PREEXIT, op.Mods{}, nil)
	default:
		l.Unsupported()
	}
}

// untraded says why a function trades no registers, if it does not.
func untraded(l *build.Builder) int32 {
	p, o := &l.F.Props, &l.Module.Opts
	sized := p.ReqNTid[0] > 0 || p.MaxNTid[0] > 0
	switch {
	case o.Debug:
		return ori.UntradedDebug
	case o.Relocatable || o.InOrder:
		return ori.UntradedUnits
	case p.MaxNReg > 0, sized && p.MinNCTA > 0, o.MaxRRegCount > 0 && (o.Override || !sized):
		return 0
	}
	return ori.UntradedUnknown
}

// setmaxnreg gives registers back or asks for more, again and again until
// they are there. A kernel whose launch leaves open how many it has at first
// trades none, nor does one that is linked with functions that know nothing
// of it.
func setmaxnreg(l *build.Builder) {
	for _, w := range l.Body.ModsOf(l.In) {
		l.Knows(w)
	}
	if l.F.Props.Untraded = untraded(l); l.F.Props.Untraded != 0 {
		return
	}
	n := ori.Imm(int64(l.Args[0].Value))
	l.Alone(func() {
		at := l.F.NewBlock()
		at.Kept = true
		l.Emit(op.WARPSYNC, op.M(op.MALL), nil)
		l.Fall(at)
		if l.Has(isa.WDec) {
			l.Emit(op.USETMAXREG, op.M(op.MDEALLOC, op.MCTAPOOL), nil, n)
		} else {
			u := l.F.Words(l.F.NewReg(ori.UP, 1))
			l.Emit(op.USETMAXREG, op.M(op.MTRY_ALLOC, op.MCTAPOOL), build.Value{u}, n)
			got := l.Test(op.PLOP3, op.M(op.MLUT), expand.PT(), expand.PT(), u, ori.Imm(0x80), ori.Imm(0))
			l.Branch(got.Not(), at)
			l.Cur.Kept = true
			return
		}
		next := l.F.NewBlock()
		next.Kept = true
		l.Fall(next)
	})
}
