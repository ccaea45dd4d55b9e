package opt

import (
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
	v := valuesOf(f)
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if isMove(i) && i.Guard.Kind == ori.KReg && i.Guard.Class == ori.P && f.Should("choice", i) && v.choose(i) {
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
func (v *values) choose(i *ori.Instr) bool {
	first := v.movedBefore(i)
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
func (v *values) movedBefore(i *ori.Instr) *ori.Instr {
	d := i.Args[0]
	n := 0
	var passed []ori.Operand
	moved := false // the guard was another
	for j := i.Prev(); j != nil && n < maxChain; j = j.Prev() {
		n++
		if isMove(j) && j.Args[0] == d && (j.Guard.Kind == ori.KNone || j.Guard == i.Guard.Not() && !moved) {
			for _, w := range passed {
				if overlaps(w, j.Args[1]) {
					return nil
				}
			}
			return j
		}
		if overlaps(j.Guard, d) {
			return nil
		}
		for _, a := range j.Args {
			if overlaps(a, d) {
				return nil
			}
		}
		for _, w := range j.Dsts() {
			moved = moved || overlaps(w, i.Guard)
			passed = append(passed, w)
		}
	}
	return nil
}

// overlaps reports whether two operands name common words.
func overlaps(a, b ori.Operand) bool {
	if !a.HasReg() || !b.HasReg() || a.Reg != b.Reg {
		return false
	}
	return a.Kind == ori.KConst || b.Kind == ori.KConst || a.Sub < b.Sub+max(1, b.N) && b.Sub < a.Sub+max(1, a.N)
}
