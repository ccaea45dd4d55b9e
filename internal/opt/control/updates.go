package control

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// GuardedUpdates makes one guarded instruction, in SSA form, of a choice
// between a value and what was computed from it, where nobody else reads
// what was computed, nor the value behind the choice: the register is
// updated in place or left alone.
//
//	IADD3 t = x, 1; SEL d = t, x, p        @p IADD3 d = x, 1 else x
//
// Values that all threads of a warp may share stay choices. far is how many
// instructions before a choice its value may be read by others.
func GuardedUpdates(f *ori.Func, far int) bool {
	if !f.Props.SSA {
		return false
	}
	v := opt.ValuesOf(f)
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op != op.SEL || i.Guard.Kind != ori.KNone || i.Mods != (op.Mods{}) || i.NDst != 1 || len(i.Args) != 4 {
				continue
			}
			p := i.Args[3]
			if p.Kind != ori.KReg || p.Class != ori.P {
				continue
			}
			j, old := update(v, i, i.Args[1], i.Args[2], far), i.Args[2]
			if j == nil {
				j, old, p = update(v, i, i.Args[2], i.Args[1], far), i.Args[1], p.Not()
			}
			if j == nil || !f.Should("update", i) {
				continue
			}
			// i itself becomes the update: choices behind it find their value's writer
			i.Op, i.Mods, i.Guard, i.Old = j.Op, j.Mods, p, []ori.Operand{old}
			i.Args, i.NDst = append(i.Args[:1], j.Srcs()...), j.NDst
			i.Line, i.Loc = j.Line, j.Loc
			j.Remove()
			changed = true
		}
	}
	return f.Touched(changed)
}

// update returns the instruction of the block of i that makes fresh from old
// for i alone.
func update(v *opt.Values, i *ori.Instr, fresh, old ori.Operand, far int) *ori.Instr {
	if !word(fresh) || !word(old) || v.ReadsOf(fresh) != 1 || !readBefore(v, i, old, far) {
		return nil
	}
	j, of := v.Once(fresh), v.Writer(old)
	if j == nil || of == nil || j.Block() != i.Block() || !opt.IsPure(j) || j.Op.Has(op.Pseudo) || j.NDst != 1 || j.Args[0].N > 1 {
		return nil
	}
	same, differs := false, varies(of)
	for _, s := range j.Srcs() {
		if s.Kind != ori.KReg {
			continue
		}
		if s.Reg == old.Reg && s.Sub == old.Sub && s.N <= 1 {
			same = true
		} else if o := v.Once(s); o != nil && varies(o) {
			differs = true
		}
	}
	if !same || !differs {
		return nil
	}
	return j
}

// readBefore reports whether all who read a stand before i, not far away, but
// for i itself, which reads it once.
func readBefore(v *opt.Values, i *ori.Instr, a ori.Operand, far int) bool {
	left := v.ReadsOf(a) - 1
	if left > readFew {
		return false
	}
	for j, n := i.Prev(), 0; j != nil && left > 0 && n < far; j, n = j.Prev(), n+1 {
		for _, s := range j.Srcs() {
			if s.HasReg() && s.Reg == a.Reg && s.Sub <= a.Sub && a.Sub < s.Sub+max(1, s.N) {
				left--
			}
		}
	}
	return left == 0
}

// readFew is how many others may read it.
const readFew = 4

// word reports whether an operand is one word of a general register as it is.
func word(a ori.Operand) bool {
	return a.Kind == ori.KReg && a.Class == ori.R && a.N <= 1 && a.Flags == 0
}

// varies reports whether the uniform datapath cannot have the result of i.
func varies(i *ori.Instr) bool {
	return i.Op.Has(op.Lanes) || i.Op.Has(op.Reads) && !i.Op.LoadsConstant()
}
