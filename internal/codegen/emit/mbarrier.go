package emit

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Words of a record of an instruction that uses an mbarrier: its place, the
// register and the offset of the address, and what it does.
const mbarrierWords = 4

// Numbers of no register, and the step of a scaled address, which is none.
const (
	noRegister = 0xff
	noUniform  = 0x3f
	mbarrierX4 = 1
)

// mbarrier notes an instruction that uses an mbarrier, as checkers want to
// know it. Of several instructions that one of the text became the first
// that touches the barrier counts.
func (e *emitter) mbarrier(i *ori.Instr) {
	if i.Op != op.SYNCS && (i.Op != op.ARRIVES || !i.Mods.Has(op.MARVCNT)) {
		return
	}
	use, ok := e.f.Mbarriers[i.Line]
	if !ok || (use == ori.MbarrierTryWait || use == ori.MbarrierTryWaitParity) && !i.Mods.Has(op.MTRYWAIT) {
		return
	}
	reg, uniform, offset := uint32(noRegister), uint32(noUniform), uint32(0)
	for _, s := range i.Srcs() {
		if s.Kind != ori.KAddr && s.Kind != ori.KUAddr {
			continue
		}
		offset += uint32(s.Imm)
		switch {
		case s.Reg == ori.NoReg:
		case s.Class == ori.UR:
			uniform = uint32(e.number(s))
		default:
			reg = uint32(e.number(s))
		}
	}
	e.code.Mbarriers = append(e.code.Mbarriers, uint32(e.pc()), reg, offset, uniform<<16|mbarrierX4<<8|uint32(use))
}

// MbarrierCount counts the instructions of the records that make an mbarrier.
func (c *Code) MbarrierCount() uint16 {
	n := uint16(0)
	for k := mbarrierWords - 1; k < len(c.Mbarriers); k += mbarrierWords {
		if ori.MbarrierUse(c.Mbarriers[k]) == ori.MbarrierInit {
			n++
		}
	}
	return n
}
