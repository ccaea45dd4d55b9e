package async

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

// mbarrier lowers mbarrier; newer machines count by themselves.
func mbarrier(l *build.Builder) {
	if !l.Arch.Has(target.Mbarriers) {
		mbarrierOld(l)
		return
	}
	switch {
	case l.Has(isa.WInit):
		l.UseMbarrier(ori.MbarrierInit)
		mbarrierInit(l)
	case l.Has(isa.WInval):
		l.UseMbarrier(ori.MbarrierInval)
		l.Emit(op.SYNCS, op.M(op.MCCTL, op.MIV), nil, barrierAddress(l, &l.Args[0]), build.NoUniform())
	case l.Has(isa.WPendingCount):
		hi := l.Src(1, isa.B64)[1]
		n := l.And2(l.Shr1(hi, ori.Imm(memory.CountShift)), ori.Imm(memory.CountRange-1))
		l.Copy(l.Dst(0)[:1], build.Value{l.One(op.IADD3, op.Mods{}, n.Negate(), ori.Imm(memory.CountRange), expand.RZ())})
	case l.Has(isa.WTestWait) || l.Has(isa.WTryWait):
		mbarrierWait(l)
	default:
		mbarrierArrive(l)
	}
}

// barrierAddress returns the address of an mbarrier in shared memory as a
// register and an offset. A generic address has the same low word.
func barrierAddress(l *build.Builder, a *sema.Operand) ori.Operand {
	x := memory.Address(l, a, isa.SpaceShared)[0]
	if x.Reg == ori.NoReg {
		x = ori.Addr(l.Reg(ori.Imm(x.Imm)), 0)
	}
	return x
}

// mbarrierInit exchanges the contents for a fresh barrier. The instruction
// is a uniform one.
func mbarrierInit(l *build.Builder) {
	var pair build.Value
	if n := l.Src1(1, isa.U32); n.Kind == ori.KImm {
		left := uint32(memory.CountRange - n.Imm)
		pair = build.Value{expand.Word(left << 1), expand.Word(left << memory.CountShift)}
	} else {
		left := l.One(op.IADD3, op.Mods{}, n.Negate(), ori.Imm(memory.CountRange), expand.RZ())
		pair = build.Value{l.Shl1(left, ori.Imm(1)), l.Shl1(left, ori.Imm(memory.CountShift))}
	}
	a := sharedWord(l, &l.Args[0])
	l.Emit(op.FENCE, op.M(op.MVIEW, op.MASYNC, op.MS), nil).Guard = ori.Operand{}
	l.Issue(&build.Order{Blocks: []build.Value{{a}, pair}, Same: true, Do: func(u []ori.Operand) *ori.Instr {
		return l.Emit(op.SYNCS, op.M(op.MEXCH, op.M64), build.Value{ori.Zero(ori.UR)}, ori.Addr(u[0], 0), u[1])
	}})
}

// mbarrierFences reads the modifiers of order and scope, and adds the fence of a
// release. It returns whether an acquire must follow.
func mbarrierFences(l *build.Builder, arrives bool) (acquire bool) {
	release := arrives && !l.Has(isa.WRelaxed)
	for _, w := range [...]isa.Word{isa.WRelaxed, isa.WRelease, isa.WAcquire, isa.WCta} {
		l.Knows(w)
	}
	if !l.Has(isa.WCluster) {
		return false
	}
	if release && l.Has(isa.WRelease) {
		memory.FenceBefore(l, op.MGPU)
	}
	return l.Has(isa.WAcquire)
}

// mbarrierWait lowers test_wait and try_wait.
func mbarrierWait(l *build.Builder) {
	m := op.M(op.MPHASECHK, op.MTRANS64)
	first, use := m, ori.MbarrierTestWait
	if l.Has(isa.WTryWait) {
		first, use = m.With(op.MTRYWAIT), ori.MbarrierTryWait
	}
	acquire := mbarrierFences(l, false)
	a := barrierAddress(l, &l.Args[1])
	var phase ori.Operand
	if l.Has(isa.WParity) {
		use++ // the same with a parity
		phase = l.Shl1(l.Src1(2, isa.U32), ori.Imm(31))
	} else {
		phase = l.Reg(l.Src(2, isa.B64)[1])
	}
	l.UseMbarrier(use)
	p := l.DstPred(0)
	if len(l.Args) <= 3 && !acquire {
		l.Emit(op.SYNCS, first, build.Value{p}, a, build.NoUniform(), phase)
		return
	}
	l.Alone(func() {
		l.Emit(op.SYNCS, first, build.Value{p}, a, build.NoUniform(), phase)
		if len(l.Args) > 3 {
			l.EmitIf(p.Not(), op.NANOSLEEP, op.M(op.MSYNCS), nil, l.Src1(3, isa.U32))
			l.EmitIf(p.Not(), op.SYNCS, m, build.Value{p}, a, build.NoUniform(), phase)
		}
		if acquire {
			l.EmitIf(p, op.CCTL, op.M(op.MIVALL), nil)
		}
	})
}

// mbarrierArrive lowers arrive, arrive_drop, expect_tx and complete_tx.
func mbarrierArrive(l *build.Builder) {
	drop, arrive := l.Has(isa.WArriveDrop), l.Has(isa.WArrive)
	expect, complete := l.Has(isa.WExpectTx), l.Has(isa.WCompleteTx)
	at := 0
	m := op.M(op.MARRIVE, op.MTRANS64)
	r := build.Value{expand.RZ()}
	result := drop || arrive
	if result {
		at = 1
	}
	if !result && !expect && !complete {
		l.Unsupported()
	}
	if result && l.Args[0].Kind == isa.KReg && !memory.Remote(l) {
		r = l.Tmp(2)
	} else if !result || memory.Remote(l) {
		m = m.With(op.MRED)
	}
	partial := l.Has(isa.WNoComplete)
	if partial {
		m = m.With(op.MTMASK)
	}
	if drop {
		m = m.With(op.MOPTOUT)
	}
	if result && !expect {
		l.UseMbarrier(arrival(drop, partial))
	}
	mbarrierFences(l, result)
	n := expand.RZ()
	if at+1 < len(l.Args) {
		n = l.Reg(l.Src1(at+1, isa.U32))
	}
	switch {
	case partial:
		if len(r) == 2 {
			l.Copy(l.Dst(0), memory.NoComplete(l, m, barrierAddress(l, &l.Args[at]), n))
		} else {
			memory.NoComplete(l, m, barrierAddress(l, &l.Args[at]), n)
		}
		return
	case complete:
		l.UseMbarrier(ori.MbarrierComplete)
		m = m.With(op.MA0TX)
	case expect && !result:
		l.UseMbarrier(ori.MbarrierExpect)
		m = m.With(op.MA0TR)
	case expect:
	case at+1 < len(l.Args):
		m = m.With(op.MART0)
	default:
		m = m.With(op.MA1T0)
	}
	l.Emit(op.SYNCS, m, build.Value{expand.Whole(r)}, barrierAddress(l, &l.Args[at]), build.NoUniform(), n)
	if len(r) == 2 {
		l.Copy(l.Dst(0), r)
	}
}

// arrival names an arrival that expects no bytes.
func arrival(drop, partial bool) ori.MbarrierUse {
	switch {
	case drop && partial:
		return ori.MbarrierDropNoComplete
	case drop:
		return ori.MbarrierDrop
	case partial:
		return ori.MbarrierArriveNoComplete
	}
	return ori.MbarrierArrive
}
