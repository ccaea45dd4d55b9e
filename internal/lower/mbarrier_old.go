package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Before sm_90 an mbarrier is two words of shared memory that atomics count
// up: the low one holds the expected arrivals, the high one the pending ones
// below the phase in bit 31. ATOMS.ARRIVE adds one to the pending arrivals;
// where that changes the phase it puts the expected ones in again.
const (
	oldExpected = 1 << 30
	oldPending  = 1 << 31
)

// mbarrierOld lowers mbarrier on sm_80 to sm_89.
func (l *lowerer) mbarrierOld() {
	for _, w := range [...]isa.Word{isa.WRelease, isa.WAcquire, isa.WCta} {
		l.knows(w)
	}
	switch {
	case l.has(isa.WInit):
		n := l.src1(1, isa.U32)
		pair := value{l.lessThan(oldExpected, n), l.lessThan(oldPending, n)}
		l.emit(op.STS, op.M(op.M64), nil, l.sharedAddress(&l.args[0]), whole(l.group(pair)))
	case l.has(isa.WInval):
		l.fenceAfter(op.MSM)
	case l.has(isa.WPendingCount):
		n := l.and2(l.src(1, isa.B64)[1], ori.Imm(oldPending-1))
		l.copy(l.dst(0)[:1], value{l.lessThan(oldPending, n)})
	case l.has(isa.WTestWait):
		l.testWaitOld()
	case l.has(isa.WArrive) || l.has(isa.WArriveDrop):
		l.arriveOld()
	default:
		l.unsupported()
	}
}

// lessThan is a number less another one.
func (l *lowerer) lessThan(n uint32, b ori.Operand) ori.Operand {
	if b.Kind == ori.KImm {
		return word(n - uint32(b.Imm))
	}
	return l.one(op.IADD3, op.Mods{}, b.Negate(), word(n), rz())
}

// testWaitOld compares the phase of an mbarrier with another one.
func (l *lowerer) testWaitOld() {
	var phase ori.Operand
	if l.has(isa.WParity) {
		phase = l.shl1(l.src1(2, isa.U32), ori.Imm(31))
	} else {
		phase = l.src(2, isa.B64)[1]
	}
	_, high := l.countWords(&l.args[1])
	now := l.one(op.LDS, op.Mods{}, high)
	changed := l.and2(l.xor2(now, phase), word(oldPending))
	l.emit(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), value{l.dstPred(0)}, changed, rz(), pt())
	l.fenceAfter(op.MSM)
}

// countWords returns the addresses of the words of an mbarrier.
func (l *lowerer) countWords(a *sema.Operand) (low, high ori.Operand) {
	low = l.sharedAddress(a)
	if low.Reg == ori.NoReg {
		low = ori.Addr(l.reg(ori.Imm(low.Imm)), 0)
	}
	high = low
	high.Imm += 4
	return low, high
}

// arriveOld lowers arrive and arrive_drop.
func (l *lowerer) arriveOld() {
	l.fenceBefore(op.MSM)
	low, high := l.countWords(&l.args[1])
	state := l.tmp(2)
	drop := l.has(isa.WArriveDrop)
	if l.has(isa.WNoComplete) {
		n := l.reg(l.src1(2, isa.U32))
		if drop {
			l.emit(op.ATOMS, op.M(op.MADD), value{rz()}, low, n)
		}
		old := l.one(op.ATOMS, op.M(op.MADD), high, n)
		state = value{old, old}
	} else {
		if drop {
			l.emit(op.ATOMS, op.M(op.MPOPC, op.MINC, op.M32), value{rz()}, low, noUniform())
		}
		l.emit(op.ATOMS, op.M(op.MARRIVE, op.M64), value{whole(state)}, low, noUniform())
	}
	if l.args[0].Kind == isa.KReg {
		l.copy(l.dst(0), state)
	}
}

// cpArriveOld makes an mbarrier wait for the copies of this thread: one
// arrival more is pending until they have arrived, unless it is counted
// already.
func (l *lowerer) cpArriveOld(noinc bool) {
	low, high := l.countWords(&l.args[0])
	l.alone(func() {
		if !noinc {
			l.emit(op.ATOMS, op.M(op.MADD), value{rz()}, high, l.reg(word(1<<32-1)))
		}
		// the address is uniform: threads with another one take turns
		l.eachValue(value{l.f.Word(low.Reg, int(low.Sub))}, func(u, p ori.Operand) {
			l.emitIf(p, op.ARRIVES, op.M(op.MLDGSTSBAR, op.M64), nil, ori.Addr(ori.Operand{}, low.Imm), uaddr(u))
		})
	})
}
