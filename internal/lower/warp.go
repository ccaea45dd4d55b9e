package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// isFull reports whether a mask names all threads.
func isFull(mask ori.Operand) bool { return mask.Kind == ori.KImm && uint32(mask.Imm) == 0xffffffff }

// gather brings the threads that a mask names together.
func (l *lowerer) gather(mask ori.Operand) {
	if isFull(mask) {
		l.emit(op.WARPSYNC, op.M(op.MALL), nil)
		return
	}
	l.emit(op.WARPSYNC, op.Mods{}, nil, l.reg(mask))
}

// among runs an operation of the whole warp for the threads that a mask
// names. Threads with different masks take turns, so that each group sees
// its own members only.
func (l *lowerer) among(mask ori.Operand, do func()) {
	if isFull(mask) {
		l.gather(mask)
		do()
		return
	}
	if !l.arch.Has(target.WarpSyncAll) {
		l.alone(func() { l.inTurn(mask, do) })
		return
	}
	l.alone(func() {
		join := l.f.NewBlock()
		join.Kept = true
		k := l.f.Words(l.f.NewReg(ori.B, 1))
		l.emit(op.BSSY, op.Mods{}, value{k}, ori.Label(join))
		l.emit(op.WARPSYNC, op.M(op.MEXCLUSIVE), nil, l.reg(mask))
		do()
		l.fall(join)
		l.emit(op.BSYNC, op.Mods{}, nil, k)
	})
}

// inTurn runs an operation for each mask that threads have, one after the
// other: those that have it meet and do it alone.
func (l *lowerer) inTurn(mask ori.Operand, do func()) {
	m := l.reg(mask)
	l.emit(op.WARPSYNC, op.Mods{}, nil, m)
	l.eachValue(value{m}, func(_, p ori.Operand) {
		l.either(p, do, nil)
	})
}

// shfl lowers shfl.sync.
func (l *lowerer) shfl() {
	mode := op.MIDX
	l.knows(isa.WIdx)
	switch {
	case l.has(isa.WUp):
		mode = op.MUP
	case l.has(isa.WDown):
		mode = op.MDOWN
	case l.has(isa.WBfly):
		mode = op.MBFLY
	}
	t := isa.B32
	if l.has(isa.WSync) {
		mask := l.src1(4, t)
		if l.meets(findSync(op.SHFL, mode, op.NoMod, false), mask, func() value { return value{l.src1(1, t), l.src1(2, t), l.src1(3, t)} }) {
			return
		}
		l.gather(mask)
	}
	p := pt()
	if l.args[0].Pair >= 0 {
		p = l.f.Words(l.regs[l.args[0].Pair])
	}
	l.emit(op.SHFL, op.M(mode), value{p, l.dst(0)[0]}, l.reg(l.src1(1, t)), l.src1(2, t), l.src1(3, t))
}

// vote lowers vote.sync.
func (l *lowerer) vote() {
	if !l.has(isa.WSync) {
		l.voteOp()
		return
	}
	mode, pred := op.MANY, true
	switch {
	case l.has(isa.WBallot):
		pred = false
	case l.has(isa.WAll):
		mode = op.MALL
	case l.has(isa.WUni):
		mode = op.MEQ
	default:
		l.knows(isa.WAny)
	}
	mask := l.src1(len(l.args)-1, isa.B32)
	if !l.meets(findSync(op.VOTE, mode, op.NoMod, pred), mask, func() value { return value{l.bit(l.predicate(1))} }) {
		l.among(mask, l.voteOp)
	}
}

func (l *lowerer) voteOp() {
	p := l.predicate(1)
	switch {
	case l.has(isa.WBallot):
		l.emit(op.VOTE, op.M(op.MANY), value{l.dst(0)[0], pt()}, p)
	case l.has(isa.WAll):
		l.emit(op.VOTE, op.M(op.MALL), value{l.dstPred(0)}, p)
	case l.has(isa.WAny):
		l.emit(op.VOTE, op.M(op.MANY), value{l.dstPred(0)}, p)
	case l.has(isa.WUni):
		l.emit(op.VOTE, op.M(op.MEQ), value{l.dstPred(0)}, p)
	default:
		l.unsupported()
	}
}

// activemask lowers activemask.
func (l *lowerer) activemask() {
	l.emit(op.VOTE, op.M(op.MANY), value{l.dst(0)[0], pt()}, pt())
}

// match lowers match.sync.
func (l *lowerer) match() {
	l.knows(isa.WSync)
	t := l.typ(0)
	mode, w := op.MANY, op.NoMod
	if !l.has(isa.WAny) {
		mode = op.MALL
	}
	if words(t) == 2 {
		w = op.MU64
	}
	mask := l.src1(2, isa.B32)
	if l.meets(findSync(op.MATCH, mode, w, false), mask, func() value { return l.src(1, t) }) {
		l.knows(isa.WAll)
		return
	}
	l.among(mask, l.matchOp)
}

func (l *lowerer) matchOp() {
	t := l.typ(0)
	var w op.Mod
	if words(t) == 2 {
		w = op.MU64
	}
	a := whole(l.group(l.src(1, t)))
	if l.has(isa.WAny) {
		l.emit(op.MATCH, mods(op.MANY, w), value{l.dst(0)[0]}, a)
		return
	}
	l.knows(isa.WAll)
	p := pt()
	if l.args[0].Pair >= 0 {
		p = l.f.Words(l.regs[l.args[0].Pair])
	}
	l.emit(op.MATCH, mods(op.MALL, w), value{p, l.dst(0)[0]}, a)
}

// reductions maps the operations of redux.sync; and prints nothing.
var reductions = [...]struct {
	word isa.Word
	mod  op.Mod
}{
	{isa.WAdd, op.MSUM}, {isa.WMin, op.MMIN}, {isa.WMax, op.MMAX}, {isa.WAnd, op.NoMod}, {isa.WOr, op.MOR}, {isa.WXor, op.MXOR},
}

// reduxFloat returns the modifiers of a reduction of floats.
func (l *lowerer) reduxFloat() op.Mods {
	min, abs := l.has(isa.WMin), l.has(isa.WAbs)
	l.knows(isa.WMax)
	fn := op.MMAX
	switch {
	case min && abs:
		fn = op.MMINABS
	case min:
		fn = op.MMIN
	case abs:
		fn = op.MMAXABS
	}
	if l.has(isa.WNaN) {
		return op.M(fn, op.MF32, op.MNAN)
	}
	return op.M(fn, op.MF32)
}

// reduction is the instruction of a reduction: some machines have another
// one for the least and the greatest.
func (l *lowerer) reduction(m op.Mods) op.Op {
	if l.arch.Has(target.ConvergedRedux) && (m.Has(op.MF32) || m.Has(op.MMIN) || m.Has(op.MMAX)) {
		return op.CREDUX
	}
	return op.REDUX
}

// redux lowers redux.sync: the result is uniform.
func (l *lowerer) redux() {
	t := l.typ(0)
	l.knows(isa.WSync)
	if t.Class() == isa.Float {
		m, mask := l.reduxFloat(), l.src1(2, isa.B32)
		if !l.meets(findRedux(m), mask, func() value { return value{l.src1(1, t)} }) {
			l.among(mask, func() { l.reduxOp(m) })
		}
		return
	}
	for _, r := range reductions {
		if !l.has(r.word) {
			continue
		}
		s := op.NoMod
		if t.Class() == isa.Signed && (r.word == isa.WMin || r.word == isa.WMax || r.word == isa.WAdd) {
			s = op.MS32
		}
		mask := l.src1(2, isa.B32)
		if !l.meets(findSync(op.REDUX, r.mod, s, false), mask, func() value { return value{l.src1(1, t)} }) {
			l.among(mask, func() { l.reduxOp(mods(r.mod, s)) })
		}
		return
	}
	l.unsupported()
}

func (l *lowerer) reduxOp(m op.Mods) {
	u := l.f.Words(l.f.NewReg(ori.UR, 1))
	l.emit(l.reduction(m), m, value{u}, l.reg(l.src1(1, l.typ(0))))
	l.emit(op.MOV, op.Mods{}, l.dst(0)[:1], u)
}

// elect lowers elect.sync.
func (l *lowerer) elect() {
	l.knows(isa.WSync)
	mask := l.src1(1, isa.B32)
	if !l.meets(findSync(op.ELECT, op.NoMod, op.NoMod, false), mask, func() value { return nil }) {
		l.among(mask, l.electOp)
	}
}

func (l *lowerer) electOp() {
	p := pt()
	if l.args[0].Pair >= 0 {
		p = l.f.Words(l.regs[l.args[0].Pair])
	}
	u := l.f.Words(l.f.NewReg(ori.UR, 1))
	l.emit(op.ELECT, op.Mods{}, value{p, u}, pt())
	if l.args[0].Kind == isa.KReg {
		l.emit(op.MOV, op.Mods{}, l.dst(0)[:1], u)
	}
}

// nanosleep lowers nanosleep.
func (l *lowerer) nanosleep() { l.emit(op.NANOSLEEP, op.Mods{}, nil, l.src1(0, isa.U32)) }

// membar lowers membar and fence.
func (l *lowerer) membar() {
	if l.has(isa.WProxy) || l.has(isa.WMbarrierInit) {
		l.proxyFence()
		return
	}
	kind := op.MSC
	if l.in.Op == isa.WFence && !l.has(isa.WSc) {
		kind = op.MALL
	}
	acquire, release := true, true
	scope := op.MGPU
	for _, w := range l.body.ModsOf(l.in) {
		l.knows(w)
		switch w {
		case isa.WCta:
			scope = op.MCTA
		case isa.WSys:
			scope = op.MSYS
		case isa.WGl, isa.WGpu, isa.WCluster, isa.WSc, isa.WAcqRel:
		case isa.WSyncRestrictSharedCluster, isa.WSyncRestrictSharedCta:
			l.proxyFence()
			return
		case isa.WAcquire:
			release = false
		case isa.WRelease:
			acquire = false
		default:
			l.unsupported()
		}
	}
	if scope == op.MCTA {
		if release {
			l.emit(op.MEMBAR, op.M(kind, scope), nil)
		}
		return
	}
	if release {
		l.emit(op.MEMBAR, op.M(kind, scope), nil)
		l.emit(op.ERRBAR, op.Mods{}, nil)
		if l.arch.Has(target.Clusters) {
			l.emit(op.CGAERRBAR, op.Mods{}, nil)
		}
	}
	if acquire {
		l.emit(op.CCTL, op.M(op.MIVALL), nil)
	}
}

// proxyFence lowers fences between the ways memory is reached by.
func (l *lowerer) proxyFence() {
	release := l.has(isa.WRelease)
	l.knows(isa.WAcquire)
	for _, w := range [...]isa.Word{isa.WCta, isa.WCluster, isa.WGpu, isa.WSys, isa.WAsyncGeneric, isa.WSyncRestrictSharedCluster, isa.WSyncRestrictSharedCta} {
		l.knows(w)
	}
	view := func(m op.Mod) { l.emit(op.FENCE, op.M(op.MVIEW, op.MASYNC, m), nil) }
	switch {
	case l.has(isa.WMbarrierInit): // nothing is left to do
	case l.has(isa.WSyncRestrictSharedCluster) || l.has(isa.WSyncRestrictSharedCta):
		if release {
			l.emit(op.MEMBAR, op.M(op.MALL, op.MCTA), nil)
			view(op.MS)
		}
	case l.has(isa.WAsync):
		s := isa.Generic
		if l.in.NSpaces > 0 {
			s = l.in.Spaces[0]
		}
		switch s {
		case isa.SpaceGlobal:
			view(op.MG)
			return
		case isa.SpaceSharedCTA:
			l.emit(op.MEMBAR, op.M(op.MALL, op.MCTA), nil)
		default:
			l.emit(op.MEMBAR, op.M(op.MALL, op.MGPU), nil)
		}
		view(op.MS)
	case l.has(isa.WAlias):
		l.emit(op.MEMBAR, op.M(op.MSC, op.MSYS), nil)
		l.emit(op.CCTL, op.M(op.MIVALL), nil)
	case l.has(isa.WTensormapGeneric) && release:
		scope := op.MGPU
		if l.has(isa.WSys) {
			scope = op.MSYS
		}
		l.fenceBefore(scope)
	case l.has(isa.WTensormapGeneric):
		// the map is read only when all that came before is over
		l.emit(op.DEPBAR, op.Mods{}, nil, ori.Special(op.SRScoreboards))
		l.tensormapCache(op.MIV, &l.args[0])
	default:
		l.unsupported()
	}
}
