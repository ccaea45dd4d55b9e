package machine

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// HighTests compares pairs of words with one instruction each where the upper
// word of one side is zero and that of the other is shared by several
// comparisons: whether it is zero is found once.
//
//	ISETP.GT.U32.AND    q = a, b, pt          ISETP.NE.U32.AND h = x, rz, pt
//	ISETP.GT.U32.AND.EX p = x, rz, pt, q      ISETP.GT.U32.OR  p = a, b, h
//	ISETP.LT.U32.AND    s = c, d, pt          ISETP.LT.U32.AND r = c, d, ~h
//	ISETP.LT.U32.AND.EX r = x, rz, pt, s
//
// The outcome takes a predicate, so there must be a few of them.
func HighTests(f *ori.Func, few int) bool {
	v := opt.ValuesOf(f)
	changed := false
	for _, b := range f.Blocks {
		groups := map[ori.Operand][]*ori.Instr{}
		var order []ori.Operand
		for i := range b.Instrs {
			x, ok := highTest(v, i)
			if !ok {
				continue
			}
			if groups[x] == nil {
				order = append(order, x)
			}
			groups[x] = append(groups[x], i)
		}
		for _, x := range order {
			if list := groups[x]; len(list) >= few && f.Should("high", list[0]) {
				shareHigh(v, x, list)
				changed = true
			}
		}
	}
	return f.Touched(changed)
}

// highTest returns the upper word that i compares with zero if the lower words
// are compared just for i, in its block.
func highTest(v *opt.Values, i *ori.Instr) (x ori.Operand, ok bool) {
	if i.Op != op.ISETP || i.NDst != 1 || len(i.Args) != 5 || i.Guard.Kind != ori.KNone || !i.Mods.Has(op.MEX) || !i.Mods.Has(op.MU32) || !i.Mods.Has(op.MAND) ||
		i.Args[3] != ori.Zero(ori.P) || i.Args[4].Flags != 0 {
		return x, false
	}
	if _, ok := opt.Outcome(i.Mods, 0, 0); !ok {
		return x, false
	}
	switch {
	case opt.IsZero(i.Args[2]):
		x = i.Args[1]
	case opt.IsZero(i.Args[1]):
		x = i.Args[2]
	}
	if x.Kind != ori.KReg || !opt.Plain(x) || !v.Stable(x) {
		return x, false
	}
	low := v.Once(i.Args[4])
	return x, low != nil && low.Op == op.ISETP && low.NDst == 1 && len(low.Args) == 4 && low.Block() == i.Block() && !low.Mods.Has(op.MEX) && low.Mods.Has(op.MAND) &&
		low.Args[3] == ori.Zero(ori.P) && v.ReadsOf(low.Args[0]) == 1 && v.Stable(low.Args[1]) && v.Stable(low.Args[2])
}

// shareHigh finds once whether x is zero for comparisons of one block.
func shareHigh(v *opt.Values, x ori.Operand, list []*ori.Instr) {
	f, at := v.Func, list[0]
	h := f.Words(f.NewReg(ori.P, 1))
	v.Grow()
	test := f.NewInstr(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), []ori.Operand{h}, []ori.Operand{x, ori.Zero(ori.R), ori.Zero(ori.P)})
	test.Line, test.Loc = at.Line, at.Loc
	at.Block().InsertBefore(test, at)
	v.Count(test, 1)
	for _, i := range list {
		a, b := uint32(1), uint32(0) // whatever the word is, if it is not zero
		if opt.IsZero(i.Args[1]) {
			a, b = b, a
		}
		low, with := v.Once(i.Args[4]), h.Not()
		mods := low.Mods
		if holds, _ := opt.Outcome(i.Mods, a, b); holds {
			mods, with = mods.Without(op.MAND).With(op.MOR), h
		}
		v.Change(i, op.ISETP, mods, low.Args[1], low.Args[2], with)
		v.Remove(low)
	}
}
