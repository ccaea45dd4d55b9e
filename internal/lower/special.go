package lower

import (
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

// special returns the words of a special register.
func (l *lowerer) special(r isa.SpecialReg, comp, n int) value {
	comp = max(0, comp-1) // components count from one; zero is the whole register
	w := r.Word()
	b := l.arch.Bank0()
	v := value{rz(), rz()}
	switch {
	case r.Vector() && comp == 3:
	case w == isa.WSrNtid:
		v[0] = l.bankWord(b.NTid + 4*int64(comp))
	case w == isa.WSrNctaid:
		v[0] = l.bankWord(b.NCtaid + 4*int64(comp))
	case w >= isa.WSrPm0 && w <= isa.WSrPm7:
		v[0] = l.one(op.CS2R, op.M(op.M32), ori.Special(op.SRPM0+op.Special(w-isa.WSrPm0)))
	case w >= isa.WSrPm064 && w <= isa.WSrPm764:
		v = l.clock64(op.SRPM0 + op.Special(w-isa.WSrPm064))
	case w >= isa.WSrEnvreg0 && w <= isa.WSrEnvreg31:
		v[0] = l.envReg(4 * int64(w-isa.WSrEnvreg0))
	case l.computed(w, comp, v):
	default:
		v = l.tableSpecial(w, comp)
	}
	for len(v) < n {
		v = append(v, rz())
	}
	return v[:n]
}

func (l *lowerer) bankWord(at int64) ori.Operand {
	return l.one(op.LDC, op.Mods{}, ori.Const(0, at))
}

// movedWord reads a word of bank 0 whose place depends on the size of the
// cluster.
func (l *lowerer) movedWord(at int64) ori.Operand {
	size := l.one(op.CS2R, op.M(op.M32), ori.Special(op.SRClusterSize))
	back := l.one(op.IMAD, op.Mods{}, size, ori.Imm(-l.arch.Bank0().ClusterStep), rz())
	x := ori.Const(0, at)
	x.Reg, x.Class = back.Reg, ori.R
	return l.one(op.LDC, op.Mods{}, x)
}

// bankPlace reads a word of bank 0 that is some bytes behind a known one.
func (l *lowerer) bankPlace(w target.BankWord, off int64) ori.Operand {
	p := l.arch.Bank0().Words[w]
	if p.Moves {
		return l.movedWord(p.At + off)
	}
	return l.bankWord(p.At + off)
}

// envReg reads the environment register at an offset from the first.
func (l *lowerer) envReg(off int64) ori.Operand {
	const half = 16 * 4
	if off < half {
		return l.bankPlace(target.BankEnv, off)
	}
	return l.bankPlace(target.BankEnvHigh, off-half)
}

func (l *lowerer) clock64(r op.Special) value {
	t := l.tmp(2)
	l.emit(op.CS2R, op.Mods{}, value{whole(t)}, ori.Special(r))
	return t
}

// tableSpecial reads a register of the table.
func (l *lowerer) tableSpecial(w isa.Word, comp int) value {
	for _, s := range specials {
		if s.word != w || s.comp != comp {
			continue
		}
		place := l.arch.Bank0().Words[s.bank]
		if place.At == 0 && (s.from == fromBank || s.from == fromBank8) {
			break
		}
		switch s.from {
		case fromS2R:
			return value{l.one(op.S2R, op.Mods{}, ori.Special(s.reg))}
		case fromClock:
			return value{l.one(op.CS2R, op.M(op.M32), ori.Special(s.reg))}
		case fromWide:
			return l.clock64(s.reg)
		case fromBank:
			return value{l.bankPlace(s.bank, 4*int64(comp))}
		case fromBank8:
			t := l.tmp(2)
			l.emit(op.LDC, op.M(op.M64), value{whole(t)}, ori.Const(0, place.At))
			return t
		case fromCap:
			return value{word(SharedReserved)}
		}
		return value{word(0)}
	}
	l.fail("Special register '%s' cannot be compiled yet for %s", w, l.arch.Name)
	return nil
}

// computed makes the registers that take more than one instruction.
func (l *lowerer) computed(w isa.Word, comp int, v value) bool {
	s2r := func(r op.Special) ori.Operand { return l.one(op.S2R, op.Mods{}, ori.Special(r)) }
	field := func(x ori.Operand, at, mask int64) ori.Operand { return l.and2(l.shr1(x, ori.Imm(at)), ori.Imm(mask)) }
	switch w {
	case isa.WSrWarpid: // bits 14 to 8
		v[0] = field(s2r(op.SRVirtID), 8, 0x7f)
		return true
	case isa.WSrNwarpid: // bits 15 to 8
		v[0] = field(s2r(op.SRVirtCfg), 8, 0xff)
		return true
	}
	if w == isa.WSrTotalSmemSize {
		v[0] = l.iadd(s2r(op.SRSMemSize), negate(l.bankPlace(target.BankTotalReserved, 0)))
		return true
	}
	if !l.arch.Has(target.Clusters) {
		return false
	}
	switch w {
	case isa.WSrReservedSmemOffset0:
		if at := l.arch.Bank0().ReservedFirst; at != 0 {
			v[0] = word(uint32(at))
		}
	case isa.WSrAggrSmemSize:
		a, b := s2r(op.SRSMemSize), l.bankPlace(target.BankAggregate, 0)
		v[0] = l.sel1(a, b, l.cmp1(op.MLT, false, a, b))
	case isa.WSrIsExplicitCluster:
		v[0] = l.sel1(ori.Imm(1), rz(), l.clustered())
	case isa.WSrClusterid:
		v[0] = l.clusterID(comp)
	case isa.WSrClusterCtaid:
		id := s2r(op.SRCtaidX + op.Special(comp))
		v[0] = l.one(op.IMAD, op.Mods{}, negate(l.clusterID(comp)), l.bankPlace(target.BankClusterSize, 4*int64(comp)), id)
	default:
		return false
	}
	return true
}

// clusterID divides the block's number by the size of a cluster, whose
// reciprocal the driver rounds up far enough.
func (l *lowerer) clusterID(comp int) ori.Operand {
	id := l.one(op.S2R, op.Mods{}, ori.Special(op.SRCtaidX+op.Special(comp)))
	f := l.one(op.I2FP, op.M(op.MF32, op.MU32), id)
	f = l.one(op.FMUL, op.Mods{}, f, l.bankPlace(target.BankClusterReciprocal, 4*int64(comp)))
	return l.one(op.F2I, op.M(op.MU32, op.MTRUNC, op.MNTZ), f)
}
