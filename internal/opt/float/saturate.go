package float

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Saturate lets sums and products put their results between zero and one
// themselves:
//
//	FFMA     t = a, b, c            FFMA.SAT t = a, b, c
//	FADD.SAT d = rz, t              COPY     d = t
//
// The greater of a number and zero and then the lesser of that and one is such
// a sum too: both make zero of a NaN. In the other order one would come of it.
// It wants values.
func Saturate(f *ori.Func) bool {
	if !f.Props.SSA {
		return false
	}
	v := opt.ValuesOf(f)
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if between(v, i) && f.Should("between", i) {
				x := v.Once(i.Args[1])
				v.Count(i, -1)
				mods := op.M(op.MSAT)
				if i.Mods.Has(op.MFTZ) {
					mods = op.M(op.MFTZ, op.MSAT)
				}
				i.Op, i.Mods = op.FADD, mods
				f.SetArgs(i, []ori.Operand{i.Args[0]}, []ori.Operand{ori.Zero(ori.R), other(x)})
				v.Count(i, 1)
				v.Remove(x)
				changed = true
			}
			if x := saturated(v, i); x != nil && f.Should("saturate", i) {
				from := i.Args[2]
				v.Count(i, -1)
				x.Mods = x.Mods.With(op.MSAT)
				i.Op, i.Mods = op.COPY, op.Mods{}
				f.SetArgs(i, []ori.Operand{i.Args[0]}, []ori.Operand{from})
				v.Count(i, 1)
				changed = true
			}
		}
	}
	return f.Touched(changed)
}

// saturated returns the sum or product whose result only i reads, to saturate
// it, or nil.
func saturated(v *opt.Values, i *ori.Instr) *ori.Instr {
	if i.Op != op.FADD || i.Mods != op.M(op.MSAT) || i.Guard.Kind != ori.KNone || i.NDst != 1 || len(i.Args) != 3 || i.Args[1].Kind != ori.KZero || i.Args[1].Flags != 0 || !opt.Plain(i.Args[2]) {
		return nil
	}
	x := v.Once(i.Args[2])
	if x == nil || x.Op != op.FFMA && x.Op != op.FADD && x.Op != op.FMUL || x.NDst != 1 || x.Args[0].N != 1 || x.Mods.Has(op.MSAT) || x.Mods.Has(op.MFTZ) || x.Mods.Has(op.MCONTRACT) ||
		v.Func.Regs[x.Args[0].Reg].Var || v.ReadsOf(x.Args[0]) != 1 {
		return nil
	}
	return x
}

const one = 0x3f800000

// between reports whether i is the lesser of one and the greater of zero and a
// number, which nobody else reads.
func between(v *opt.Values, i *ori.Instr) bool {
	if !isMinMax(i, false) || !opt.Plain(i.Args[1]) || i.Args[2].Kind != ori.KImm || i.Args[2].Flags != 0 || uint32(i.Args[2].Imm) != one {
		return false
	}
	x := v.Once(i.Args[1])
	return x != nil && isMinMax(x, true) && x.Mods == i.Mods && v.ReadsOf(x.Args[0]) == 1 && other(x).Kind == ori.KReg && v.Stable(other(x))
}

// isMinMax reports whether i is the greater or the lesser of two numbers, where
// a NaN is none.
func isMinMax(i *ori.Instr, greater bool) bool {
	return i.Op == op.FMNMX && (i.Mods == (op.Mods{}) || i.Mods == op.M(op.MFTZ)) && i.Guard.Kind == ori.KNone && i.NDst == 1 && len(i.Args) == 4 &&
		i.Args[3].Kind == ori.KZero && (i.Args[3].Flags&ori.Inv != 0) == greater
}

// other returns the source of i that is not zero.
func other(i *ori.Instr) ori.Operand {
	switch {
	case opt.IsZero(i.Args[2]) && opt.Plain(i.Args[1]):
		return i.Args[1]
	case opt.IsZero(i.Args[1]) && opt.Plain(i.Args[2]):
		return i.Args[2]
	}
	return ori.Operand{}
}
