package expand

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// EmitMin writes the smaller of two words, or of their halves, or the larger
// one if which is false. The operation has several spellings.
func EmitMin(l *Writer, m op.Mods, d Value, a, b, which ori.Operand) {
	o := op.VIMNMX
	switch {
	case !l.Arch.Has(target.PackedInts) && m != (op.Mods{}) && m != op.M(op.MU32):
		splitMin(l, m, d, a, b, which)
		return
	case !l.Arch.Has(target.PackedInts):
		o = op.IMNMX
	case l.Arch.Has(target.MinNamesType):
		if !m.Has(op.MU32) && !m.Has(op.MU16x2) && !m.Has(op.MS16x2) { // signed words have a name
			m = op.M(append([]op.Mod{op.MS32}, m[:len(m)-1]...)...)
		}
	case l.Arch.Has(target.MinTellsSource):
		d = Value{d[0], PT(), PT()}
	}
	l.Emit(o, m, d, a, b, which)
}

// splitMin is emitMin of pairs of halves, or with negative results as zero,
// where the machine has neither.
func splitMin(l *Writer, m op.Mods, d Value, a, b, which ori.Operand) {
	one := func(x, y ori.Operand) ori.Operand {
		r := Min1(l, op.Mods{}, x, y, which)
		if m.Has(op.MRELU) {
			r = Min1(l, op.Mods{}, r, RZ(), PT().Not())
		}
		return r
	}
	if !m.Has(op.MU16x2) && !m.Has(op.MS16x2) {
		l.Copy(d, Value{one(a, b)})
		return
	}
	a, b = l.Reg(a), l.Reg(b)
	var halves [2]ori.Operand
	for k := range halves {
		signed := m.Has(op.MS16x2)
		halves[k] = one(l.Lane(a, 16*k, 16, signed), l.Lane(b, 16*k, 16, signed))
	}
	l.Emit(op.PRMT, op.Mods{}, d, halves[0], ori.Imm(0x5410), halves[1])
}

// Min1 is emitMin into a temporary.
func Min1(l *Writer, m op.Mods, a, b, which ori.Operand) ori.Operand {
	d := l.Tmp(1)
	EmitMin(l, m, d, a, b, which)
	return d[0]
}
