package lower

import (
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
	"goptxas/internal/ptx/isa"
)

// specials maps PTX special registers to the machine's.
var specials = [...]struct {
	word isa.Word
	comp int
	reg  op.Special
}{
	{isa.WSrTid, 0, op.SRTidX},
	{isa.WSrTid, 1, op.SRTidY},
	{isa.WSrTid, 2, op.SRTidZ},
	{isa.WSrCtaid, 0, op.SRCtaidX},
	{isa.WSrCtaid, 1, op.SRCtaidY},
	{isa.WSrCtaid, 2, op.SRCtaidZ},
	{isa.WSrLaneid, 0, op.SRLaneID},
	{isa.WSrLanemaskEq, 0, op.SREqMask},
	{isa.WSrLanemaskLt, 0, op.SRLtMask},
	{isa.WSrLanemaskLe, 0, op.SRLeMask},
	{isa.WSrLanemaskGt, 0, op.SRGtMask},
	{isa.WSrLanemaskGe, 0, op.SRGeMask},
}

// special returns the words of a special register.
func (l *lowerer) special(r isa.SpecialReg, comp, n int) value {
	comp = max(0, comp-1) // components count from one; zero is the whole register
	w := r.Word()
	b := l.arch.Bank0()
	switch {
	case w == isa.WSrNtid && comp < 3:
		return value{l.one(op.LDC, op.Mods{}, ori.Const(0, b.NTid+4*int64(comp))), rz()}[:n]
	case w == isa.WSrNctaid && comp < 3:
		return value{l.one(op.LDC, op.Mods{}, ori.Const(0, b.NCtaid+4*int64(comp))), rz()}[:n]
	case r.Vector() && comp == 3:
		return value{rz(), rz()}[:n]
	}
	for _, s := range specials {
		if s.word == w && s.comp == comp {
			return value{l.one(op.S2R, op.Mods{}, ori.Special(s.reg)), rz()}[:n]
		}
	}
	l.unsupported()
	return nil
}
