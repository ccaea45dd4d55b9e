package build

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// source says where the value of a special register comes from.
type source uint8

const (
	fromS2R   source = iota // a special register of the machine
	fromClock               // one that is read by CS2R: 32 bits
	fromWide                // the same, 64 bits
	fromBank                // a word of constant bank 0
	fromBank8               // 64 bits of constant bank 0
	fromZero                // zero
	fromCap                 // what the system keeps of shared memory
)

// specials maps PTX special registers to the machine's.
var specials = [...]struct {
	word isa.Word
	comp int
	from source
	reg  op.Special
	bank target.BankWord
}{
	{isa.WSrTid, 0, fromS2R, op.SRTidX, 0},
	{isa.WSrTid, 1, fromS2R, op.SRTidY, 0},
	{isa.WSrTid, 2, fromS2R, op.SRTidZ, 0},
	{isa.WSrCtaid, 0, fromS2R, op.SRCtaidX, 0},
	{isa.WSrCtaid, 1, fromS2R, op.SRCtaidY, 0},
	{isa.WSrCtaid, 2, fromS2R, op.SRCtaidZ, 0},
	{isa.WSrLaneid, 0, fromS2R, op.SRLaneID, 0},
	{isa.WSrLanemaskEq, 0, fromS2R, op.SREqMask, 0},
	{isa.WSrLanemaskLt, 0, fromS2R, op.SRLtMask, 0},
	{isa.WSrLanemaskLe, 0, fromS2R, op.SRLeMask, 0},
	{isa.WSrLanemaskGt, 0, fromS2R, op.SRGtMask, 0},
	{isa.WSrLanemaskGe, 0, fromS2R, op.SRGeMask, 0},
	{isa.WSrSmid, 0, fromS2R, op.SRVirtualSMID, 0},
	{isa.WSrClusterCtarank, 0, fromS2R, op.SRClusterCtaID, 0},
	{isa.WSrClock, 0, fromClock, op.SRClockLo, 0},
	{isa.WSrClockHi, 0, fromClock, op.SRClockHi, 0},
	{isa.WSrClock64, 0, fromWide, op.SRClockLo, 0},
	{isa.WSrGlobaltimer, 0, fromWide, op.SRGlobalTimerLo, 0},
	{isa.WSrGlobaltimerLo, 0, fromClock, op.SRGlobalTimerLo, 0},
	{isa.WSrGlobaltimerHi, 0, fromClock, op.SRGlobalTimerHi, 0},
	{isa.WSrNsmid, 0, fromBank, 0, target.BankNSMID},
	{isa.WSrGridid, 0, fromBank8, 0, target.BankGridID},
	{isa.WSrDynamicSmemSize, 0, fromBank, 0, target.BankDynSmem},
	{isa.WSrReservedSmemOffsetBegin, 0, fromZero, 0, 0},
	{isa.WSrReservedSmemOffsetEnd, 0, fromBank, 0, target.BankReservedEnd},
	{isa.WSrReservedSmemOffsetCap, 0, fromCap, 0, 0},
	{isa.WSrReservedSmemOffset0, 0, fromZero, 0, 0},
	{isa.WSrReservedSmemOffset1, 0, fromBank, 0, target.BankReserved1},
	{isa.WSrClusterNctaid, 0, fromBank, 0, target.BankClusterSize},
	{isa.WSrClusterNctaid, 1, fromBank, 0, target.BankClusterSize},
	{isa.WSrClusterNctaid, 2, fromBank, 0, target.BankClusterSize},
	{isa.WSrNclusterid, 0, fromBank, 0, target.BankNClusterID},
	{isa.WSrNclusterid, 1, fromBank, 0, target.BankNClusterID},
	{isa.WSrNclusterid, 2, fromBank, 0, target.BankNClusterID},
	{isa.WSrClusterNctarank, 0, fromBank, 0, target.BankClusterRanks},
	{isa.WSrCurrentGraphExec, 0, fromBank8, 0, target.BankGraphExec},
}

// Special returns the words of a special register.
func (l *Builder) Special(r isa.SpecialReg, comp, n int) Value {
	comp = max(0, comp-1) // components count from one; zero is the whole register
	w := r.Word()
	b := l.Arch.Bank0()
	v := Value{expand.RZ(), expand.RZ()}
	switch {
	case r.Vector() && comp == 3:
	case w == isa.WSrNtid:
		v[0] = l.bankWord(b.NTid + 4*int64(comp))
	case w == isa.WSrNctaid:
		v[0] = l.bankWord(b.NCtaid + 4*int64(comp))
	case w >= isa.WSrPm0 && w <= isa.WSrPm7:
		v[0] = l.One(op.CS2R, op.M(op.M32), ori.Special(op.SRPM0+op.Special(w-isa.WSrPm0)))
	case w >= isa.WSrPm064 && w <= isa.WSrPm764:
		v = l.clock64(op.SRPM0 + op.Special(w-isa.WSrPm064))
	case w >= isa.WSrEnvreg0 && w <= isa.WSrEnvreg31:
		v[0] = l.envReg(4 * int64(w-isa.WSrEnvreg0))
	case l.computed(w, comp, v):
	default:
		v = l.tableSpecial(w, comp)
	}
	for len(v) < n {
		v = append(v, expand.RZ())
	}
	return v[:n]
}

func (l *Builder) bankWord(at int64) ori.Operand {
	return l.One(op.LDC, op.Mods{}, ori.Const(0, at))
}

// movedWord reads a word of bank 0 whose place depends on the size of the
// cluster.
func (l *Builder) movedWord(at int64) ori.Operand {
	size := l.One(op.CS2R, op.M(op.M32), ori.Special(op.SRClusterSize))
	back := l.One(op.IMAD, op.Mods{}, size, ori.Imm(-l.Arch.Bank0().ClusterStep), expand.RZ())
	x := ori.Const(0, at)
	x.Reg, x.Class = back.Reg, ori.R
	return l.One(op.LDC, op.Mods{}, x)
}

// bankPlace reads a word of bank 0 that is some bytes behind a known one.
func (l *Builder) bankPlace(w target.BankWord, off int64) ori.Operand {
	p := l.Arch.Bank0().Words[w]
	if p.Moves {
		return l.movedWord(p.At + off)
	}
	return l.bankWord(p.At + off)
}

// envReg reads the environment register at an offset from the first.
func (l *Builder) envReg(off int64) ori.Operand {
	const half = 16 * 4
	if off < half {
		return l.bankPlace(target.BankEnv, off)
	}
	return l.bankPlace(target.BankEnvHigh, off-half)
}

func (l *Builder) clock64(r op.Special) Value {
	t := l.Tmp(2)
	l.Emit(op.CS2R, op.Mods{}, Value{expand.Whole(t)}, ori.Special(r))
	return t
}

// tableSpecial reads a register of the table.
func (l *Builder) tableSpecial(w isa.Word, comp int) Value {
	for _, s := range specials {
		if s.word != w || s.comp != comp {
			continue
		}
		place := l.Arch.Bank0().Words[s.bank]
		if place.At == 0 && (s.from == fromBank || s.from == fromBank8) {
			break
		}
		switch s.from {
		case fromS2R:
			return Value{l.One(op.S2R, op.Mods{}, ori.Special(s.reg))}
		case fromClock:
			return Value{l.One(op.CS2R, op.M(op.M32), ori.Special(s.reg))}
		case fromWide:
			return l.clock64(s.reg)
		case fromBank:
			return Value{l.bankPlace(s.bank, 4*int64(comp))}
		case fromBank8:
			t := l.Tmp(2)
			l.Emit(op.LDC, op.M(op.M64), Value{expand.Whole(t)}, ori.Const(0, place.At))
			return t
		case fromCap:
			return Value{expand.Word(SharedReserved)}
		}
		return Value{expand.Word(0)}
	}
	l.Fail("Special register '%s' cannot be compiled yet for %s", w, l.Arch.Name)
	return nil
}

// computed makes the registers that take more than one instruction.
func (l *Builder) computed(w isa.Word, comp int, v Value) bool {
	s2r := func(r op.Special) ori.Operand { return l.One(op.S2R, op.Mods{}, ori.Special(r)) }
	field := func(x ori.Operand, at, mask int64) ori.Operand { return l.And2(l.Shr1(x, ori.Imm(at)), ori.Imm(mask)) }
	switch w {
	case isa.WSrWarpid: // bits 14 to 8
		v[0] = field(s2r(op.SRVirtID), 8, 0x7f)
		return true
	case isa.WSrNwarpid: // bits 15 to 8
		v[0] = field(s2r(op.SRVirtCfg), 8, 0xff)
		return true
	}
	if w == isa.WSrTotalSmemSize {
		v[0] = l.Iadd(s2r(op.SRSMemSize), expand.Negate(l.bankPlace(target.BankTotalReserved, 0)))
		return true
	}
	if !l.Arch.Has(target.Clusters) {
		return false
	}
	switch w {
	case isa.WSrReservedSmemOffset0:
		if at := l.Arch.Bank0().ReservedFirst; at != 0 {
			v[0] = expand.Word(uint32(at))
		}
	case isa.WSrAggrSmemSize:
		a, b := s2r(op.SRSMemSize), l.bankPlace(target.BankAggregate, 0)
		v[0] = l.Sel1(a, b, l.Cmp1(op.MLT, false, a, b))
	case isa.WSrIsExplicitCluster:
		v[0] = l.Sel1(ori.Imm(1), expand.RZ(), l.Clustered())
	case isa.WSrClusterid:
		v[0] = l.clusterID(comp)
	case isa.WSrClusterCtaid:
		id := s2r(op.SRCtaidX + op.Special(comp))
		v[0] = l.One(op.IMAD, op.Mods{}, expand.Negate(l.clusterID(comp)), l.bankPlace(target.BankClusterSize, 4*int64(comp)), id)
	default:
		return false
	}
	return true
}

// clusterID divides the block's number by the size of a cluster, whose
// reciprocal the driver rounds up far enough.
func (l *Builder) clusterID(comp int) ori.Operand {
	id := l.One(op.S2R, op.Mods{}, ori.Special(op.SRCtaidX+op.Special(comp)))
	f := l.One(op.I2FP, op.M(op.MF32, op.MU32), id)
	f = l.One(op.FMUL, op.Mods{}, f, l.bankPlace(target.BankClusterReciprocal, 4*int64(comp)))
	return l.One(op.F2I, op.M(op.MU32, op.MTRUNC, op.MNTZ), f)
}

// Clustered returns the predicate of a grid that was launched in clusters.
func (l *Builder) Clustered() ori.Operand {
	return l.Cmp1(op.MEQ, false, l.bankPlace(target.BankInCluster, 0), ori.Imm(1))
}
