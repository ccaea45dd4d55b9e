package machine

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Extremes makes one operation of two around the greatest or least of numbers,
// where the machine has it:
//
//	FMNMX t = a, b, !pt        FMNMX3 d = a, b, c, !pt       floats, words and halves
//	FMNMX d = t, c, !pt
//
//	IADD3 t = a, b, rz         VIADDMNMX d = a, b, c, !pt
//	VIMNMX d = t, c, !pt
//
//	VIMNMX t = a, b, pt        VIMNMX.RELU d = a, b, pt
//	VIMNMX d = t, rz, !pt
//
// The second may have a guard. Nobody else may read what is between. Sums that all threads share stay: the
// uniform datapath has them. fits tells whether an instruction has a form.
func Extremes(f *ori.Func, fits func(*ori.Instr) bool) bool {
	e := &extremes{Values: opt.ValuesOf(f), fits: fits}
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if isExtreme(i) && f.Should("extremes", i) {
				changed = e.notBelow(i) || e.ofThree(i) || e.ofSum(i) || changed
			}
		}
	}
	return f.Touched(changed)
}

type extremes struct {
	*opt.Values
	fits   func(*ori.Instr) bool
	differ *flow.Uniformity // nil until a sum asks
}

// triples are the operations on two numbers, with their counterparts on three.
var triples = [...][2]op.Op{{op.FMNMX, op.FMNMX3}, {op.VIMNMX, op.VIMNMX3}, {op.HMNMX2, op.VHMNMX}}

// threeOf is the counterpart of an operation on three numbers.
func threeOf(o op.Op) (op.Op, bool) {
	for _, x := range triples {
		if x[0] == o {
			return x[1], true
		}
	}
	return 0, false
}

// isExtreme reports whether i is the greatest or least of two numbers, with
// one result, and knows which.
func isExtreme(i *ori.Instr) bool {
	if _, ok := threeOf(i.Op); !ok || len(i.Args) != int(i.NDst)+3 || i.Mods.Has(op.MXORSIGN) || i.Op == op.HMNMX2 && i.Mods.Has(op.MFTZ) {
		return false
	}
	for _, d := range i.Dsts()[1:] {
		if d.Kind != ori.KZero {
			return false
		}
	}
	return i.Srcs()[2].Kind == ori.KZero
}

// isSigned reports whether words, or their halves, have signs.
func isSigned(m op.Mods) bool { return !m.Has(op.MU32) && !m.Has(op.MU16x2) }

// between returns what makes source n of i, if nobody else reads it and it can
// be made where i is.
func (e *extremes) between(i *ori.Instr, n int) *ori.Instr {
	a := i.Srcs()[n]
	if a.Flags &= ^ori.H0; !opt.Plain(a) || e.ReadsOf(a) != 1 {
		return nil
	}
	j := e.Once(a)
	if j == nil || j.Block() != i.Block() || j.Guard.Kind != ori.KNone {
		return nil
	}
	for _, s := range j.Srcs() {
		if s.Kind == ori.KReg && !e.Stable(s) {
			return nil
		}
		if i.Srcs()[n].Flags != 0 && s.Kind == ori.KReg && s.Flags&(ori.H0|ori.H1) == 0 { // its halves are not the same
			return nil
		}
	}
	return j
}

// become makes i another operation on the first of its results, and takes j
// away, if the machine has it.
func (e *extremes) become(i, j *ori.Instr, o op.Op, m op.Mods, dsts []ori.Operand, srcs ...ori.Operand) bool {
	wasOp, wasMods, args, n, old := i.Op, i.Mods, i.Args, i.NDst, i.Old
	e.Count(i, -1)
	i.Op, i.Mods = o, m
	e.Func.SetArgs(i, append([]ori.Operand{args[0]}, dsts...), srcs)
	if len(old) != 0 { // what a guard leaves of each result
		i.Old = old[:i.NDst]
	}
	ok := e.fits(i)
	if !ok {
		i.Op, i.Mods, i.Args, i.NDst, i.Old = wasOp, wasMods, args, n, old
	}
	e.Count(i, 1)
	if ok {
		e.Remove(j)
	}
	return ok
}

// notBelow: a signed extreme that is zero where it would be less.
func (e *extremes) notBelow(i *ori.Instr) bool {
	s := i.Srcs()
	if i.Op != op.VIMNMX || !isSigned(i.Mods) || s[2].Flags&ori.Inv == 0 {
		return false
	}
	for n := range 2 {
		if s[1-n].Kind != ori.KZero {
			continue
		}
		if j := e.between(i, n); j != nil && (j.Op == op.VIMNMX || j.Op == op.VIMNMX3 || j.Op == op.VIADDMNMX) && j.Mods.Without(op.MRELU) == i.Mods.Without(op.MRELU) {
			return e.become(i, j, j.Op, i.Mods.With(op.MRELU), j.Dsts()[1:], j.Srcs()...)
		}
	}
	return false
}

// ofThree: the extreme of an extreme of the same kind.
func (e *extremes) ofThree(i *ori.Instr) bool {
	for n := range 2 {
		j, s := e.between(i, n), i.Srcs()
		if j == nil || j.Op != i.Op || !isExtreme(j) || j.Srcs()[2] != s[2] {
			continue
		}
		m := i.Mods
		if j.Mods.Has(op.MRELU) && s[2].Flags&ori.Inv != 0 { // the greatest of all and zero
			m = m.With(op.MRELU)
		}
		if j.Mods != m && j.Mods.With(op.MRELU) != m {
			continue
		}
		o, _ := threeOf(i.Op)
		a, b, c := j.Srcs()[0], j.Srcs()[1], s[1-n]
		if c.Kind != ori.KReg { // the second may be a constant
			b, c = c, b
		}
		if e.become(i, j, o, m, nil, a, b, c, s[2]) {
			return true
		}
	}
	return false
}

// ofSum: the extreme of a sum and another word, or of halves.
func (e *extremes) ofSum(i *ori.Instr) bool {
	if i.Op != op.VIMNMX {
		return false
	}
	for n := range 2 {
		j, s := e.between(i, n), i.Srcs()
		if j == nil || !isSum(j, i.Mods.Has(op.MU16x2) || i.Mods.Has(op.MS16x2)) {
			continue
		}
		a, b := j.Srcs()[0], j.Srcs()[1]
		if !opt.Plain(a) {
			a, b = b, a
		}
		if opt.Plain(a) && !(e.isUniform(a) && e.isUniform(b)) && e.become(i, j, op.VIADDMNMX, i.Mods, nil, a, b, s[1-n], s[2]) {
			return true
		}
	}
	return false
}

// isSum reports whether j adds two words, or their halves.
func isSum(j *ori.Instr, halves bool) bool {
	if halves {
		return j.Op == op.VIADD && j.Mods == op.M(op.M16x2) && j.NDst == 1
	}
	return j.Op == op.IADD3 && j.Mods == (op.Mods{}) && j.NDst == 1 && len(j.Args) == 4 && j.Args[3].Kind == ori.KZero
}

// isUniform reports whether a may come to lie in a uniform register: all
// threads of a warp have the same, and no load brings it.
func (e *extremes) isUniform(a ori.Operand) bool {
	if !a.HasReg() {
		return true
	}
	if e.differ == nil {
		e.differ = flow.UniformityOf(e.Func)
	}
	j := e.Once(a)
	return !e.differ.Differs(a.Reg) && (j == nil || !j.Op.Has(op.Reads) || j.Op.LoadsConstant())
}
