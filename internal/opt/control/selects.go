package control

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Selects turns moves to one register, of which a predicate lets the last
// through, into one choice:
//
//	MOV     r = a                      @!p MOV r = a
//	@p MOV  r = b                      @p  MOV r = b
//
// both become
//
//	SEL     r = b, a, p
//
// The register is then written once, and other phases know what it holds.
func Selects(f *ori.Func) bool {
	if f.Props.SSA {
		return selectValues(f)
	}
	v := opt.ValuesOf(f)
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if isMove(i) && i.Guard.Kind == ori.KReg && i.Guard.Class == ori.P && f.Should("choice", i) && choose(v, i) {
				changed = true
			}
		}
	}
	return f.Touched(changed)
}

// isMove reports whether i moves a word of the general registers that a
// choice can take.
func isMove(i *ori.Instr) bool {
	if i.Op != op.MOV && i.Op != op.COPY || i.NDst != 1 || len(i.Args) != 2 || i.Mods != (op.Mods{}) {
		return false
	}
	d, s := i.Args[0], i.Args[1]
	if d.Kind != ori.KReg || d.Class != ori.R || d.N != 1 || s.Flags != 0 {
		return false
	}
	return s.Kind == ori.KImm || s.Kind == ori.KZero && s.Class == ori.R || s.Kind == ori.KReg && s.Class == ori.R && s.N == 1
}

// choose joins the guarded move i with the move before it that it changes.
func choose(v *opt.Values, i *ori.Instr) bool {
	first := movedBefore(v, i)
	if first == nil {
		return false
	}
	d, a, c := i.Args[0], first.Args[1], i.Args[1]
	p := i.Guard
	if a == d || c == d || a.Kind == ori.KImm && c.Kind == ori.KImm { // two constants are two moves anyhow
		return false
	}
	if c.Kind == ori.KImm { // the machine takes a constant as the second
		a, c, p = c, a, p.Not()
	}
	v.Count(i, -1)
	i.Op, i.Guard = op.SEL, ori.Operand{}
	v.Func.SetArgs(i, []ori.Operand{d}, []ori.Operand{c, a, p})
	v.Count(i, 1)
	v.Remove(first)
	return true
}

// movedBefore returns the move to the register of i whose result i leaves
// where its guard does not hold, if nothing between looks at the register,
// and neither the source of that move nor its guard changes.
func movedBefore(v *opt.Values, i *ori.Instr) *ori.Instr {
	d := i.Args[0]
	n := 0
	var passed []ori.Operand
	moved := false // the guard was another
	for j := i.Prev(); j != nil && n < opt.MaxChain; j = j.Prev() {
		n++
		if isMove(j) && j.Args[0] == d && (j.Guard.Kind == ori.KNone || j.Guard == i.Guard.Not() && !moved) {
			for _, w := range passed {
				if opt.Overlaps(w, j.Args[1]) {
					return nil
				}
			}
			return j
		}
		if opt.Overlaps(j.Guard, d) {
			return nil
		}
		for _, a := range j.Args {
			if opt.Overlaps(a, d) {
				return nil
			}
		}
		for _, w := range j.Dsts() {
			moved = moved || opt.Overlaps(w, i.Guard)
			passed = append(passed, w)
		}
	}
	return nil
}

// selectValues does the same in SSA form, where a guarded move says what is
// there if it does not run.
func selectValues(f *ori.Func) bool {
	v := opt.ValuesOf(f)
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if !isMove(i) || i.Guard.Kind != ori.KReg || i.Guard.Class != ori.P || len(i.Old) != 1 || i.Old[0].Kind != ori.KReg {
				continue
			}
			first := v.Once(i.Old[0])
			if first == nil || !isMove(first) {
				continue
			}
			a, c, p := i.Old[0], i.Args[1], i.Guard
			if k := first.Args[1]; k.Kind == ori.KImm && c.Kind == ori.KImm || !f.Should("choice", i) {
				continue // two constants are two moves anyhow
			} else if k.Kind != ori.KReg {
				a = k
			}
			if c.Kind == ori.KImm { // the machine takes a constant as the second
				a, c, p = c, a, p.Not()
			}
			v.Count(i, -1)
			i.Op, i.Guard, i.Old = op.SEL, ori.Operand{}, nil
			f.SetArgs(i, i.Dsts(), []ori.Operand{c, a, p})
			v.Count(i, 1)
			changed = true
		}
	}
	return f.Touched(changed)
}
