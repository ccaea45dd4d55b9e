package async

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/lower/warp"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// Tensor memory is given out in units of 32 columns by a counter of the
// multiprocessor. What the block holds stands in the part of shared memory
// that the system keeps: the driver clears it before the block runs.
const (
	tensorBarrier = 0x08 // by which a pair of blocks meets
	tensorPhase   = 0x10 // of that barrier
	tensorColumns = 0x14 // units that are held
	tensorStarts  = 0x18 // first units of allocations
	tensorClosed  = 0x1c // a byte: no more allocations

	tensorUnit  = 5   // log2 of the columns of a unit
	tensorPause = 100 // nanoseconds between tries
	tensorPool  = 0x80
)

// tensorAccount returns where the block's account stands. In an object the
// linker says it.
func tensorAccount(l *build.Builder) (base ori.Operand, off int64) {
	base = l.Window()
	if l.Layout.Object {
		return l.One(op.IADD3, op.Mods{}, l.SymbolWord(target.TensorAccount), base, expand.RZ()), -build.SharedReserved
	}
	return base, l.Arch.AccountAt() - build.SharedReserved
}

// tensorVar returns the address of a word of the block's account.
func tensorVar(l *build.Builder, at int64) ori.Operand {
	base, off := tensorAccount(l)
	return ori.Addr(base, off+at)
}

// tensorUnits returns a number of columns in units, and as many low bits.
func tensorUnits(l *build.Builder, n int) (units, mask ori.Operand) {
	cols := l.Src1(n, isa.U32)
	if cols.Kind == ori.KImm {
		k := uint32(cols.Imm) >> tensorUnit
		return expand.Word(k), expand.Word(1<<k - 1)
	}
	units = l.Shr1(l.Reg(cols), ori.Imm(tensorUnit))
	ones := l.Shl1(l.Reg(expand.Word(0xffffffff)), units)
	return units, l.Lop(lutNotA, ones, expand.RZ(), expand.RZ())
}

// Tables of functions of three.
const (
	lutNotA = 0x0f // ~a
	lutAnd3 = 0x80 // a & b & c
)

// electOne runs do for one thread of the warp.
func electOne(l *build.Builder, do func()) {
	p := l.Pred()
	l.Emit(op.ELECT, op.Mods{}, build.Value{p, ori.Zero(ori.UR)}, expand.PT())
	l.Either(p, do, nil)
}

// tensorAlloc lowers tcgen05.alloc: the address goes to shared memory. An
// allocation after the right was given up stores an address that is none and
// stops the program.
func tensorAlloc(l *build.Builder) {
	warp.Gather(l, expand.Word(0xffffffff))
	to := memory.Address(l, &l.Args[0], isa.SpaceShared)[0]
	units, mask := tensorUnits(l, 1)
	closed := l.One(op.LDS, op.M(op.MU8), tensorVar(l, tensorClosed))
	p := l.Test(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), closed, expand.RZ(), expand.PT())
	l.Either(p, func() {
		l.Emit(op.STS, op.Mods{}, nil, to, l.Reg(expand.Word(0xffffffff)))
		l.Trap()
	}, func() {
		if l.Has(isa.WCtaGroup2) {
			tensorAllocPair(l, to, units, mask)
			return
		}
		electOne(l, func() {
			at := tensorFind(l, op.Mods{}, units)
			tensorNote(l, at, mask)
			l.Emit(op.STS, op.Mods{}, nil, to, l.Shl1(at, ori.Imm(tensorUnit)))
		})
	})
	l.Emit(op.WARPSYNC, op.M(op.MALL), nil)
}

// tensorFind tries until there are free units, and returns the first.
func tensorFind(l *build.Builder, m op.Mods, units ori.Operand) ori.Operand {
	n := l.F.Words(l.F.NewReg(ori.UR, 1))
	l.ToUniform(n, units, ori.Operand{})
	m = m.With(op.MFIND_AND_SET).With(op.MALIGN)
	at := l.F.Words(l.F.NewReg(ori.UR, 1))
	l.Repeat(func() ori.Operand {
		found := l.F.Words(l.F.NewReg(ori.UP, 1))
		l.Emit(op.DEPBAR, op.M(op.MLE), nil, ori.Special(op.SRScoreboard0), ori.Imm(tensorDrain))
		l.Emit(op.UTCATOMSWS, m, build.Value{found, at}, n)
		p := l.Test(op.PLOP3, op.M(op.MLUT), expand.PT(), expand.PT(), found, ori.Imm(lutAnd3), ori.Imm(0))
		l.EmitIf(p.Not(), op.NANOSLEEP, op.Mods{}, nil, ori.Imm(tensorPause))
		return p
	})
	return l.Reg(at)
}

// tensorDrain is the count that the reference waits for before it asks for
// tensor memory.
const tensorDrain = 0x36

// tensorNote writes an allocation down.
func tensorNote(l *build.Builder, at, mask ori.Operand) {
	l.Emit(op.ATOMS, op.M(op.MOR), build.Value{expand.RZ()}, tensorVar(l, tensorColumns), l.Shl1(l.Reg(mask), at))
	l.Emit(op.ATOMS, op.M(op.MOR), build.Value{expand.RZ()}, tensorVar(l, tensorStarts), l.Shl1(l.Reg(expand.Word(1)), at))
}

// tensorAllocPair lowers an allocation in both blocks of a pair: the one with
// the even number finds units and sends the first to the other, which answers.
func tensorAllocPair(l *build.Builder, to, units, mask ori.Operand) {
	rank := l.One(op.S2R, op.Mods{}, ori.Special(op.SRClusterCtaID))
	odd := l.And2(rank, ori.Imm(1))
	isOdd := l.Test(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), odd, expand.RZ(), expand.PT())
	other := l.Lop(expand.LutXor, rank, ori.Imm(1), expand.RZ())
	base, off := tensorAccount(l)
	barrier := l.Iadd(base, ori.Imm(off+tensorBarrier))
	l.Either(isOdd, func() {
		electOne(l, func() {
			tensorMeet(l, barrier)
			at := l.One(op.LDS, op.Mods{}, to)
			l.Emit(op.STS, op.Mods{}, nil, to, l.Shl1(at, ori.Imm(tensorUnit)))
			tensorNote(l, at, mask)
			l.Emit(op.SYNCS, op.M(op.MARRIVE, op.MTRANS64, op.MRED, op.MA1T0), build.Value{expand.RZ()}, ori.Addr(there(l, barrier, other), 0), build.NoUniform(), expand.RZ())
			tensorTurn(l)
		})
	}, func() {
		electOne(l, func() {
			at := tensorFind(l, op.M(op.M2CTA), units)
			tensorMeet(l, barrier)
			bar := there(l, barrier, other)
			l.Emit(op.SYNCS, op.M(op.MARRIVE, op.MTRANS64, op.MRED), build.Value{expand.RZ()}, ori.Addr(bar, 0), build.NoUniform(), l.Reg(expand.Word(4)))
			l.Emit(op.STS, op.Mods{}, nil, to, l.Shl1(at, ori.Imm(tensorUnit)))
			here := l.F.Word(to.Reg, int(to.Sub))
			if to.Reg == ori.NoReg {
				here = l.Reg(expand.Word(uint32(to.Imm)))
			} else if to.Imm != 0 {
				here = l.Iadd(here, ori.Imm(to.Imm))
			}
			dst := l.Group(build.Value{there(l, here, other), bar})
			l.Emit(op.STAS, op.Mods{}, nil, ori.Addr(expand.Whole(dst), 0), at)
			tensorNote(l, at, mask)
			tensorTurn(l)
		})
	})
}

// there returns the place in another block of the cluster of one in this.
func there(l *build.Builder, a, rank ori.Operand) ori.Operand {
	return l.One(op.PRMT, op.Mods{}, l.Reg(rank), ori.Imm(0x654), l.Reg(a))
}

// tensorMeet waits at the barrier of a pair of blocks.
func tensorMeet(l *build.Builder, barrier ori.Operand) {
	phase := l.Shl1(l.One(op.LDS, op.Mods{}, tensorVar(l, tensorPhase)), ori.Imm(31))
	l.Repeat(func() ori.Operand {
		p := l.Pred()
		l.Emit(op.SYNCS, op.M(op.MPHASECHK, op.MTRANS64, op.MTRYWAIT), build.Value{p}, ori.Addr(barrier, 0), build.NoUniform(), phase)
		return p
	})
}

// tensorTurn goes on to the next phase of that barrier.
func tensorTurn(l *build.Builder) {
	l.Emit(op.ATOMS, op.M(op.MXOR), build.Value{expand.RZ()}, tensorVar(l, tensorPhase), l.Reg(expand.Word(1)))
}

// tensorDealloc lowers tcgen05.dealloc. Units that are not held, or were not
// given out together, stop the program.
func tensorDealloc(l *build.Builder) {
	warp.Gather(l, expand.Word(0xffffffff))
	_, mask := tensorUnits(l, 1)
	at := l.Shr1(l.And2(l.Reg(l.Src1(0, isa.B32)), ori.Imm(0xffff)), ori.Imm(tensorUnit))
	mask = l.Shl1(l.Reg(mask), at)
	start := l.Shl1(l.Reg(expand.Word(1)), at)
	lacks := func(where int64, bits ori.Operand) ori.Operand {
		held := l.And2(l.One(op.LDS, op.Mods{}, tensorVar(l, where)), bits)
		return l.Test(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), held, bits, expand.PT())
	}
	l.Either(lacks(tensorColumns, mask), l.Trap, func() {
		l.Either(lacks(tensorStarts, start), l.Trap, func() {
			electOne(l, func() {
				rest := l.Lop(lutNotA, mask, expand.RZ(), expand.RZ())
				u := l.F.Words(l.F.NewReg(ori.UR, 1))
				l.ToUniform(u, rest, ori.Operand{})
				l.Emit(op.UTCATOMSWS, op.M(op.MAND), build.Value{ori.Zero(ori.UR)}, u)
				l.Emit(op.ATOMS, op.M(op.MAND), build.Value{expand.RZ()}, tensorVar(l, tensorColumns), rest)
				l.Emit(op.ATOMS, op.M(op.MAND), build.Value{expand.RZ()}, tensorVar(l, tensorStarts), l.Lop(lutNotA, start, expand.RZ(), expand.RZ()))
			})
		})
	})
	l.Emit(op.WARPSYNC, op.M(op.MALL), nil)
}

// tensorRelinquish lowers tcgen05.relinquish_alloc_permit: others may
// allocate, this block no longer.
func tensorRelinquish(l *build.Builder) {
	warp.Gather(l, expand.Word(0xffffffff))
	electOne(l, func() {
		l.Emit(op.UVIRTCOUNT, op.M(op.MDEALLOC, op.MSMPOOL), nil, ori.Imm(tensorPool))
		l.Emit(op.STS, op.M(op.MU8), nil, tensorVar(l, tensorClosed), l.Reg(expand.Word(1)))
	})
	l.Emit(op.WARPSYNC, op.M(op.MALL), nil)
}
