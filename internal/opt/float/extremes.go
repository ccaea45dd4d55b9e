package float

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Extremes takes the greatest or least of three numbers at once:
//
//	FMNMX t = a, b, !pt        FMNMX3 d = a, b, c, !pt
//	FMNMX d = t, c, !pt
//
// Both must look for the same, and nobody else may read what is between.
// fits tells whether an instruction has a form.
func Extremes(f *ori.Func, fits func(*ori.Instr) bool) bool {
	v := opt.ValuesOf(f)
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if isExtreme(i) && f.Should("extremes", i) {
				changed = extreme3(v, i, fits) || changed
			}
		}
	}
	return f.Touched(changed)
}

// isExtreme reports whether i is the greatest or least of two numbers.
func isExtreme(i *ori.Instr) bool {
	return i.Op == op.FMNMX && !i.Mods.Has(op.MXORSIGN) && i.Guard.Kind == ori.KNone && i.NDst == 1 && len(i.Args) == 4 && i.Args[3].Kind == ori.KZero
}

// extreme3 makes i the extreme of three, if one of its sources is one of two.
func extreme3(v *opt.Values, i *ori.Instr, fits func(*ori.Instr) bool) bool {
	for n := 1; n <= 2; n++ {
		a := i.Args[n]
		if !opt.Plain(a) || v.ReadsOf(a) != 1 {
			continue
		}
		j := v.Once(a)
		if j == nil || !isExtreme(j) || j.Mods != i.Mods || j.Args[3] != i.Args[3] || j.Block() != i.Block() || !lastingSources(v, j) {
			continue
		}
		was, args := *i, i.Args
		v.Count(i, -1)
		i.Op = op.FMNMX3
		v.Func.SetArgs(i, []ori.Operand{args[0]}, []ori.Operand{j.Args[1], j.Args[2], args[3-n], args[3]})
		ok := fits(i)
		if !ok {
			i.Op, i.Args = was.Op, args
		}
		v.Count(i, 1)
		if ok {
			v.Remove(j)
			return true
		}
	}
	return false
}

// lastingSources reports whether the registers that i reads keep their values.
func lastingSources(v *opt.Values, i *ori.Instr) bool {
	for _, s := range i.Srcs() {
		if s.Kind == ori.KReg && !v.Stable(s) {
			return false
		}
	}
	return true
}
