package warp

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// shfl lowers shfl.sync.
func shfl(l *build.Builder) {
	mode := op.MIDX
	l.Knows(isa.WIdx)
	switch {
	case l.Has(isa.WUp):
		mode = op.MUP
	case l.Has(isa.WDown):
		mode = op.MDOWN
	case l.Has(isa.WBfly):
		mode = op.MBFLY
	}
	if !l.Has(isa.WSync) {
		shflOp(l, mode, l.Reg(l.Src1(1, isa.B32)))
		return
	}
	mask := l.Near(4)
	gathers(l, findSync(op.SHFL, mode, op.NoMod, false), mask, func() build.Value { return build.Value{l.Src1(1, isa.B32), l.Near(2), l.Near(3)} }, nil, func() {
		word := l.Reg(l.Src1(1, isa.B32)) // before the threads gather: a shuffle that goes takes what stands next to it along
		Gather(l, mask)
		shflOp(l, mode, word)
	})
}

func shflOp(l *build.Builder, mode op.Mod, word ori.Operand) {
	p := expand.PT()
	if l.Args[0].Pair >= 0 {
		p = l.F.Words(l.Regs[l.Args[0].Pair])
	}
	l.Emit(op.SHFL, op.M(mode), build.Value{p, l.Dst(0)[0]}, word, l.Near(2), l.Near(3))
}

// vote lowers vote.sync.
func vote(l *build.Builder) {
	if !l.Has(isa.WSync) {
		voteOp(l)
		return
	}
	mode, pred := op.MANY, true
	switch {
	case l.Has(isa.WBallot):
		pred = false
	case l.Has(isa.WAll):
		mode = op.MALL
	case l.Has(isa.WUni):
		mode = op.MEQ
	default:
		l.Knows(isa.WAny)
	}
	mask := l.Near(len(l.Args) - 1)
	gathers(l, findSync(op.VOTE, mode, op.NoMod, pred), mask, func() build.Value { return nil }, func() ori.Operand { return l.Predicate(1) }, func() {
		among(l, mask, func() { voteOp(l) })
	})
}

func voteOp(l *build.Builder) {
	p := l.Predicate(1)
	switch {
	case l.Has(isa.WBallot):
		l.Emit(op.VOTE, op.M(op.MANY), build.Value{l.Dst(0)[0], expand.PT()}, p)
	case l.Has(isa.WAll):
		l.Emit(op.VOTE, op.M(op.MALL), build.Value{l.DstPred(0)}, p)
	case l.Has(isa.WAny):
		l.Emit(op.VOTE, op.M(op.MANY), build.Value{l.DstPred(0)}, p)
	case l.Has(isa.WUni):
		l.Emit(op.VOTE, op.M(op.MEQ), build.Value{l.DstPred(0)}, p)
	default:
		l.Unsupported()
	}
}

// activemask lowers activemask.
func activemask(l *build.Builder) {
	l.Emit(op.VOTE, op.M(op.MANY), build.Value{l.Dst(0)[0], expand.PT()}, expand.PT())
}

// match lowers match.sync.
func match(l *build.Builder) {
	l.Knows(isa.WSync)
	t := l.Typ(0)
	mode, w := op.MANY, op.NoMod
	if !l.Has(isa.WAny) {
		mode = op.MALL
	}
	if build.Words(t) == 2 {
		w = op.MU64
	}
	mask := l.Near(2)
	l.Knows(isa.WAll)
	gathers(l, findSync(op.MATCH, mode, w, false), mask, func() build.Value { return l.Src(1, t) }, nil, func() {
		among(l, mask, func() { matchOp(l) })
	})
}

func matchOp(l *build.Builder) {
	t := l.Typ(0)
	var w op.Mod
	if build.Words(t) == 2 {
		w = op.MU64
	}
	a := expand.Whole(l.Group(l.Src(1, t)))
	if l.Has(isa.WAny) {
		l.Emit(op.MATCH, build.Mods(op.MANY, w), build.Value{l.Dst(0)[0]}, a)
		return
	}
	l.Knows(isa.WAll)
	p := expand.PT()
	if l.Args[0].Pair >= 0 {
		p = l.F.Words(l.Regs[l.Args[0].Pair])
	}
	l.Emit(op.MATCH, build.Mods(op.MALL, w), build.Value{p, l.Dst(0)[0]}, a)
}

// reduxFloat returns the modifiers of a reduction of floats.
func reduxFloat(l *build.Builder) op.Mods {
	min, abs := l.Has(isa.WMin), l.Has(isa.WAbs)
	l.Knows(isa.WMax)
	fn := op.MMAX
	switch {
	case min && abs:
		fn = op.MMINABS
	case min:
		fn = op.MMIN
	case abs:
		fn = op.MMAXABS
	}
	if l.Has(isa.WNaN) {
		return op.M(fn, op.MF32, op.MNAN)
	}
	return op.M(fn, op.MF32)
}

// redux lowers redux.sync: the result is uniform.
func redux(l *build.Builder) {
	t := l.Typ(0)
	l.Knows(isa.WSync)
	if t.Class() == isa.Float {
		m, mask := reduxFloat(l), l.Near(2)
		gathers(l, findRedux(m), mask, func() build.Value { return build.Value{l.Src1(1, t)} }, nil, func() {
			among(l, mask, func() { reduxOp(l, m) })
		})
		return
	}
	for _, r := range reductions {
		if !l.Has(r.word) {
			continue
		}
		s := op.NoMod
		if t.Class() == isa.Signed && (r.word == isa.WMin || r.word == isa.WMax || r.word == isa.WAdd) {
			s = op.MS32
		}
		mask := l.Near(2)
		gathers(l, findSync(op.REDUX, r.mod, s, false), mask, func() build.Value { return build.Value{l.Src1(1, t)} }, nil, func() {
			among(l, mask, func() { reduxOp(l, build.Mods(r.mod, s)) })
		})
		return
	}
	l.Unsupported()
}

func reduxOp(l *build.Builder, m op.Mods) {
	u := l.F.Words(l.F.NewReg(ori.UR, 1))
	l.Emit(reduction(l, m), m, build.Value{u}, l.Reg(l.Src1(1, l.Typ(0))))
	l.Emit(op.MOV, op.Mods{}, l.Dst(0)[:1], u)
}

// elect lowers elect.sync.
func elect(l *build.Builder) {
	l.Knows(isa.WSync)
	mask := l.Near(1)
	gathers(l, findSync(op.ELECT, op.NoMod, op.NoMod, false), mask, func() build.Value { return nil }, nil, func() {
		among(l, mask, func() { electOp(l) })
	})
}

func electOp(l *build.Builder) {
	p := expand.PT()
	if l.Args[0].Pair >= 0 {
		p = l.F.Words(l.Regs[l.Args[0].Pair])
	}
	u := l.F.Words(l.F.NewReg(ori.UR, 1))
	l.Emit(op.ELECT, op.Mods{}, build.Value{p, u}, expand.PT())
	if l.Args[0].Kind == isa.KReg {
		l.Emit(op.MOV, op.Mods{}, l.Dst(0)[:1], u)
	}
}

// nanosleep lowers nanosleep.
func nanosleep(l *build.Builder) { l.Emit(op.NANOSLEEP, op.Mods{}, nil, l.Src1(0, isa.U32)) }

// membar lowers membar and fence.
func membar(l *build.Builder) {
	if l.Has(isa.WProxy) || l.Has(isa.WMbarrierInit) {
		proxyFence(l)
		return
	}
	kind := op.MSC
	if l.In.Op == isa.WFence && !l.Has(isa.WSc) {
		kind = op.MALL
	}
	acquire, release := true, true
	scope := op.MGPU
	for _, w := range l.Body.ModsOf(l.In) {
		l.Knows(w)
		switch w {
		case isa.WCta:
			scope = op.MCTA
		case isa.WSys:
			scope = op.MSYS
		case isa.WGl, isa.WGpu, isa.WCluster, isa.WSc, isa.WAcqRel:
		case isa.WSyncRestrictSharedCluster, isa.WSyncRestrictSharedCta:
			proxyFence(l)
			return
		case isa.WAcquire:
			release = false
		case isa.WRelease:
			acquire = false
		default:
			l.Unsupported()
		}
	}
	if scope == op.MCTA {
		if release {
			l.Emit(op.MEMBAR, op.M(kind, scope), nil)
		}
		return
	}
	if release {
		l.Emit(op.MEMBAR, op.M(kind, scope), nil)
		l.Emit(op.ERRBAR, op.Mods{}, nil)
		if l.Arch.Has(target.Clusters) {
			l.Emit(op.CGAERRBAR, op.Mods{}, nil)
		}
	}
	if acquire {
		l.Emit(op.CCTL, op.M(op.MIVALL), nil)
	}
}

// proxyFence lowers fences between the ways memory is reached by.
func proxyFence(l *build.Builder) {
	release := l.Has(isa.WRelease)
	l.Knows(isa.WAcquire)
	for _, w := range [...]isa.Word{isa.WCta, isa.WCluster, isa.WGpu, isa.WSys, isa.WAsyncGeneric, isa.WSyncRestrictSharedCluster, isa.WSyncRestrictSharedCta} {
		l.Knows(w)
	}
	view := func(m op.Mod) { l.Emit(op.FENCE, op.M(op.MVIEW, op.MASYNC, m), nil) }
	switch {
	case l.Has(isa.WMbarrierInit): // nothing is left to do
	case l.Has(isa.WSyncRestrictSharedCluster) || l.Has(isa.WSyncRestrictSharedCta):
		if release {
			l.Emit(op.MEMBAR, op.M(op.MALL, op.MCTA), nil)
			view(op.MS)
		}
	case l.Has(isa.WAsync):
		s := isa.Generic
		if l.In.NSpaces > 0 {
			s = l.In.Spaces[0]
		}
		switch s {
		case isa.SpaceGlobal:
			view(op.MG)
			return
		case isa.SpaceSharedCTA:
			l.Emit(op.MEMBAR, op.M(op.MALL, op.MCTA), nil)
		default:
			l.Emit(op.MEMBAR, op.M(op.MALL, op.MGPU), nil)
		}
		view(op.MS)
	case l.Has(isa.WAlias):
		l.Emit(op.MEMBAR, op.M(op.MSC, op.MSYS), nil)
		l.Emit(op.CCTL, op.M(op.MIVALL), nil)
	case l.Has(isa.WTensormapGeneric) && release:
		scope := op.MGPU
		if l.Has(isa.WSys) {
			scope = op.MSYS
		}
		memory.FenceBefore(l, scope)
	case l.Has(isa.WTensormapGeneric):
		// the map is read only when all that came before is over
		l.Emit(op.DEPBAR, op.Mods{}, nil, ori.Special(op.SRScoreboards))
		memory.TensormapCache(l, op.MIV, &l.Args[0])
	default:
		l.Unsupported()
	}
}
