package float

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// MergeHalves lets conversions to two floats of eight bits put their result below a
// half that is there already, which the machine does on its way:
//
//	F2FP.E5M2.F32.PACK_AB_MERGE_C x = a, b, rz      F2FP.E5M2.F32.PACK_AB_MERGE_C d = a, b, y
//	PRMT d = x, 0x5410, y
//
// fits tells whether an instruction has a form.
func MergeHalves(f *ori.Func, fits func(*ori.Instr) bool) bool {
	v := opt.ValuesOf(f)
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if joinsHalves(i) {
				changed = merge(v, i, fits) || changed
			}
		}
	}
	return f.Touched(changed)
}

// merge makes i, which joins two halves, the conversion that gives the lower one.
func merge(v *opt.Values, i *ori.Instr, fits func(*ori.Instr) bool) bool {
	low, ok := joined(i, false)
	high, also := joined(i, true)
	if !ok || !also || low.high || high.high {
		return false
	}
	x := v.Once(low.word)
	if x == nil || x.Block() != i.Block() || !leavesHalf(x) || v.ReadsOf(low.word) != 1 {
		return false
	}
	srcs := append([]ori.Operand(nil), x.Srcs()...)
	last := len(srcs) - 1
	for _, s := range srcs[:last] {
		if !v.Stable(s) {
			return false
		}
	}
	srcs[last] = high.word
	was, wasOp, wasMods := i.Args, i.Op, i.Mods
	v.Change(i, x.Op, x.Mods, srcs...)
	if !fits(i) {
		v.Count(i, -1)
		i.Op, i.Mods, i.Args = wasOp, wasMods, was
		v.Count(i, 1)
		return false
	}
	v.Remove(x)
	return true
}

// leavesHalf reports whether i makes two floats of eight bits with nothing above them.
func leavesHalf(i *ori.Instr) bool {
	if i.Op != op.F2FP || i.Guard.Kind != ori.KNone || i.NDst != 1 || i.Mods.Has(op.ME2M1) || i.Mods.Has(op.MRS) {
		return false
	}
	s := i.Srcs()
	switch {
	case i.Mods.Has(op.MPACK_AB_MERGE_C):
		return len(s) == 3 && opt.IsZero(s[2])
	case i.Mods.Has(op.MUNPACK_B_MERGE_C):
		return len(s) == 2 && opt.IsZero(s[1])
	}
	return false
}
