package address

import (
	"math"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// scatterer finds indices that are sums.
type scatterer struct {
	*opt.Combiner
	k *opt.Knowledge
}

// scattered folds a constant that is added to the index of an address, or
// set in bits of it that are zero, into the offset:
//
//	LOP3.LUT  y = x, 0x80, rz, 0xfc        IMAD.WIDE t = x, 0x4, base
//	IMAD.WIDE a = y, 0x4, base             LDG r = [t.64+0x200]
//	LDG r = [a.64]
//
// Producers set bits where they know that nothing carries. What is computed
// anew is one value for many accesses.
func (c *scatterer) scattered(a ori.Operand) (ori.Operand, bool) {
	r := a
	r.Kind, r.Flags, r.Imm = ori.KReg, 0, 0
	j := c.V.Once(r)
	if j == nil || j.NDst != 1 || j.Guard.Kind != ori.KNone || j.Args[0].Sub != a.Sub || j.Args[0].N != a.N {
		return a, false
	}
	at, factor, ok := indexOf(j)
	if !ok {
		return a, false
	}
	x, k, ok := c.apart(j.Args[at])
	if !ok || k > math.MaxInt32/factor {
		return a, false
	}
	off := a.Imm + k*factor
	if off > maxOffset || a.N == 1 && off < 0 {
		return a, false
	}
	for n := 1; n < len(j.Args); n++ {
		if n != at && !c.V.Stable(j.Args[n]) {
			return a, false
		}
	}
	if len(j.Args) == 2 { // the index itself is the address
		a.Reg, a.Sub, a.Imm = x.Reg, x.Sub, off
		return a, true
	}
	t := c.F.NewReg(ori.R, int(a.N))
	c.V.Grow()
	c.k.Grow()
	srcs := append([]ori.Operand(nil), j.Srcs()...)
	srcs[at-1] = x
	i := c.F.NewInstr(j.Op, j.Mods, []ori.Operand{c.F.Words(t)}, srcs)
	i.Line, i.Loc = j.Line, j.Loc
	j.Block().InsertBefore(i, j)
	c.V.Count(i, 1)
	a.Reg, a.Sub, a.Imm = t, 0, off
	return a, true
}

// indexOf returns the source of j that is an index, and what it is
// multiplied by.
func indexOf(j *ori.Instr) (at int, factor int64, ok bool) {
	switch {
	case j.Op == op.IMAD && len(j.Args) == 4 && (j.Mods == (op.Mods{}) || j.Mods == op.M(op.MWIDE) || j.Mods == op.M(op.MWIDE, op.MU32)):
		k := j.Args[2]
		return 1, k.Imm, k.Kind == ori.KImm && k.Flags == 0 && k.Imm > 0 && k.Imm <= maxOffset
	case j.Op == op.LEA && j.Mods == (op.Mods{}) && len(j.Args) == 4 && j.Args[3].Kind == ori.KImm:
		return 1, 1 << j.Args[3].Imm, j.Args[3].Imm >= 0 && j.Args[3].Imm < 20
	case j.Op == op.SHF && j.Mods == op.M(op.ML, op.MU32) && len(j.Args) == 4 && opt.IsZero(j.Args[3]) && j.Args[2].Kind == ori.KImm:
		return 1, 1 << j.Args[2].Imm, j.Args[2].Imm >= 0 && j.Args[2].Imm < 20
	case opt.IsAdd(j) && opt.Plain(j.Args[1]):
		return 1, 1, true
	}
	return 0, 0, false
}

// apart returns y as x plus a constant that is not negative, where the sum
// never leaves the signed words.
func (c *scatterer) apart(y ori.Operand) (x ori.Operand, k int64, ok bool) {
	if !opt.Plain(y) {
		return x, 0, false
	}
	j := c.V.Once(y)
	if j == nil || j.Guard.Kind != ori.KNone || j.NDst != 1 || j.Args[0] != y {
		return x, 0, false
	}
	sum := opt.IsAdd(j)
	if !sum && !(opt.IsLogic(j) && opt.IsZero(j.Args[3]) && j.Args[4].Imm&0xff == 0xfc) {
		return x, 0, false
	}
	x, with := j.Args[1], j.Args[2]
	if x.Kind != ori.KReg {
		x, with = with, x
	}
	v, ok := opt.Known(with)
	if !ok || v == 0 || v > math.MaxInt32 || !opt.Plain(x) || !c.V.Stable(x) {
		return x, 0, false
	}
	b := c.k.Of(&x, opt.MaxDepth)
	if sum {
		return x, int64(v), uint64(b.May())+uint64(v) <= math.MaxInt32
	}
	return x, int64(v), b.Zero&v == v
}
