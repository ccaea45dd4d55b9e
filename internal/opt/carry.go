package opt

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// carry drops carries into i from sums that never have one, because the bits
// of what they add leave room: addresses and descriptors of matrices in
// shared memory have 14 or 18 bits, and steps are added to them as if they
// had 64.
//
//	LOP3.LUT r0 = x, 0x3fff, rz, 0xc0
//	IADD3    r1, p0 = r0, 0x2, rz
//	IADD3.X  r2 = rz, 0x40000040, rz, p0, ~pt    IADD3.X r2 = rz, 0x40000040, rz, ~pt, ~pt
func (t *bitRewriter) carry(i *ori.Instr) {
	if i.Op != op.IADD3 || i.Mods != op.M(op.MX) || i.NDst < 1 || len(i.Args) != int(i.NDst)+5 {
		return
	}
	for n := len(i.Args) - 2; n < len(i.Args); n++ {
		p := &i.Args[n]
		if p.Kind != ori.KReg || p.Class != ori.P || p.Flags != 0 {
			continue
		}
		if j := t.v.Once(*p); j != nil && t.noCarry(j) {
			t.edits(i)
			*p = ori.Zero(ori.P).Not()
		}
	}
}

// noCarry reports whether the words that i adds are too small for a carry,
// which is its only other result.
func (t *bitRewriter) noCarry(i *ori.Instr) bool {
	if i.Op != op.IADD3 || i.Mods != (op.Mods{}) || i.NDst != 2 || len(i.Args) != 5 || i.Guard.Kind != ori.KNone {
		return false
	}
	sum := uint64(0)
	for n := 2; n < 5; n++ {
		if i.Args[n].Flags != 0 { // -0 carries
			return false
		}
		sum += uint64(t.k.Of(&i.Args[n], MaxDepth).May())
	}
	return sum < 1<<32
}
