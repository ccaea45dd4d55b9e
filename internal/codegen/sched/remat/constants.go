// Package remat rematerialises: it knows what can be made once more nearer to its uses, before an
// order is looked for.
package remat

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Constant is a register that holds a value which instructions without
// register operands make: one for each part of it.
type Constant struct {
	Defs  []*ori.Instr
	words uint64 // written so far
	No    bool   // something else writes it, or a word twice
}

// repeatable reports whether i gives the same result wherever it stands.
func repeatable(i *ori.Instr) bool {
	if !i.Op.Has(op.Remat) || i.Guard.Kind != ori.KNone || i.NDst != 1 {
		return false
	}
	for _, a := range i.Srcs() {
		switch a.Kind {
		case ori.KImm, ori.KConst, ori.KZero, ori.KSymbol:
			if a.HasReg() {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// Constants finds the registers that hold constants.
func Constants(f *ori.Func) []Constant {
	all := make([]Constant, len(f.Regs))
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			for _, o := range i.Dsts() {
				if o.Kind != ori.KReg {
					continue
				}
				c := &all[o.Reg]
				words := (uint64(1)<<max(1, o.N) - 1) << o.Sub
				if f.Regs[o.Reg].Fixed || f.Regs[o.Reg].Width > 4 || !repeatable(i) || c.words&words != 0 || len(c.Defs) > 0 && c.Defs[0].Block() != b {
					c.No = true
					continue
				}
				c.words |= words
				c.Defs = append(c.Defs, i)
			}
		}
	}
	return all
}

// Reads calls do with every operand of i that reads a register.
func Reads(i *ori.Instr, do func(o *ori.Operand)) {
	for k := range i.Srcs() {
		if o := &i.Srcs()[k]; o.HasReg() {
			do(o)
		}
	}
	if i.Guard.Kind == ori.KReg {
		do(&i.Guard)
	}
}
