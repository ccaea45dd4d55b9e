// Package opt improves Ori functions without knowing more about the machine
// than its operations mean. One phase is one file; each keeps the function
// well formed and changes nothing a program can see.
//
// Registers are not in single-assignment form, but nearly all are written
// once: PTX producers number their values. Phases reason about words that
// have one unguarded write; such a word always holds the same value where
// it may be read, so it can be replaced by what it was made from.
package opt

import (
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
)

// values knows who writes and who reads every word of every register.
type values struct {
	f      *ori.Func
	base   []int32 // first word number of each register
	def    []*ori.Instr
	writes []int32
	reads  []int32
}

// valuesOf looks at all instructions of f.
func valuesOf(f *ori.Func) *values {
	v := &values{f: f, base: make([]int32, len(f.Regs)+1)}
	for r := range f.Regs {
		v.base[r+1] = v.base[r] + int32(f.Regs[r].Width)
	}
	n := v.base[len(f.Regs)]
	v.def, v.writes, v.reads = make([]*ori.Instr, n), make([]int32, n), make([]int32, n)
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			v.count(i, 1)
		}
	}
	return v
}

// count adds or takes away the reads and writes of i.
func (v *values) count(i *ori.Instr, by int32) {
	for k := range i.Args {
		a := &i.Args[k] // operands are large
		if a.Kind != ori.KReg && !a.HasReg() {
			continue
		}
		w := v.word(*a)
		for n := range int32(max(1, a.N)) {
			if k >= int(i.NDst) {
				v.reads[w+n] += by
				continue
			}
			v.writes[w+n] += by
			v.def[w+n] = i
			if i.Guard.Kind == ori.KReg {
				v.writes[w+n] += by // two writes as far as anyone may conclude
			}
		}
	}
	if i.Guard.Kind == ori.KReg {
		v.reads[v.word(i.Guard)] += by
	}
}

// word returns the number of the first word an operand names.
func (v *values) word(a ori.Operand) int32 {
	if a.Kind == ori.KConst {
		return v.base[a.Reg]
	}
	return v.base[a.Reg] + int32(a.Sub)
}

// once returns the instruction that alone writes the words of a register
// operand, or nil. Registers fixed by convention are written by others too.
func (v *values) once(a ori.Operand) *ori.Instr {
	if !a.HasReg() || v.f.Regs[a.Reg].Fixed {
		return nil
	}
	w := v.word(a)
	i := v.def[w]
	for n := range int32(max(1, a.N)) {
		if v.writes[w+n] != 1 || v.def[w+n] != i {
			return nil
		}
	}
	return i
}

// stable reports whether an operand means the same wherever it is read:
// it names no register, or words written once.
func (v *values) stable(a ori.Operand) bool {
	if !a.HasReg() {
		return true
	}
	if v.f.Regs[a.Reg].Fixed {
		return false
	}
	w := v.word(a)
	for n := range int32(max(1, a.N)) {
		if v.writes[w+n] != 1 {
			return false
		}
	}
	return true
}

// readsOf returns how often the words of an operand are read.
func (v *values) readsOf(a ori.Operand) int32 {
	w := v.word(a)
	most := int32(0)
	for n := range int32(max(1, a.N)) {
		most = max(most, v.reads[w+n])
	}
	return most
}

// remove takes i out of the function and out of the counts.
func (v *values) remove(i *ori.Instr) {
	v.count(i, -1)
	i.Remove()
}

// isPure reports whether i does nothing but compute its results from its
// sources, the same each time.
func isPure(i *ori.Instr) bool {
	if i.NDst == 0 || i.Guard.Kind != ori.KNone || i.Op.Has(op.Effect|op.Writes|op.Terminator|op.Convergent) {
		return false
	}
	switch i.Op {
	case op.LDC, op.ULDC, op.LDCU: // constant banks do not change
		return true
	case op.CS2R: // clocks and timers
		return false
	case op.S2R, op.S2UR:
		return isFixedSpecial(op.Special(i.Srcs()[0].Imm))
	}
	return !i.Op.Has(op.Reads)
}

// isFixedSpecial reports whether a special register keeps its value while a
// thread runs.
func isFixedSpecial(s op.Special) bool {
	switch s {
	case op.SRTidX, op.SRTidY, op.SRTidZ, op.SRCtaidX, op.SRCtaidY, op.SRCtaidZ, op.SRLaneID,
		op.SREqMask, op.SRLtMask, op.SRLeMask, op.SRGtMask, op.SRGeMask, op.SRClusterCtaID, op.SRSharedWindowHi, op.SRZero:
		return true
	}
	return false
}
