package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// mbarrier lowers mbarrier; newer machines count by themselves.
func (l *lowerer) mbarrier() {
	if !l.arch.Has(target.Mbarriers) {
		l.mbarrierOld()
		return
	}
	switch {
	case l.has(isa.WInit):
		l.mbarrierInit()
	case l.has(isa.WInval):
		l.emit(op.SYNCS, op.M(op.MCCTL, op.MIV), nil, l.barrierAddress(&l.args[0]), noUniform())
	case l.has(isa.WPendingCount):
		hi := l.src(1, isa.B64)[1]
		n := l.and2(l.shr1(hi, ori.Imm(countShift)), ori.Imm(countRange-1))
		l.copy(l.dst(0)[:1], value{l.one(op.IADD3, op.Mods{}, n.Negate(), ori.Imm(countRange), rz())})
	case l.has(isa.WTestWait) || l.has(isa.WTryWait):
		l.mbarrierWait()
	default:
		l.mbarrierArrive()
	}
}

// An mbarrier counts up to zero in 20 bits; the high word of its contents
// holds pending arrivals from bit 11 on, the low word the expected ones from
// bit 1 on.
const (
	countRange = 1 << 20
	countShift = 11
)

// barrierAddress returns the address of an mbarrier in shared memory as a
// register and an offset. A generic address has the same low word.
func (l *lowerer) barrierAddress(a *sema.Operand) ori.Operand {
	x := l.address(a, isa.SpaceShared)[0]
	if x.Reg == ori.NoReg {
		x = ori.Addr(l.reg(ori.Imm(x.Imm)), 0)
	}
	return x
}

// mbarrierInit exchanges the contents for a fresh barrier. The instruction
// is a uniform one.
func (l *lowerer) mbarrierInit() {
	var pair value
	if n := l.src1(1, isa.U32); n.Kind == ori.KImm {
		left := uint32(countRange - n.Imm)
		pair = value{word(left << 1), word(left << countShift)}
	} else {
		left := l.one(op.IADD3, op.Mods{}, n.Negate(), ori.Imm(countRange), rz())
		pair = value{l.shl1(left, ori.Imm(1)), l.shl1(left, ori.Imm(countShift))}
	}
	a := l.sharedWord(&l.args[0])
	l.emit(op.FENCE, op.M(op.MVIEW, op.MASYNC, op.MS), nil).Guard = ori.Operand{}
	l.issue(&order{blocks: []value{{a}, pair}, same: true, do: func(u []ori.Operand) *ori.Instr {
		return l.emit(op.SYNCS, op.M(op.MEXCH, op.M64), value{ori.Zero(ori.UR)}, ori.Addr(u[0], 0), u[1])
	}})
}

// eachValue runs do once for every different value among the threads, with
// the value in uniform registers: each turn takes the value of one thread
// and lets all threads that have it go on. What is not a uniform operation
// must stand under the predicate p, which tells those threads. Words that are
// none are left out.
func (l *lowerer) eachValue(v value, do func(u, p ori.Operand)) {
	u := l.f.NewReg(ori.UR, len(v))
	for n := range v {
		if v[n].Kind != ori.KNone {
			v[n] = l.reg(v[n])
		}
	}
	l.repeat(func() ori.Operand {
		done := pt()
		for n := range v {
			if v[n].Kind != ori.KNone {
				l.emit(op.R2UR, op.Mods{}, value{l.f.Word(u, n)}, v[n])
			}
		}
		for n := range v {
			if v[n].Kind != ori.KNone {
				p := l.pred()
				l.emit(op.ISETP, op.M(op.MEQ, op.MU32, op.MAND), value{p}, v[n], l.f.Word(u, n), done)
				done = p
			}
		}
		do(l.f.Words(u), done)
		return done
	})
}

// mbarrierFences reads the modifiers of order and scope, and adds the fence of a
// release. It returns whether an acquire must follow.
func (l *lowerer) mbarrierFences(arrives bool) (acquire bool) {
	release := arrives && !l.has(isa.WRelaxed)
	for _, w := range [...]isa.Word{isa.WRelaxed, isa.WRelease, isa.WAcquire, isa.WCta} {
		l.knows(w)
	}
	if !l.has(isa.WCluster) {
		return false
	}
	if release && l.has(isa.WRelease) {
		l.fenceBefore(op.MGPU)
	}
	return l.has(isa.WAcquire)
}

// mbarrierWait lowers test_wait and try_wait.
func (l *lowerer) mbarrierWait() {
	m := op.M(op.MPHASECHK, op.MTRANS64)
	first := m
	if l.has(isa.WTryWait) {
		first = m.With(op.MTRYWAIT)
	}
	acquire := l.mbarrierFences(false)
	a := l.barrierAddress(&l.args[1])
	var phase ori.Operand
	if l.has(isa.WParity) {
		phase = l.shl1(l.src1(2, isa.U32), ori.Imm(31))
	} else {
		phase = l.reg(l.src(2, isa.B64)[1])
	}
	p := l.dstPred(0)
	if len(l.args) <= 3 && !acquire {
		l.emit(op.SYNCS, first, value{p}, a, noUniform(), phase)
		return
	}
	l.alone(func() {
		l.emit(op.SYNCS, first, value{p}, a, noUniform(), phase)
		if len(l.args) > 3 {
			l.either(p.Not(), func() {
				l.emit(op.NANOSLEEP, op.M(op.MSYNCS), nil, l.reg(l.src1(3, isa.U32)))
				l.emit(op.SYNCS, m, value{p}, a, noUniform(), phase)
			}, nil)
		}
		if acquire {
			l.emitIf(p, op.CCTL, op.M(op.MIVALL), nil)
		}
	})
}

// mbarrierArrive lowers arrive, arrive_drop, expect_tx and complete_tx.
func (l *lowerer) mbarrierArrive() {
	drop, arrive := l.has(isa.WArriveDrop), l.has(isa.WArrive)
	expect, complete := l.has(isa.WExpectTx), l.has(isa.WCompleteTx)
	at := 0
	m := op.M(op.MARRIVE, op.MTRANS64)
	r := value{rz()}
	result := drop || arrive
	if result {
		at = 1
	}
	if !result && !expect && !complete {
		l.unsupported()
	}
	if result && l.args[0].Kind == isa.KReg && !l.remote() {
		r = l.tmp(2)
	} else if !result || l.remote() {
		m = m.With(op.MRED)
	}
	partial := l.has(isa.WNoComplete)
	if partial {
		m = m.With(op.MTMASK)
	}
	if drop {
		m = m.With(op.MOPTOUT)
	}
	l.mbarrierFences(result)
	n := rz()
	if at+1 < len(l.args) {
		n = l.reg(l.src1(at+1, isa.U32))
	}
	switch {
	case partial:
		if len(r) == 2 {
			l.copy(l.dst(0), l.noComplete(m, l.barrierAddress(&l.args[at]), n))
		} else {
			l.noComplete(m, l.barrierAddress(&l.args[at]), n)
		}
		return
	case complete:
		m = m.With(op.MA0TX)
	case expect && !result:
		m = m.With(op.MA0TR)
	case expect:
	case at+1 < len(l.args):
		m = m.With(op.MART0)
	default:
		m = m.With(op.MA1T0)
	}
	l.emit(op.SYNCS, m, value{whole(r)}, l.barrierAddress(&l.args[at]), noUniform(), n)
	if len(r) == 2 {
		l.copy(l.dst(0), r)
	}
}
