package float

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Signs lets float operations apply the signs of their sources themselves.
// The lowering makes -x and |x| sums with -0, which change nothing else but
// the payload of NaNs; so does every operation that reads them here. Choices
// move the sign of a NaN too, as the reference's do; one that has no signs to
// change is a choice of words.
func Signs(f *ori.Func) bool {
	v := opt.ValuesOf(f)
	changed := false
	var any [op.Count]bool // whether there is a row for the operation
	for k := range signed {
		any[signed[k].op] = true
	}
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if !any[i.Op] {
				continue
			}
			m, ok := signRow(i)
			if !ok || !f.Should("sign", i) {
				continue
			}
			for k := int(i.NDst); k < len(i.Args); k++ {
				for takeSign(v, i, k, m) {
					changed = true
				}
			}
			if i.Op == op.FSEL && i.Args[1].Flags == 0 && i.Args[2].Flags == 0 {
				i.Op, changed = op.SEL, true
			}
		}
	}
	if f.Touched(changed) {
		v.Keep() // numbers are read that are one value
	}
	return changed
}

// signed are the operations whose sources have marks, and which.
var signed = [...]struct {
	op    op.Op
	marks ori.Flags
	from  op.Op // what makes signs of their numbers
}{
	{op.FADD, ori.Neg | ori.Abs, op.FADD},
	{op.FMUL, ori.Neg | ori.Abs, op.FADD},
	{op.FFMA, ori.Neg | ori.Abs, op.FADD},
	{op.FSETP, ori.Neg | ori.Abs, op.FADD},
	{op.FSEL, ori.Neg | ori.Abs, op.FADD},
	{op.FMNMX, ori.Neg | ori.Abs, op.FADD},
	{op.MUFU, ori.Neg | ori.Abs, op.FADD},
	{op.DADD, ori.Neg | ori.Abs, op.DADD},
	{op.DMUL, ori.Neg | ori.Abs, op.DADD},
	{op.DFMA, ori.Neg | ori.Abs, op.DADD},
	{op.DSETP, ori.Neg | ori.Abs, op.DADD},
}

type signRule struct {
	marks ori.Flags
	from  op.Op
}

func signRow(i *ori.Instr) (signRule, bool) {
	if i.Mods.Has(op.MXORSIGN) {
		return signRule{}, false // sees the sign below a mark
	}
	for _, r := range &signed {
		if r.op == i.Op {
			// functions of halves and doubles read other numbers
			return signRule{r.marks, r.from}, i.Op != op.MUFU || len(i.Args) == 2 && i.Mods[1] == op.NoMod
		}
	}
	return signRule{}, false
}

// takeSign reads source k of i through the sum that makes its sign.
func takeSign(v *opt.Values, i *ori.Instr, k int, m signRule) bool {
	a := &i.Args[k]
	if a.Kind != ori.KReg || a.Class != ori.R || a.Flags&^(ori.Neg|ori.Abs) != 0 {
		return false
	}
	j := v.Once(*a)
	if j == nil || j.Op != m.from || j.Mods != (op.Mods{}) && (j.Mods != op.M(op.MFTZ) || !i.Mods.Has(op.MFTZ)) || j.NDst != 1 || len(j.Args) != 3 || j.Guard.Kind != ori.KNone || j.Args[0].Reg != a.Reg || j.Args[0].Sub != a.Sub || j.Args[0].N != a.N {
		return false
	}
	x, z := j.Args[1], j.Args[2]
	if x.Kind == ori.KZero {
		x, z = z, x
	}
	if z.Kind != ori.KZero || z.Flags != ori.Neg || x.Kind != ori.KReg || x.Flags&^m.marks != 0 || x.Flags&^(ori.Neg|ori.Abs) != 0 || x.N != a.N || !v.Stable(x) {
		return false
	}
	flags := a.Flags
	if flags&ori.Abs == 0 {
		flags ^= x.Flags & ori.Neg
		flags |= x.Flags & ori.Abs
	}
	v.Count(i, -1)
	a.Reg, a.Sub, a.Flags = x.Reg, x.Sub, flags
	v.Count(i, 1)
	if v.ReadsOf(j.Args[0]) == 0 { // a product within may now be taken in
		v.Remove(j)
	}
	return true
}
