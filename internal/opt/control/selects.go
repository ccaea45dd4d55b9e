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
// Two constants are two instructions either way, but choices share a register
// with one of them: from so many between the same ones in a block on, which
// shared says, they are one each. It works on SSA form.
func Selects(f *ori.Func, shared int) bool {
	if !f.Props.SSA {
		return false
	}
	v := opt.ValuesOf(f)
	changed, stable := false, true
	for _, b := range f.Blocks {
		pairs := alike(v, b)
		for i := range b.Instrs {
			if !isMove(i) || i.Guard.Kind != ori.KReg || i.Guard.Class != ori.P || len(i.Old) != 1 || i.Old[0].Kind != ori.KReg {
				continue
			}
			first := v.Once(i.Old[0])
			if first == nil || !isMove(first) {
				continue
			}
			a, c, p := i.Old[0], i.Args[1], i.Guard
			k := first.Args[1]
			few := k.Kind == ori.KImm && c.Kind == ori.KImm && pairs[constants{k.Imm, c.Imm}] < shared
			if few || !f.Should("choice", i) {
				continue
			}
			if k.Kind != ori.KReg {
				a = k
			}
			if c.Kind == ori.KImm && k.Kind != ori.KImm { // the machine takes a constant as the second
				a, c, p = c, a, p.Not()
			}
			v.Count(i, -1)
			i.Op, i.Guard, i.Old = op.SEL, ori.Operand{}, nil
			f.SetArgs(i, i.Dsts(), []ori.Operand{c, a, p})
			v.Count(i, 1)
			changed, stable = true, stable && v.Stable(k)
		}
	}
	if f.Touched(changed) && stable {
		v.Keep()
	}
	return changed
}

// constants are what a guarded move leaves and what it brings.
type constants struct{ first, then int64 }

// alike counts the moves of b between the same constants.
func alike(v *opt.Values, b *ori.Block) (n map[constants]int) {
	for i := range b.Instrs {
		if !isMove(i) || i.Guard.Kind != ori.KReg || len(i.Old) != 1 || i.Args[1].Kind != ori.KImm {
			continue
		}
		if first := v.Once(i.Old[0]); first != nil && isMove(first) && first.Args[1].Kind == ori.KImm {
			if n == nil {
				n = map[constants]int{}
			}
			n[constants{first.Args[1].Imm, i.Args[1].Imm}]++
		}
	}
	return n
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
