package machine

import (
	"github.com/goptxas/goptxas/internal/witness/sim/image"
)

// Special registers, numbered as the machine does.
const (
	srLane    = 0
	srVirtCfg = 2
	srVirtID  = 3
	srTid     = 32
	srTidX    = 33
	srTidY    = 34
	srTidZ    = 35
	srCtaX    = 37
	srCtaY    = 38
	srCtaZ    = 39
	srLwinHi  = 46
	srSwinHi  = 47
	srSmemSz  = 50
	srLmemHi  = 55 // where a thread's stack may reach down to: code for debuggers compares R1 with it
	srEq      = 56
	srLt      = 57
	srLe      = 58
	srGt      = 59
	srGe      = 60
	srSmID    = 67
	srClockLo = 80
	srClockHi = 81
	srTimerLo = 82
	srTimerHi = 83
	srCgaCta  = 136
	srCgaSize = 138
	srZero    = 255
)

// Special is the value of a special register in a lane.
func (w *Warp) Special(n uint8, l int) uint32 {
	c := w.cta
	switch n {
	case srLane:
		return uint32(l)
	case srTidX, srTidY, srTidZ:
		return c.thread(w.lane0 + l)[n-srTidX]
	case srTid:
		t := c.thread(w.lane0 + l)
		return t[0] | t[1]<<16 | t[2]<<26
	case srCtaX, srCtaY, srCtaZ:
		return c.id[n-srCtaX]
	case srVirtID:
		return uint32(w.ID) << 8
	case srVirtCfg:
		return 64 << 8
	case srLwinHi:
		return image.LocalBase >> 32
	case srSwinHi:
		return image.SharedBase >> 32
	case srSmemSz:
		return uint32(len(c.shared))
	case srEq:
		return 1 << l
	case srLt:
		return 1<<l - 1
	case srLe:
		return uint32(uint64(2)<<l - 1)
	case srGt:
		return ^uint32(uint64(2)<<l - 1)
	case srGe:
		return ^uint32(1<<l - 1)
	case srClockLo, srTimerLo:
		return uint32(w.m.steps + w.steps)
	case srCgaCta:
		return c.rank
	case srCgaSize:
		if w.m.prog.Arch.SM >= 100 {
			return 0 // which words of bank 0 speak of the cluster: see machine.blackwell
		}
		return uint32(len(c.cluster.blocks))
	}
	return 0
}

// KnownSpecial lists the special registers that special knows.
func KnownSpecial(n uint8) bool {
	switch n {
	case srLane, srTid, srTidX, srTidY, srTidZ, srCtaX, srCtaY, srCtaZ, srVirtID, srVirtCfg, srLwinHi, srSwinHi, srSmemSz,
		srLmemHi, srEq, srLt, srLe, srGt, srGe, srSmID, srClockLo, srClockHi, srTimerLo, srTimerHi, srCgaCta, srCgaSize, srZero:
		return true
	}
	return false
}

// SpecialHigh is the upper word of a special register of 64 bits.
func (w *Warp) SpecialHigh(n uint8) uint32 {
	if n == srClockLo {
		return uint32(w.m.steps >> 32)
	}
	return 0
}
