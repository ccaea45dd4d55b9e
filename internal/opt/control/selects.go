package control

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Selects turns moves under a guard that leave what another move brought into
// choices:
//
//	MOV    r0 = a                     SEL r1 = b, a, p
//	@p MOV r1 = b else r0
//
// It works on SSA form.
func Selects(f *ori.Func) bool {
	if !f.Props.SSA {
		return false
	}
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
