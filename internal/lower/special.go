package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// source says where the value of a special register comes from.
type source uint8

const (
	fromS2R   source = iota // a special register of the machine
	fromClock               // one that is read by CS2R: 32 bits
	fromWide                // the same, 64 bits
	fromBank                // a word of constant bank 0
	fromBank8               // 64 bits of constant bank 0
	fromNone                // a constant
)

// specials maps PTX special registers to the machine's. Offsets in bank 0
// are those of sm_90.
var specials = [...]struct {
	word isa.Word
	comp int
	from source
	reg  op.Special
	at   int64
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
	{isa.WSrNsmid, 0, fromBank, 0, 0x10c},
	{isa.WSrGridid, 0, fromBank8, 0, 0x30},
	{isa.WSrDynamicSmemSize, 0, fromBank, 0, 0x2c},
	{isa.WSrReservedSmemOffsetBegin, 0, fromNone, 0, 0},
	{isa.WSrReservedSmemOffsetEnd, 0, fromBank, 0, 0x68},
	{isa.WSrReservedSmemOffsetCap, 0, fromNone, 0, SharedReserved},
	{isa.WSrReservedSmemOffset0, 0, fromNone, 0, 0},
	{isa.WSrReservedSmemOffset1, 0, fromBank, 0, 0x6c},
	{isa.WSrClusterNctaid, 0, fromBank, 0, clusterSize},
	{isa.WSrClusterNctaid, 1, fromBank, 0, clusterSize + 4},
	{isa.WSrClusterNctaid, 2, fromBank, 0, clusterSize + 8},
	{isa.WSrNclusterid, 0, fromBank, 0, 0x15c},
	{isa.WSrNclusterid, 1, fromBank, 0, 0x160},
	{isa.WSrNclusterid, 2, fromBank, 0, 0x164},
	{isa.WSrClusterNctarank, 0, fromBank, 0, 0x188},
	{isa.WSrCurrentGraphExec, 0, fromBank8, 0, 0x190},
}

// Where bank 0 keeps the size of a cluster, three words, and the reciprocals
// of it as floats.
const (
	clusterSize       = 0x144
	clusterReciprocal = 0x150
	envRegs           = 0x40
	oldEnvRegs        = 0x88 // up to sm_89
)

// From sm_100 on some words of bank 0 lie clusterStep bytes lower for each
// block of a cluster; their places here are those without any.
const (
	clusterStep      = 0xa0
	movedEnvRegs     = 0x250 // the first half of them
	fixedEnvRegs     = 0xd0  // the other half
	movedClusterSize = 0x2a0
	movedReciprocal  = 0x2b0
	movedAggregate   = 0x2bc
)

// Shared memory: where bank 0 says how much of a block's bytes, and of all
// blocks' bytes, is the system's; where its first part begins from sm_100 on.
const (
	totalReserved       = 0x16c
	oldTotalReserved    = 0x114 // up to sm_90
	aggregate           = 0x13c // sm_90
	reservedSmemOffset0 = 0x40
)

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
	back := l.one(op.IMAD, op.Mods{}, size, ori.Imm(-clusterStep), rz())
	x := ori.Const(0, at)
	x.Reg, x.Class = back.Reg, ori.R
	return l.one(op.LDC, op.Mods{}, x)
}

// clusterWord reads a word that sm_90 has at one place and later machines
// at one that moves.
func (l *lowerer) clusterWord(at, moved int64) ori.Operand {
	if l.arch.SM >= 100 {
		return l.movedWord(moved)
	}
	return l.bankWord(at)
}

// envReg reads the environment register at an offset from the first.
func (l *lowerer) envReg(off int64) ori.Operand {
	const half = 16 * 4
	switch {
	case l.arch.SM < 90:
		return l.bankWord(oldEnvRegs + off)
	case l.arch.SM < 100:
		return l.bankWord(envRegs + off)
	case off < half:
		return l.movedWord(movedEnvRegs + off)
	}
	return l.bankWord(fixedEnvRegs + off - half)
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
		if s.from == fromBank || s.from == fromBank8 {
			at, moved, ok := l.bankPlace(w, s.at)
			if !ok {
				break
			}
			if moved {
				return value{l.movedWord(at + 4*int64(comp))}
			}
			s.at = at
		}
		switch s.from {
		case fromS2R:
			return value{l.one(op.S2R, op.Mods{}, ori.Special(s.reg))}
		case fromClock:
			return value{l.one(op.CS2R, op.M(op.M32), ori.Special(s.reg))}
		case fromWide:
			return l.clock64(s.reg)
		case fromBank:
			return value{l.bankWord(s.at)}
		case fromBank8:
			t := l.tmp(2)
			l.emit(op.LDC, op.M(op.M64), value{whole(t)}, ori.Const(0, s.at))
			return t
		}
		return value{word(uint32(s.at))}
	}
	l.fail("Special register '%s' cannot be compiled yet for %s", w, l.arch.Name)
	return nil
}

// elsewhere is where bank 0 of other architectures keeps special registers;
// zero stands for nowhere.
var elsewhere = [...]struct {
	word       isa.Word
	older, new int64 // up to sm_89, from sm_100 on
	moved      bool  // the new place moves with the size of the cluster
}{
	{isa.WSrNsmid, 0x10c, 0x2d0, false},
	{isa.WSrGridid, 0x30, 0x140, false},
	{isa.WSrDynamicSmemSize, 0x2c, 0x2ac, true},
	{isa.WSrReservedSmemOffsetEnd, 0x120, 0x278, true},
	{isa.WSrReservedSmemOffset1, 0x124, 0x27c, true},
	{isa.WSrClusterNctaid, 0, movedClusterSize, true},
	{isa.WSrNclusterid, 0, 0x2c0, true},
	{isa.WSrClusterNctarank, 0, 0x2cc, true},
	{isa.WSrCurrentGraphExec, 0x130, 0x2e8, false},
}

// bankPlace returns where the architecture keeps a register that sm_90 has
// at a place of bank 0.
func (l *lowerer) bankPlace(w isa.Word, at int64) (place int64, moved, ok bool) {
	if l.arch.SM >= 90 && l.arch.SM < 100 {
		return at, false, true
	}
	for _, x := range elsewhere {
		switch {
		case x.word != w:
		case l.arch.SM < 90:
			return x.older, false, x.older != 0
		default:
			return x.new, x.moved, true
		}
	}
	return 0, false, false
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
		at := int64(totalReserved)
		if l.arch.SM < 100 {
			at = oldTotalReserved
		}
		v[0] = l.iadd(s2r(op.SRSMemSize), negate(l.bankWord(at)))
		return true
	}
	if l.arch.SM < 90 {
		return false
	}
	switch w {
	case isa.WSrReservedSmemOffset0:
		if l.arch.SM >= 100 {
			v[0] = word(reservedSmemOffset0)
		}
	case isa.WSrAggrSmemSize:
		a, b := s2r(op.SRSMemSize), l.clusterWord(aggregate, movedAggregate)
		v[0] = l.sel1(a, b, l.cmp1(op.MLT, false, a, b))
	case isa.WSrIsExplicitCluster:
		v[0] = l.sel1(ori.Imm(1), rz(), l.clustered())
	case isa.WSrClusterid:
		v[0] = l.clusterID(comp)
	case isa.WSrClusterCtaid:
		id := s2r(op.SRCtaidX + op.Special(comp))
		v[0] = l.one(op.IMAD, op.Mods{}, negate(l.clusterID(comp)), l.clusterWord(clusterSize+4*int64(comp), movedClusterSize+4*int64(comp)), id)
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
	f = l.one(op.FMUL, op.Mods{}, f, l.clusterWord(clusterReciprocal+4*int64(comp), movedReciprocal+4*int64(comp)))
	return l.one(op.F2I, op.M(op.MU32, op.MTRUNC, op.MNTZ), f)
}
