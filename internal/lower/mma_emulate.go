package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// emulate makes a product that the machine has no instruction for out of
// those it has.
func (l *lowerer) emulate(m *multiply) value {
	switch k := kindOf(m.a); {
	case k == kindHalf && m.shape == isa.WM8n8k4:
		return l.mmaQuads(m)
	case (k == kindHalf || k == kindByte) && m.sparse && !m.ordered:
		return l.mmaSorted(m)
	case k == kindDouble && l.arch.Has(target.MatrixDMMA8x8):
		return l.mmaDoubles(m)
	case k == kindHalf && m.shape == isa.WM16n8k16 && !m.sparse:
		return l.mmaDepths(m)
	case k == kindByte && m.shape == isa.WM16n8k16 && !m.sparse && !l.arch.Has(target.MatrixM16):
		return l.mmaRows(m)
	case k == kindByte && m.shape == isa.WM8n8k16:
		return l.mmaUpper(m)
	case k == kindNibble && !l.arch.Has(target.MatrixNibbles):
		return l.mmaNibbles(m)
	case k == kindBit && !l.arch.Has(target.MatrixXor):
		return l.mmaBits(m)
	case k == kindFP8 && kindOf(m.b) == kindFP8 && l.arch.Has(target.PackFormats) && m.sparse:
		return l.mmaSparseBytes(m)
	case k == kindFP8 && kindOf(m.b) == kindFP8 && l.arch.Has(target.PackFormats):
		return l.mmaBytes(m)
	}
	l.unsupported()
	return nil
}

// mmaDoubles splits a product of doubles into those of eight rows and four
// columns: rows first, then depth.
func (l *lowerer) mmaDoubles(m *multiply) value {
	part := *m
	part.shape = isa.WM8n8k4
	d := [2]value{m.fc[:4], m.fc[4:]}
	for k := range len(m.fb) / 2 {
		for half := range d {
			at := 4*k + 2*half
			part.fa, part.fb, part.fc = m.fa[at:at+2], m.fb[2*k:2*k+2], d[half]
			d[half] = l.multiply(&part)
		}
	}
	return append(append(value{}, d[0]...), d[1]...)
}

// mmaDepths makes a product of halves of depth sixteen by two of eight.
func (l *lowerer) mmaDepths(m *multiply) value {
	part := *m
	part.shape = isa.WM16n8k8
	for k := range 2 {
		part.fa, part.fb = m.fa[2*k:2*k+2], m.fb[k:k+1]
		part.fc = l.multiply(&part)
	}
	return part.fc
}

// mmaRows makes a product of bytes of sixteen rows by two of eight.
func (l *lowerer) mmaRows(m *multiply) value {
	part := *m
	part.shape = isa.WM8n8k16
	var d value
	for k := range 2 {
		part.fa, part.fc = m.fa[k:k+1], m.fc[2*k:2*k+2]
		d = append(d, l.multiply(&part)...)
	}
	return d
}

// mmaUpper makes a product of eight rows by one of sixteen whose lower half
// is zero.
func (l *lowerer) mmaUpper(m *multiply) value {
	part := *m
	part.shape = isa.WM16n8k16
	part.fa = append(append(value{}, m.fa...), rz())
	part.fc = append(append(value{}, m.fc...), rz(), rz())
	return l.multiply(&part)[:2]
}

// nibbleShapes pairs shapes of 4-bit elements with those of bytes of half
// the depth.
var nibbleShapes = [...][2]isa.Word{
	{isa.WM8n8k32, isa.WM8n8k16},
	{isa.WM16n8k32, isa.WM16n8k16},
	{isa.WM16n8k64, isa.WM16n8k32},
	{isa.WM16n8k128, isa.WM16n8k64},
}

// mmaNibbles multiplies 4-bit elements as bytes: those in even places, then
// those in odd places. Metadata speaks of pairs of elements and stays.
func (l *lowerer) mmaNibbles(m *multiply) value {
	part := *m
	for _, s := range nibbleShapes {
		if s[0] == m.shape {
			part.shape = s[1]
		}
	}
	part.a, part.b, part.sat = byteOf(m.a), byteOf(m.b), false
	part.ordered = part.ordered || m.sparse // pairs come in order
	if m.sat {
		part.fc = zeros(len(m.fc))
	}
	for odd := range 2 {
		part.fa, part.fb = l.nibbles(m.fa, m.a, odd), l.nibbles(m.fb, m.b, odd)
		part.fc = l.multiply(&part)
	}
	if !m.sat {
		return part.fc
	}
	out := make(value, len(m.fc))
	for n := range out {
		out[n] = l.tmp(1)[0]
		l.addSat(out[n], l.reg(m.fc[n]), part.fc[n], false)
	}
	return out
}

func byteOf(t isa.Type) isa.Type {
	if t == isa.S4 {
		return isa.S8
	}
	return isa.U8
}

func zeros(n int) value { return imm(0, n) }

// nibbles returns every other 4-bit element as a byte: the sign bit times
// 30 fills the bits above it.
func (l *lowerer) nibbles(v value, t isa.Type, odd int) value {
	out := make(value, len(v))
	for n, w := range v {
		if odd == 1 {
			w = l.shr1(w, ori.Imm(4))
		}
		x := l.and2(l.reg(w), ori.Imm(0x0f0f0f0f))
		if t == isa.S4 {
			x = l.imad(l.and2(x, ori.Imm(0x08080808)), ori.Imm(30), x)
		}
		out[n] = x
	}
	return out
}

// mmaBits counts bits that two rows have in common, or that differ: those
// are the ones only the first has and the ones only the second has.
func (l *lowerer) mmaBits(m *multiply) value {
	if !m.and {
		part := *m
		part.and = true
		part.fb = l.inverted(m.fb)
		part.fc = l.multiply(&part)
		part.fa, part.fb = l.inverted(m.fa), m.fb
		return l.multiply(&part)
	}
	// sm_100 multiplies bytes: a word of bits is eight words of bytes, the
	// same for both factors, of which a product takes two.
	rows := len(m.fa) / len(m.fb)
	part := multiply{shape: isa.WM16n8k32, d: isa.S32, a: isa.U8, b: isa.U8, c: isa.S32, fc: m.fc}
	if rows == 1 {
		part.fc = append(append(value{}, m.fc...), rz(), rz())
	}
	for k := range m.fb {
		for bit := 0; bit < 8; bit += 2 {
			part.fa, part.fb = nil, nil
			for n := range 2 {
				for r := range 2 {
					x := rz()
					if r < rows {
						x = l.bitPlane(m.fa[rows*k+r], bit+n)
					}
					part.fa = append(part.fa, x)
				}
				part.fb = append(part.fb, l.bitPlane(m.fb[k], bit+n))
			}
			part.fc = l.multiply(&part)
		}
	}
	return part.fc[:len(m.fc)]
}

// bitPlane returns bit n of every byte of w as a byte.
func (l *lowerer) bitPlane(w ori.Operand, n int) ori.Operand {
	w = l.reg(w)
	if n > 0 {
		w = l.shr1(w, ori.Imm(int64(n)))
	}
	return l.and2(w, ori.Imm(0x01010101))
}

func (l *lowerer) inverted(v value) value {
	out := make(value, len(v))
	for n, w := range v {
		out[n] = l.lop(0x0f, l.reg(w), rz(), rz())
	}
	return out
}

// halvesOf returns two of the four 8-bit floats of every word as f16.
func (l *lowerer) halvesOf(v value, t isa.Type, upper bool) value {
	out := make(value, len(v))
	for n, w := range v {
		w = l.reg(w)
		if upper && w.Kind == ori.KReg {
			w.Flags |= ori.H1
		}
		out[n] = l.one(op.F2FP, op.M(op.MF16, typeMod(t), op.MUNPACK_B), w)
	}
	return out
}

// mmaBytes multiplies 8-bit floats as f16, the lower and then the upper two
// of every word, and adds the addend last.
func (l *lowerer) mmaBytes(m *multiply) value {
	part := multiply{shape: isa.WM16n8k8, d: m.d, a: isa.F16, b: isa.F16, c: m.d, fc: zeros(len(m.fc))}
	if m.shape == isa.WM16n8k32 {
		part.shape = isa.WM16n8k16
	}
	for _, upper := range [...]bool{false, true} {
		part.fa, part.fb = l.halvesOf(m.fa, m.a, upper), l.halvesOf(m.fb, m.b, upper)
		part.fc = l.multiply(&part)
	}
	return l.addFragments(m, part.fc)
}

// addFragments adds the addend of m to a product.
func (l *lowerer) addFragments(m *multiply, p value) value {
	out := make(value, len(p))
	for n := range p {
		if m.d == isa.F16 {
			out[n] = l.one(op.HADD2, op.Mods{}, p[n], l.reg(m.fc[n]))
		} else {
			out[n] = l.one(op.FADD, op.Mods{}, m.fc[n], p[n])
		}
	}
	return out
}
