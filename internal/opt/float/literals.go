package float

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
)

// Literals lets instructions read f64 constants from the kernel's own constant
// bank. An instruction has room for one, before which its addend comes, and
// none beside an immediate. Where values keep their registers only those count
// that the instruction itself names in the text.
func Literals(f *ori.Func, own bool) bool {
	v := opt.ValuesOf(f)
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if !i.Op.IsDouble() || !inRegisters(i) {
				continue
			}
			for k := len(i.Args) - 1; k >= int(i.NDst); k-- {
				a := &i.Args[k]
				low, high, ok := double(v, *a)
				if !ok || own && !named(v, i, *a) {
					continue
				}
				if low != 0 {
					*a = literalOf(*a, low, high)
					changed = true
				}
				break // the machine has one place
			}
		}
	}
	return f.Touched(changed)
}

// inRegisters reports whether all that i reads stands in registers of the
// thread.
func inRegisters(i *ori.Instr) bool {
	for _, a := range i.Srcs() {
		if a.Kind != ori.KZero && (a.Kind != ori.KReg || a.Class != ori.R && a.Class != ori.P) {
			return false
		}
	}
	return true
}

// named reports whether i itself names the constant that a source holds.
func named(v *opt.Values, i *ori.Instr, a ori.Operand) bool {
	a.N, a.Flags = 1, 0
	return v.Once(a).Line == i.Line
}

// literalOf is the literal with the words and the marks of a source.
func literalOf(a ori.Operand, low, high uint32) ori.Operand {
	if a.Flags&ori.Abs != 0 {
		high &^= 1 << 31
	}
	if a.Flags&ori.Neg != 0 {
		high ^= 1 << 31
	}
	return ori.Literal(uint64(high)<<32 | uint64(low))
}
