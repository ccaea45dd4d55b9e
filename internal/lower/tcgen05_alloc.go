package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Tensor memory is given out in units of 32 columns by a counter of the
// multiprocessor. What the block holds stands in the part of shared memory
// that the system keeps: the driver clears it before the block runs.
const (
	tensorReserved = 0x40 - SharedReserved // from where variables begin

	tensorBarrier = tensorReserved + 0x08 // by which a pair of blocks meets
	tensorPhase   = tensorReserved + 0x10 // of that barrier
	tensorColumns = tensorReserved + 0x14 // units that are held
	tensorStarts  = tensorReserved + 0x18 // first units of allocations
	tensorClosed  = tensorReserved + 0x1c // a byte: no more allocations

	tensorUnit  = 5   // log2 of the columns of a unit
	tensorPause = 100 // nanoseconds between tries
	tensorPool  = 0x80
)

// tensorVar returns the address of a word of the block's account.
func (l *lowerer) tensorVar(at int64) ori.Operand { return ori.Addr(l.window(), at) }

// tensorUnits returns a number of columns in units, and as many low bits.
func (l *lowerer) tensorUnits(n int) (units, mask ori.Operand) {
	cols := l.src1(n, isa.U32)
	if cols.Kind == ori.KImm {
		k := uint32(cols.Imm) >> tensorUnit
		return word(k), word(1<<k - 1)
	}
	units = l.shr1(l.reg(cols), ori.Imm(tensorUnit))
	ones := l.shl1(l.reg(word(0xffffffff)), units)
	return units, l.lop(lutNotA, ones, rz(), rz())
}

// Tables of functions of three.
const (
	lutNotA = 0x0f // ~a
	lutAnd3 = 0x80 // a & b & c
)

// electOne runs do for one thread of the warp.
func (l *lowerer) electOne(do func()) {
	p := l.pred()
	l.emit(op.ELECT, op.Mods{}, value{p, ori.Zero(ori.UR)}, pt())
	l.either(p, do, nil)
}

// tensorAlloc lowers tcgen05.alloc: the address goes to shared memory. An
// allocation after the right was given up stores an address that is none and
// stops the program.
func (l *lowerer) tensorAlloc() {
	l.gather(word(0xffffffff))
	to := l.address(&l.args[0], isa.SpaceShared)[0]
	units, mask := l.tensorUnits(1)
	closed := l.one(op.LDS, op.M(op.MU8), l.tensorVar(tensorClosed))
	p := l.test(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), closed, rz(), pt())
	l.either(p, func() {
		l.emit(op.STS, op.Mods{}, nil, to, l.reg(word(0xffffffff)))
		l.trap()
	}, func() {
		if l.has(isa.WCtaGroup2) {
			l.tensorAllocPair(to, units, mask)
			return
		}
		l.electOne(func() {
			at := l.tensorFind(op.Mods{}, units)
			l.tensorNote(at, mask)
			l.emit(op.STS, op.Mods{}, nil, to, l.shl1(at, ori.Imm(tensorUnit)))
		})
	})
	l.emit(op.WARPSYNC, op.M(op.MALL), nil)
}

// tensorFind tries until there are free units, and returns the first.
func (l *lowerer) tensorFind(m op.Mods, units ori.Operand) ori.Operand {
	n := l.f.Words(l.f.NewReg(ori.UR, 1))
	l.toUniform(n, units, ori.Operand{})
	m = m.With(op.MFIND_AND_SET).With(op.MALIGN)
	at := l.f.Words(l.f.NewReg(ori.UR, 1))
	l.repeat(func() ori.Operand {
		found := l.f.Words(l.f.NewReg(ori.UP, 1))
		l.emit(op.DEPBAR, op.M(op.MLE), nil, ori.Special(op.SRScoreboard0), ori.Imm(tensorDrain))
		l.emit(op.UTCATOMSWS, m, value{found, at}, n)
		p := l.test(op.PLOP3, op.M(op.MLUT), pt(), pt(), found, ori.Imm(lutAnd3), ori.Imm(0))
		l.emitIf(p.Not(), op.NANOSLEEP, op.Mods{}, nil, ori.Imm(tensorPause))
		return p
	})
	return l.reg(at)
}

// tensorDrain is the count that the reference waits for before it asks for
// tensor memory.
const tensorDrain = 0x36

// tensorNote writes an allocation down.
func (l *lowerer) tensorNote(at, mask ori.Operand) {
	l.emit(op.ATOMS, op.M(op.MOR), value{rz()}, l.tensorVar(tensorColumns), l.shl1(l.reg(mask), at))
	l.emit(op.ATOMS, op.M(op.MOR), value{rz()}, l.tensorVar(tensorStarts), l.shl1(l.reg(word(1)), at))
}

// tensorAllocPair lowers an allocation in both blocks of a pair: the one with
// the even number finds units and sends the first to the other, which answers.
func (l *lowerer) tensorAllocPair(to, units, mask ori.Operand) {
	rank := l.one(op.S2R, op.Mods{}, ori.Special(op.SRClusterCtaID))
	odd := l.and2(rank, ori.Imm(1))
	isOdd := l.test(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), odd, rz(), pt())
	other := l.lop(lutXor, rank, ori.Imm(1), rz())
	barrier := l.iadd(l.window(), ori.Imm(tensorBarrier))
	l.either(isOdd, func() {
		l.electOne(func() {
			l.tensorMeet(barrier)
			at := l.one(op.LDS, op.Mods{}, to)
			l.emit(op.STS, op.Mods{}, nil, to, l.shl1(at, ori.Imm(tensorUnit)))
			l.tensorNote(at, mask)
			l.emit(op.SYNCS, op.M(op.MARRIVE, op.MTRANS64, op.MRED, op.MA1T0), value{rz()}, ori.Addr(l.there(barrier, other), 0), noUniform(), rz())
			l.tensorTurn()
		})
	}, func() {
		l.electOne(func() {
			at := l.tensorFind(op.M(op.M2CTA), units)
			l.tensorMeet(barrier)
			bar := l.there(barrier, other)
			l.emit(op.SYNCS, op.M(op.MARRIVE, op.MTRANS64, op.MRED), value{rz()}, ori.Addr(bar, 0), noUniform(), l.reg(word(4)))
			l.emit(op.STS, op.Mods{}, nil, to, l.shl1(at, ori.Imm(tensorUnit)))
			here := l.f.Word(to.Reg, int(to.Sub))
			if to.Reg == ori.NoReg {
				here = l.reg(word(uint32(to.Imm)))
			} else if to.Imm != 0 {
				here = l.iadd(here, ori.Imm(to.Imm))
			}
			dst := l.group(value{l.there(here, other), bar})
			l.emit(op.STAS, op.Mods{}, nil, ori.Addr(whole(dst), 0), at)
			l.tensorNote(at, mask)
			l.tensorTurn()
		})
	})
}

// there returns the place in another block of the cluster of one in this.
func (l *lowerer) there(a, rank ori.Operand) ori.Operand {
	return l.one(op.PRMT, op.Mods{}, l.reg(rank), ori.Imm(0x654), l.reg(a))
}

// tensorMeet waits at the barrier of a pair of blocks.
func (l *lowerer) tensorMeet(barrier ori.Operand) {
	phase := l.shl1(l.one(op.LDS, op.Mods{}, l.tensorVar(tensorPhase)), ori.Imm(31))
	l.repeat(func() ori.Operand {
		p := l.pred()
		l.emit(op.SYNCS, op.M(op.MPHASECHK, op.MTRANS64, op.MTRYWAIT), value{p}, ori.Addr(barrier, 0), noUniform(), phase)
		return p
	})
}

// tensorTurn goes on to the next phase of that barrier.
func (l *lowerer) tensorTurn() {
	l.emit(op.ATOMS, op.M(op.MXOR), value{rz()}, l.tensorVar(tensorPhase), l.reg(word(1)))
}

// tensorDealloc lowers tcgen05.dealloc. Units that are not held, or were not
// given out together, stop the program.
func (l *lowerer) tensorDealloc() {
	l.gather(word(0xffffffff))
	_, mask := l.tensorUnits(1)
	at := l.shr1(l.and2(l.reg(l.src1(0, isa.B32)), ori.Imm(0xffff)), ori.Imm(tensorUnit))
	mask = l.shl1(l.reg(mask), at)
	start := l.shl1(l.reg(word(1)), at)
	lacks := func(where int64, bits ori.Operand) ori.Operand {
		held := l.and2(l.one(op.LDS, op.Mods{}, l.tensorVar(where)), bits)
		return l.test(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), held, bits, pt())
	}
	l.either(lacks(tensorColumns, mask), l.trap, func() {
		l.either(lacks(tensorStarts, start), l.trap, func() {
			l.electOne(func() {
				rest := l.lop(lutNotA, mask, rz(), rz())
				u := l.f.Words(l.f.NewReg(ori.UR, 1))
				l.toUniform(u, rest, ori.Operand{})
				l.emit(op.UTCATOMSWS, op.M(op.MAND), value{ori.Zero(ori.UR)}, u)
				l.emit(op.ATOMS, op.M(op.MAND), value{rz()}, l.tensorVar(tensorColumns), rest)
				l.emit(op.ATOMS, op.M(op.MAND), value{rz()}, l.tensorVar(tensorStarts), l.lop(lutNotA, start, rz(), rz()))
			})
		})
	})
	l.emit(op.WARPSYNC, op.M(op.MALL), nil)
}

// tensorRelinquish lowers tcgen05.relinquish_alloc_permit: others may
// allocate, this block no longer.
func (l *lowerer) tensorRelinquish() {
	l.gather(word(0xffffffff))
	l.electOne(func() {
		l.emit(op.UVIRTCOUNT, op.M(op.MDEALLOC, op.MSMPOOL), nil, ori.Imm(tensorPool))
		l.emit(op.STS, op.M(op.MU8), nil, l.tensorVar(tensorClosed), l.reg(word(1)))
	})
	l.emit(op.WARPSYNC, op.M(op.MALL), nil)
}
