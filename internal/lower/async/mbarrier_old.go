package async

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
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
func mbarrierOld(l *build.Builder) {
	for _, w := range [...]isa.Word{isa.WRelease, isa.WAcquire, isa.WCta} {
		l.Knows(w)
	}
	switch {
	case l.Has(isa.WInit):
		n := l.Src1(1, isa.U32)
		pair := build.Value{lessThan(l, oldExpected, n), lessThan(l, oldPending, n)}
		l.Emit(op.STS, op.M(op.M64), nil, memory.SharedAddress(l, &l.Args[0]), expand.Whole(l.Group(pair)))
	case l.Has(isa.WInval):
		memory.FenceAfter(l, op.MSM)
	case l.Has(isa.WPendingCount):
		n := l.And2(l.Src(1, isa.B64)[1], ori.Imm(oldPending-1))
		l.Copy(l.Dst(0)[:1], build.Value{lessThan(l, oldPending, n)})
	case l.Has(isa.WTestWait):
		testWaitOld(l)
	case l.Has(isa.WArrive) || l.Has(isa.WArriveDrop):
		arriveOld(l)
	default:
		l.Unsupported()
	}
}

// lessThan is a number less another one.
func lessThan(l *build.Builder, n uint32, b ori.Operand) ori.Operand {
	if b.Kind == ori.KImm {
		return expand.Word(n - uint32(b.Imm))
	}
	return l.One(op.IADD3, op.Mods{}, b.Negate(), expand.Word(n), expand.RZ())
}

// testWaitOld compares the phase of an mbarrier with another one.
func testWaitOld(l *build.Builder) {
	var phase ori.Operand
	if l.Has(isa.WParity) {
		phase = l.Shl1(l.Src1(2, isa.U32), ori.Imm(31))
	} else {
		phase = l.Src(2, isa.B64)[1]
	}
	_, high := countWords(l, &l.Args[1])
	now := l.One(op.LDS, op.Mods{}, high)
	changed := l.And2(l.Xor2(now, phase), expand.Word(oldPending))
	l.Emit(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), build.Value{l.DstPred(0)}, changed, expand.RZ(), expand.PT())
	memory.FenceAfter(l, op.MSM)
}

// countWords returns the addresses of the words of an mbarrier.
func countWords(l *build.Builder, a *sema.Operand) (low, high ori.Operand) {
	low = memory.SharedAddress(l, a)
	if low.Reg == ori.NoReg {
		low = ori.Addr(l.Reg(ori.Imm(low.Imm)), 0)
	}
	high = low
	high.Imm += 4
	return low, high
}

// arriveOld lowers arrive and arrive_drop.
func arriveOld(l *build.Builder) {
	memory.FenceBefore(l, op.MSM)
	low, high := countWords(l, &l.Args[1])
	state := l.Tmp(2)
	drop := l.Has(isa.WArriveDrop)
	if l.Has(isa.WNoComplete) {
		n := l.Reg(l.Src1(2, isa.U32))
		if drop {
			l.Emit(op.ATOMS, op.M(op.MADD), build.Value{expand.RZ()}, low, n)
		}
		old := l.One(op.ATOMS, op.M(op.MADD), high, n)
		state = build.Value{old, old}
	} else {
		if drop {
			l.Emit(op.ATOMS, op.M(op.MPOPC, op.MINC, op.M32), build.Value{expand.RZ()}, low, build.NoUniform())
		}
		l.Emit(op.ATOMS, op.M(op.MARRIVE, op.M64), build.Value{expand.Whole(state)}, low, build.NoUniform())
	}
	if l.Args[0].Kind == isa.KReg {
		l.Copy(l.Dst(0), state)
	}
}

// cpArriveOld makes an mbarrier wait for the copies of this thread: one
// arrival more is pending until they have arrived, unless it is counted
// already.
func cpArriveOld(l *build.Builder, noinc bool) {
	low, high := countWords(l, &l.Args[0])
	l.Alone(func() {
		if !noinc {
			l.Emit(op.ATOMS, op.M(op.MADD), build.Value{expand.RZ()}, high, l.Reg(expand.Word(1<<32-1)))
		}
		// the address is uniform: threads with another one take turns
		l.EachValue(build.Value{l.F.Word(low.Reg, int(low.Sub))}, func(u, p ori.Operand) {
			l.EmitIf(p, op.ARRIVES, op.M(op.MLDGSTSBAR, op.M64), nil, ori.Addr(ori.Operand{}, low.Imm), uaddr(u))
		})
	})
}

// uaddr is a uniform register as part of an address; noUniform none.
func uaddr(u ori.Operand) ori.Operand {
	u.Kind = ori.KUAddr
	return u
}
