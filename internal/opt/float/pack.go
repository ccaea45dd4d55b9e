package float

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// PackHalves does two operations on halves as one, where their results are put
// together:
//
//	HFMA2 a = x.H0_H0, y.H0_H0, z.H0_H0         HFMA2 d = x, y.H0_H0, z.H0_H0
//	HFMA2 b = x.H1_H1, y.H0_H0, z.H0_H0
//	PRMT d = a, 0x5410, b
//
// Every operand must be a half that both read, or the low and the high half of one word.
// fits tells whether an instruction has a form.
func PackHalves(f *ori.Func, fits func(*ori.Instr) bool) bool {
	v := opt.ValuesOf(f)
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if joinsHalves(i) {
				changed = pack(v, i, fits) || changed
			}
		}
	}
	return f.Touched(changed)
}

// joinsHalves reports whether i puts the low halves of two words together.
func joinsHalves(i *ori.Instr) bool {
	return i.Op == op.PRMT && i.Guard.Kind == ori.KNone && i.NDst == 1 && len(i.Args) == 4 &&
		i.Args[2].Is(0x5410) && opt.Plain(i.Args[1]) && opt.Plain(i.Args[3])
}

// pack makes i the operation whose two results it puts together.
func pack(v *opt.Values, i *ori.Instr, fits func(*ori.Instr) bool) bool {
	low, high := halfOp(v, i.Args[1]), halfOp(v, i.Args[3])
	if low == nil || high == nil || low == high || low.Block() != i.Block() || high.Block() != i.Block() || low.Op != high.Op || low.Mods != high.Mods || len(low.Args) != len(high.Args) {
		return false
	}
	srcs := make([]ori.Operand, 0, len(low.Args)-1)
	for n, x := range low.Srcs() {
		a, ok := lanes(x, high.Srcs()[n])
		if !ok || !v.Stable(a) {
			return false
		}
		srcs = append(srcs, a)
	}
	was, wasOp, wasMods := i.Args, i.Op, i.Mods
	v.Count(i, -1)
	i.Op, i.Mods = low.Op, low.Mods.Without(op.MCONTRACT) // what stands in a pair is fused with nothing
	v.Func.SetArgs(i, append([]ori.Operand(nil), i.Dsts()...), srcs)
	ok := fits(i)
	if !ok {
		i.Op, i.Mods, i.Args = wasOp, wasMods, was
	}
	v.Count(i, 1)
	if ok {
		v.Remove(low)
		v.Remove(high)
	}
	return ok
}

// halfOp returns the operation on halves whose result nobody but the reader of
// a looks at, or nil.
func halfOp(v *opt.Values, a ori.Operand) *ori.Instr {
	i := v.Once(a)
	if i == nil || i.Guard.Kind != ori.KNone || i.NDst != 1 || v.ReadsOf(a) != 1 || i.Mods.Has(op.MF32) {
		return nil
	}
	switch i.Op {
	case op.HFMA2, op.HADD2, op.HMUL2:
		return i
	}
	return nil
}

// lanes returns the operand whose low half is what x has there and whose high
// half is what y has in its low one.
func lanes(x, y ori.Operand) (ori.Operand, bool) {
	const half = ori.H0 | ori.H1
	xHigh, yHigh := x.Flags&ori.H1 != 0, y.Flags&ori.H1 != 0
	a, b := x, y
	a.Flags &^= half
	b.Flags &^= half
	switch {
	case a != b:
		return a, false
	case a.Kind == ori.KZero:
		return a, true
	case a.Kind != ori.KReg || a.N > 1:
		return a, false
	case xHigh == yHigh && xHigh:
		a.Flags |= ori.H1
	case xHigh == yHigh:
		a.Flags |= ori.H0
	case xHigh: // the machine cannot cross them
		return a, false
	}
	return a, true
}
