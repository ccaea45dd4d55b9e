package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// m8n8k4 is four products, each of eight lanes: four and the four sixteen
// above them. Machines without it add products of f32 in the order that the
// reference uses. A lane holds a row of A (rows four to seven lie in the
// upper lanes) and a column of B; by columns and rows the other way, four by
// four elements are transposed first.

// mmaQuads lowers m8n8k4 of f16.
func (l *lowerer) mmaQuads(m *multiply) value {
	a, b := m.fa, m.fb
	if m.aCol {
		a = l.transposed(a)
	}
	if m.bRow {
		b = l.transposed(b)
	}
	if m.d == isa.F16 {
		return l.quadsHalf(m, a, b)
	}
	return l.quadsSingle(m, a, b)
}

// transposed turns four by four halves held by four lanes.
func (l *lowerer) transposed(v value) value {
	lane := l.laneID()
	t := l.and2(lane, ori.Imm(3))
	// the half of place t of lane k: bytes 2t and the next of its words
	sel := l.imad(l.and2(t, ori.Imm(3)), ori.Imm(0x22), ori.Imm(0x10))
	var h [4]ori.Operand
	lo, hi := l.reg(v[0]), l.reg(v[1])
	for k := range h {
		x, y := l.ofFour(lo, int64(k)), l.ofFour(hi, int64(k))
		h[k] = l.one(op.PRMT, op.Mods{}, x, sel, y)
	}
	pack := func(x, y ori.Operand) ori.Operand { return l.one(op.PRMT, op.Mods{}, x, ori.Imm32(0x5410), y) }
	return value{pack(h[0], h[1]), pack(h[2], h[3])}
}

// singles returns the halves of two words as f32.
func (l *lowerer) singles(v value) value {
	var out value
	for _, w := range v {
		for _, h := range [...]ori.Flags{ori.H0, ori.H1} {
			x := l.reg(w)
			if x.Kind == ori.KReg {
				x.Flags |= h
				x = l.one(op.HADD2, op.M(op.MF32), rz().Negate(), x)
			}
			out = append(out, x)
		}
	}
	return out
}

// vectorOf returns the four f32 elements that another lane holds.
func (l *lowerer) vectorOf(v value, lane ori.Operand) value {
	return l.singles(value{l.fromLane(v[0], lane), l.fromLane(v[1], lane)})
}

// quadsSingle computes the eight f32 results of a lane: rows (l&1) and two
// further, columns (l&2) and the next, and those four further.
func (l *lowerer) quadsSingle(m *multiply, a, b value) value {
	lane := l.laneID()
	row := l.and2(lane, ori.Imm32(^uint32(2)))
	rows := [2]value{l.vectorOf(a, row), l.vectorOf(a, l.iadd(row, ori.Imm(2)))}
	column := l.and2(lane, ori.Imm(0xe))
	c := m.fc
	if m.c == isa.F16 {
		c = l.quadAddend(c, lane)
	}
	d := make(value, 8)
	for i := range d {
		if i&2 == 0 {
			at := int64(i&1 + i&4*4)
			col := l.vectorOf(b, l.iadd(column, word(uint32(at))))
			for h := range 2 {
				sum := rz()
				for k := range 4 {
					sum = l.one(op.FFMA, op.Mods{}, rows[h][k], col[k], sum)
				}
				n := i + 2*h
				d[n] = l.one(op.FADD, op.Mods{}, c[n], sum)
			}
		}
	}
	return d
}

// quadAddend moves an addend of f16, a row in a lane, to where the f32
// results are: lanes two apart exchange the columns they lack.
func (l *lowerer) quadAddend(c value, lane ori.Operand) value {
	upper := l.cmp1(op.MNE, false, l.and2(lane, ori.Imm(2)), rz())
	other := l.xor2(lane, ori.Imm(2))
	var got [4]ori.Operand
	for n := range got {
		got[n] = l.fromLane(c[n], other)
	}
	var out value
	for n := 0; n < 4; n += 2 { // columns 4·n/2 and up: own row, the row two further
		first := l.sel1(got[n+1], l.reg(c[n]), upper)
		second := l.sel1(l.reg(c[n+1]), got[n], upper)
		out = append(out, l.singles(value{first, second})...)
	}
	return out
}

// quadsHalf computes the row of eight f16 results of a lane.
func (l *lowerer) quadsHalf(m *multiply, a, b value) value {
	lane := l.laneID()
	row := l.singles(a)
	first := l.and2(lane, ori.Imm(0xc))
	c := l.singles(m.fc)
	sums := make(value, 8)
	for i := range sums {
		at := int64(i&3 + i&4*4)
		col := l.vectorOf(b, l.iadd(first, word(uint32(at))))
		var half [2]ori.Operand
		for h := range half {
			p := l.one(op.FMUL, op.Mods{}, row[2*h], col[2*h])
			half[h] = l.one(op.FFMA, op.Mods{}, row[2*h+1], col[2*h+1], p)
		}
		s := l.one(op.FADD, op.Mods{}, c[i], half[1])
		sums[i] = l.one(op.FADD, op.Mods{}, s, half[0])
	}
	d := make(value, 4)
	for n := range d {
		t := l.tmp(1)
		l.packHalves(t, sums[2*n+1], sums[2*n])
		d[n] = t[0]
	}
	return d
}

// packHalves rounds two f32 numbers to halves of one word.
func (l *lowerer) packHalves(d value, hi, lo ori.Operand) {
	if l.arch.Has(target.PackHalves) {
		l.f2fp(op.M(op.MF16, op.MF32, op.MPACK_AB), d, l.reg(hi), lo)
		return
	}
	x := l.one(op.F2F, op.M(op.MF16, op.MF32), lo)
	y := l.one(op.F2F, op.M(op.MF16, op.MF32), hi)
	l.emit(op.PRMT, op.Mods{}, d, x, ori.Imm32(0x5410), y)
}
