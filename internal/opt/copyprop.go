package opt

import (
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// CopyProp replaces reads of a copy by reads of what was copied. It
// reports whether it changed anything; the copies themselves are left for
// DeadCode. Of a function that has not changed since nothing was left to find it
// looks at nothing.
func CopyProp(f *ori.Func) bool {
	if f.Recall(ori.FactCopied) != nil {
		return false
	}
	v := &copies{Values: ValuesOf(f)}
	v.each(f, func(i *ori.Instr, a *ori.Operand, n ori.Operand) bool {
		if f.Should("copy", i) {
			v.replace(i, a, n)
		}
		return true
	})
	if f.Touched(v.changed) && !v.unstable {
		v.Keep()
	}
	if f.Ask == nil && (!v.changed || !v.chains && f.Recall(ori.FactValues) != nil) {
		f.Remember(ori.FactCopied, copied{})
	}
	return v.changed
}

// copied says that nothing reads a copy that could read its source.
type copied struct{}

// Holds reports whether that is so.
func (copied) Holds(f *ori.Func) bool {
	v := &copies{Values: ValuesOf(f)}
	return v.each(f, func(*ori.Instr, *ori.Operand, ori.Operand) bool { return false })
}

// each goes over the reads of copies with what could be read instead, until it is
// told not to go on, and reports whether it was not.
func (v *copies) each(f *ori.Func, found func(i *ori.Instr, a *ori.Operand, n ori.Operand) bool) bool {
	if !v.list(f) {
		return true
	}
	copied := v.copied
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			for k := int(i.NDst); k < len(i.Args); k++ {
				if a := &i.Args[k]; !a.HasReg() || !copied[a.Reg] || !v.fromCopy(i, a) {
					continue
				}
				if n, ok := v.source(i, i.Args[k]); ok && (i.Op != op.PHISRC || n.Flags == 0) && !found(i, &i.Args[k], n) {
					return false
				}
			}
			for k := range i.Old {
				if a := &i.Old[k]; !a.HasReg() || !copied[a.Reg] || !v.fromCopy(i, a) {
					continue
				}
				if n, ok := v.source(i, i.Old[k]); ok && n.Kind == ori.KReg && n.Flags == 0 && !found(i, &i.Old[k], n) {
					return false
				}
			}
			if g := &i.Guard; !g.HasReg() || !copied[g.Reg] || !v.fromCopy(i, g) {
				continue
			}
			if g, ok := v.source(i, i.Guard); ok && g.Kind == ori.KReg && !found(i, &i.Guard, g) {
				return false
			}
		}
	}
	return true
}

// list notes the registers that copies and moves write, and reports whether there are any.
func (v *copies) list(f *ori.Func) (any bool) {
	v.copied = pool.Make[bool](f.Scratch(), len(f.Regs))
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if (i.Op == op.COPY || i.Op == op.MOV) && len(i.Args) > 0 && i.Args[0].HasReg() {
				v.copied[i.Args[0].Reg], any = true, true
			}
		}
	}
	return any
}

// copies are values with what was found out about copies.
type copies struct {
	*Values
	copied   []bool // by register: some copy or move writes it
	changed  bool
	unstable bool // something that is not one value is read elsewhere now
	chains   bool // what is read now may be a copy too, or a copy reads something else
}

// replace lets i read n instead of a. What is one value stays one: its write
// dominates the copy, and the copy all who read that.
func (v *copies) replace(i *ori.Instr, a *ori.Operand, n ori.Operand) {
	v.changed = true
	v.chains = v.chains || i.Op == op.COPY || i.Op == op.MOV || n.HasReg() && v.fromCopy(i, &n)
	v.unstable = v.unstable || !v.Stable(n)
	v.CountRead(a, -1)
	v.CountRead(&n, 1)
	*a = n
}

// fromCopy reports whether a copy or a move writes the first word of operand a of i,
// and copies what can be read there: nothing else has a source to look for.
func (v *copies) fromCopy(i *ori.Instr, a *ori.Operand) bool {
	if a.Kind == ori.KConst {
		return false
	}
	d := v.Words[v.Word(a)].Def
	if d == nil || !isPlainCopy(d) {
		return false
	}
	switch s := &d.Args[1]; s.Kind {
	case ori.KReg:
		return s.Class == d.Args[0].Class && v.IsStable(s)
	case ori.KImm, ori.KZero: // goes only where a plain word is read
		return s.Flags == 0 && a.Kind == ori.KReg && a.N == 1 && a.Class == ori.R && takesConstant(i)
	}
	return false
}

// isPlainCopy reports whether d is a copy or a move that is always done.
func isPlainCopy(d *ori.Instr) bool {
	return (d.Op == op.COPY || d.Op == op.MOV) && d.NDst == 1 && len(d.Args) == 2 && d.Guard.Kind == ori.KNone
}

// source returns what operand a of i can be read from instead.
func (v *copies) source(i *ori.Instr, a ori.Operand) (ori.Operand, bool) {
	switch a.Kind {
	case ori.KReg, ori.KAddr, ori.KUAddr, ori.KDesc, ori.KGdesc, ori.KTmem:
	default:
		return a, false
	}
	if a.Reg == ori.NoReg || !v.IsStable(&a) {
		return a, false
	}
	var first ori.Operand
	for n := range max(1, a.N) {
		s, ok := v.original(i, a, n)
		if !ok {
			return a, false
		}
		if n == 0 {
			first = s
			continue
		}
		if first.Kind != ori.KReg || s.Kind != ori.KReg || s.Reg != first.Reg || s.Sub != first.Sub+n || s.Flags != 0 || first.Flags != 0 {
			return a, false
		}
	}
	return v.combine(i, a, first)
}

// original returns the source of the copy that makes word n of a, read by i.
func (v *copies) original(i *ori.Instr, a ori.Operand, n uint8) (ori.Operand, bool) {
	d := v.Words[v.WordOf(a)+int32(n)].Def
	if d == nil || !isPlainCopy(d) {
		return a, false
	}
	s := d.Args[1]
	if s.Kind == ori.KReg && s.Class == d.Args[0].Class && v.IsStable(&s) {
		s.Sub += a.Sub + n - d.Args[0].Sub
		s.N = 1
		return s, true
	}
	if (s.Kind == ori.KImm || s.Kind == ori.KZero) && s.Flags == 0 {
		return s, true
	}
	return a, false
}

// combine puts source s in the place of operand a, with the marks of both.
func (v *copies) combine(i *ori.Instr, a, s ori.Operand) (ori.Operand, bool) {
	if s.Kind == ori.KReg {
		if s.Flags != 0 && (a.Kind != ori.KReg || a.Flags != 0) {
			return a, false
		}
		if a.Kind != ori.KReg && a.N > 1 && s.Sub%2 != 0 {
			return a, false // an address pair must stay aligned
		}
		if a.N > 1 && s.Sub%AlignOf(a.N) != 0 {
			return a, false
		}
		a.Reg, a.Sub, a.Class = s.Reg, s.Sub, s.Class
		a.Flags |= s.Flags
		return a, true
	}
	// constants go only where a plain word is read
	if a.Kind != ori.KReg || a.N != 1 || a.Class != ori.R || !takesConstant(i) {
		return a, false
	}
	return constant(i, a, s)
}

func AlignOf(n uint8) uint8 {
	switch {
	case n >= 3:
		return 4
	case n == 2:
		return 2
	}
	return 1
}

// takesConstant reports whether sources of i may become constants: the
// instruction selector can always move one back into a register, so this
// keeps out only operations that have no form with one.
func takesConstant(i *ori.Instr) bool { return i.Op.Has(op.Folds) }

// constant applies the marks of a to a constant.
func constant(i *ori.Instr, a, s ori.Operand) (ori.Operand, bool) {
	val := uint32(s.Imm)
	if s.Kind == ori.KZero {
		val = 0
	}
	if i.Op.Has(op.Single) {
		if a.Flags&ori.Abs != 0 {
			if val>>31 != 0 && i.Mods.Has(op.MXORSIGN) {
				return a, false // which sees the sign below the mark
			}
			val &^= 1 << 31
		}
		if a.Flags&ori.Neg != 0 {
			val ^= 1 << 31
		}
	} else {
		if a.Flags&ori.Neg != 0 {
			if val == 0 && i.NDst > 1 {
				return a, false // x-0 carries, x+0 does not
			}
			val = -val
		}
		if a.Flags&ori.Inv != 0 {
			val = ^val
		}
	}
	if a.Flags&(ori.H0|ori.H1) != 0 {
		return a, false
	}
	if val == 0 {
		return ori.Zero(ori.R), true
	}
	return ori.Imm32(val), true
}
