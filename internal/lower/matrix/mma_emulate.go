package matrix

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/arith"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// emulate makes a product that the machine has no instruction for out of
// those it has.
func emulate(l *build.Builder, m *multiply) build.Value {
	switch k := kindOf(m.a); {
	case k == kindHalf && m.shape == isa.WM8n8k4:
		return mmaQuads(l, m)
	case (k == kindHalf || k == kindByte) && m.sparse && !m.ordered:
		return mmaSorted(l, m)
	case k == kindDouble && l.Arch.Has(target.MatrixDMMA8x8):
		return mmaDoubles(l, m)
	case k == kindHalf && m.shape == isa.WM16n8k16 && !m.sparse:
		return mmaDepths(l, m)
	case k == kindByte && m.shape == isa.WM16n8k16 && !m.sparse && !l.Arch.Has(target.MatrixM16):
		return mmaRows(l, m)
	case k == kindByte && m.shape == isa.WM8n8k16:
		return mmaUpper(l, m)
	case k == kindNibble && !l.Arch.Has(target.MatrixNibbles):
		return mmaNibbles(l, m)
	case k == kindBit && !l.Arch.Has(target.MatrixXor):
		return mmaBits(l, m)
	case k == kindFP8 && kindOf(m.b) == kindFP8 && l.Arch.Has(target.PackFormats) && m.sparse:
		return mmaSparseBytes(l, m)
	case k == kindFP8 && kindOf(m.b) == kindFP8 && l.Arch.Has(target.PackFormats):
		return mmaBytes(l, m)
	}
	l.Unsupported()
	return nil
}

// mmaDoubles splits a product of doubles into those of eight rows and four
// columns: rows first, then depth.
func mmaDoubles(l *build.Builder, m *multiply) build.Value {
	part := *m
	part.shape = isa.WM8n8k4
	d := [2]build.Value{m.fc[:4], m.fc[4:]}
	for k := range len(m.fb) / 2 {
		for half := range d {
			at := 4*k + 2*half
			part.fa, part.fb, part.fc = m.fa[at:at+2], m.fb[2*k:2*k+2], d[half]
			d[half] = multiplyOut(l, &part)
		}
	}
	return append(append(build.Value{}, d[0]...), d[1]...)
}

// mmaDepths makes a product of halves of depth sixteen by two of eight.
func mmaDepths(l *build.Builder, m *multiply) build.Value {
	part := *m
	part.shape = isa.WM16n8k8
	for k := range 2 {
		part.fa, part.fb = m.fa[2*k:2*k+2], m.fb[k:k+1]
		part.fc = multiplyOut(l, &part)
	}
	return part.fc
}

// mmaRows makes a product of bytes of sixteen rows by two of eight.
func mmaRows(l *build.Builder, m *multiply) build.Value {
	part := *m
	part.shape = isa.WM8n8k16
	var d build.Value
	for k := range 2 {
		part.fa, part.fc = m.fa[k:k+1], m.fc[2*k:2*k+2]
		d = append(d, multiplyOut(l, &part)...)
	}
	return d
}

// mmaUpper makes a product of eight rows by one of sixteen whose lower half
// is zero.
func mmaUpper(l *build.Builder, m *multiply) build.Value {
	part := *m
	part.shape = isa.WM16n8k16
	part.fa = append(append(build.Value{}, m.fa...), expand.RZ())
	part.fc = append(append(build.Value{}, m.fc...), expand.RZ(), expand.RZ())
	return multiplyOut(l, &part)[:2]
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
func mmaNibbles(l *build.Builder, m *multiply) build.Value {
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
		part.fa, part.fb = nibbles(l, m.fa, m.a, odd), nibbles(l, m.fb, m.b, odd)
		part.fc = multiplyOut(l, &part)
	}
	if !m.sat {
		return part.fc
	}
	out := make(build.Value, len(m.fc))
	for n := range out {
		out[n] = l.Tmp(1)[0]
		arith.AddSat(l, out[n], l.Reg(m.fc[n]), part.fc[n], false)
	}
	return out
}

func byteOf(t isa.Type) isa.Type {
	if t == isa.S4 {
		return isa.S8
	}
	return isa.U8
}

// nibbles returns every other 4-bit element as a byte: the sign bit times
// 30 fills the bits above it.
func nibbles(l *build.Builder, v build.Value, t isa.Type, odd int) build.Value {
	out := make(build.Value, len(v))
	for n, w := range v {
		if odd == 1 {
			w = l.Shr1(w, ori.Imm(4))
		}
		x := l.And2(l.Reg(w), ori.Imm(0x0f0f0f0f))
		if t == isa.S4 {
			x = l.Imad(l.And2(x, ori.Imm(0x08080808)), ori.Imm(30), x)
		}
		out[n] = x
	}
	return out
}

// mmaBits counts bits that two rows have in common, or that differ: those
// are the ones only the first has and the ones only the second has.
func mmaBits(l *build.Builder, m *multiply) build.Value {
	if !m.and {
		part := *m
		part.and = true
		part.fb = inverted(l, m.fb)
		part.fc = multiplyOut(l, &part)
		part.fa, part.fb = inverted(l, m.fa), m.fb
		return multiplyOut(l, &part)
	}
	// sm_100 multiplies bytes: a word of bits is eight words of bytes, the
	// same for both factors, of which a product takes two.
	rows := len(m.fa) / len(m.fb)
	part := multiply{shape: isa.WM16n8k32, d: isa.S32, a: isa.U8, b: isa.U8, c: isa.S32, fc: m.fc}
	if rows == 1 {
		part.fc = append(append(build.Value{}, m.fc...), expand.RZ(), expand.RZ())
	}
	for k := range m.fb {
		for bit := 0; bit < 8; bit += 2 {
			part.fa, part.fb = nil, nil
			for n := range 2 {
				for r := range 2 {
					x := expand.RZ()
					if r < rows {
						x = bitPlane(l, m.fa[rows*k+r], bit+n)
					}
					part.fa = append(part.fa, x)
				}
				part.fb = append(part.fb, bitPlane(l, m.fb[k], bit+n))
			}
			part.fc = multiplyOut(l, &part)
		}
	}
	return part.fc[:len(m.fc)]
}

// bitPlane returns bit n of every byte of w as a byte.
func bitPlane(l *build.Builder, w ori.Operand, n int) ori.Operand {
	w = l.Reg(w)
	if n > 0 {
		w = l.Shr1(w, ori.Imm(int64(n)))
	}
	return l.And2(w, ori.Imm(0x01010101))
}

func inverted(l *build.Builder, v build.Value) build.Value {
	out := make(build.Value, len(v))
	for n, w := range v {
		out[n] = l.Lop(0x0f, l.Reg(w), expand.RZ(), expand.RZ())
	}
	return out
}

// mmaBytes multiplies 8-bit floats as f16, the lower and then the upper two
// of every word, and adds the addend last.
func mmaBytes(l *build.Builder, m *multiply) build.Value {
	part := multiply{shape: isa.WM16n8k8, d: m.d, a: isa.F16, b: isa.F16, c: m.d, fc: zeros(len(m.fc))}
	if m.shape == isa.WM16n8k32 {
		part.shape = isa.WM16n8k16
	}
	for _, upper := range [...]bool{false, true} {
		part.fa, part.fb = halvesOf(l, m.fa, m.a, upper), halvesOf(l, m.fb, m.b, upper)
		part.fc = multiplyOut(l, &part)
	}
	return addFragments(l, m, part.fc)
}

// addFragments adds the addend of m to a product.
func addFragments(l *build.Builder, m *multiply, p build.Value) build.Value {
	out := make(build.Value, len(p))
	for n := range p {
		if m.d == isa.F16 {
			out[n] = l.One(op.HADD2, op.Mods{}, p[n], l.Reg(m.fc[n]))
		} else {
			out[n] = l.One(op.FADD, op.Mods{}, m.fc[n], p[n])
		}
	}
	return out
}

// multiplyOut makes the product, by one instruction where there is one.
func multiplyOut(l *build.Builder, m *multiply) build.Value {
	for n := range natives {
		r := &natives[n]
		if r.shape == m.shape && r.kinds&kindOf(m.a) != 0 && r.sparse == m.sparse && l.Arch.Has(r.needs) && !lacks(l, m) {
			return matmul(l, r.op, productMods(l, m, r), m, m.fa, m.fb, m.fc)
		}
	}
	return emulate(l, m)
}

// Sparse products. Of every four elements of a row two are given (of 4-bit
// elements pairs, of tf32 one of two), and four bits of metadata say which.
// Lane t of four owns the same chunks of metadata as of values. Where the
// bits lie:
//
//	f16, 4 chunks a row   lane selector: row g in the low half, g+8 in the high
//	f16, 8 chunks a row   lane 2·selector the first four, the next the others
//	bytes, 8 chunks       lane 2·selector row g, the next row g+8
//	bytes, 16 chunks      lanes 0 and 1 the first eight of both rows, 2 and 3 the others

// mmaSorted puts metadata in ascending order, as sm_100 wants it, and the
// values it speaks of with it.
func mmaSorted(l *build.Builder, m *multiply) build.Value {
	meta := l.Reg(m.meta)
	one := l.Shr1(meta, ori.Imm(1))
	two := l.Shr1(meta, ori.Imm(2))
	three := l.Shr1(meta, ori.Imm(3))
	// the lower index is greater: its high bit is, or its low bit where the
	// high bits are equal
	less := l.Lop(0xf0&^0xcc, meta, two, expand.RZ())  // low bits
	more := l.Lop(0xf0&^0xcc, one, three, expand.RZ()) // high bits
	same := l.Lop(^(0xf0^0xcc)&0xaa, one, three, less) // high bits equal
	swap := l.Lop((0xf0|0xcc)&0xaa, more, same, ori.Imm(0x11111111))
	mask := l.Imad(swap, ori.Imm(15), expand.RZ())
	turned := l.Lop(0xf0&0xcc|0xaa&^0xcc, l.Shl1(meta, ori.Imm(2)), ori.Imm32(0xcccccccc), two)
	part := *m
	part.ordered = true
	part.meta = l.Lop(0xf0&0xcc|0xaa&^0xcc, turned, mask, meta)
	part.fa = swapped(l, m, swap)
	return multiplyOut(l, &part)
}

// swapped exchanges the values of chunks whose bit is set in swap.
func swapped(l *build.Builder, m *multiply, swap ori.Operand) build.Value {
	t := l.And2(laneID(l), ori.Imm(3))
	out := make(build.Value, len(m.fa))
	if m.a == isa.F16 {
		at := l.Shl1(t, ori.Imm(2))
		for n := range out {
			if n%2 == 0 {
				from := m.selector
				if len(out) == 4 {
					from = 2*m.selector + int64(n/2)
				}
				swapAt := l.Shr1(ofFour(l, swap, from), at)
				for h := range 2 {
					out[n+h] = turnIf(l, m.fa[n+h], swapAt, 16*h, 0x1032)
				}
			}
		}
		return out
	}
	at := l.Shl1(t, ori.Imm(3))
	for n := range out {
		from := int64(n)
		if len(out) == 2 {
			from += 2 * m.selector
		}
		bits := l.Shr1(ofFour(l, swap, from), at)
		out[n] = turnIf(l, turnIf(l, m.fa[n], bits, 0, 0x3201), bits, 4, 0x2310)
	}
	return out
}

// mmaSparseBytes multiplies sparse 8-bit floats as f16: chunks in even
// places, then those in odd places. A lane holds four elements of the other
// factor that in f16 two lanes hold, so neighbours exchange them.
func mmaSparseBytes(l *build.Builder, m *multiply) build.Value {
	odd := l.Cmp1(op.MNE, false, l.And2(laneID(l), ori.Imm(1)), expand.RZ())
	low, high := halvesOf(l, m.fb, m.b, false), halvesOf(l, m.fb, m.b, true)
	first, second := make(build.Value, len(low)), make(build.Value, len(low))
	for n := range low {
		first[n] = l.Sel1(neighbour(l, op.MUP, high[n]), low[n], odd)
		second[n] = l.Sel1(high[n], neighbour(l, op.MDOWN, low[n]), odd)
	}
	part := multiply{shape: isa.WM16n8k32, d: m.d, a: isa.F16, b: isa.F16, c: m.d, sparse: true, ordered: true, fc: zeros(len(m.fc))}
	meta := l.Reg(m.meta)
	for upper, b := range []build.Value{first, second} {
		part.meta = everyOther(l, meta, upper)
		part.fa, part.fb = halvesOf(l, m.fa, m.a, upper == 1), b
		part.ordered = m.ordered
		part.fc = multiplyOut(l, &part)
	}
	return addFragments(l, m, part.fc)
}
