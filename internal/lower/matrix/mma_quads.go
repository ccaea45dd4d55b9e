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

// m8n8k4 is four products, each of eight lanes: four and the four sixteen
// above them. Machines without it add products of f32 in the order that the
// reference uses. A lane holds a row of A (rows four to seven lie in the
// upper lanes) and a column of B; by columns and rows the other way, four by
// four elements are transposed first.

// mmaQuads lowers m8n8k4 of f16.
func mmaQuads(l *build.Builder, m *multiply) build.Value {
	a, b := m.fa, m.fb
	if m.aCol {
		a = transposed(l, a)
	}
	if m.bRow {
		b = transposed(l, b)
	}
	if m.d == isa.F16 {
		return quadsHalf(l, m, a, b)
	}
	return quadsSingle(l, m, a, b)
}

// transposed turns four by four halves held by four lanes.
func transposed(l *build.Builder, v build.Value) build.Value {
	lane := laneID(l)
	t := l.And2(lane, ori.Imm(3))
	// the half of place t of lane k: bytes 2t and the next of its words
	sel := l.Imad(l.And2(t, ori.Imm(3)), ori.Imm(0x22), ori.Imm(0x10))
	var h [4]ori.Operand
	lo, hi := l.Reg(v[0]), l.Reg(v[1])
	for k := range h {
		x, y := ofFour(l, lo, int64(k)), ofFour(l, hi, int64(k))
		h[k] = l.One(op.PRMT, op.Mods{}, x, sel, y)
	}
	pack := func(x, y ori.Operand) ori.Operand { return l.One(op.PRMT, op.Mods{}, x, ori.Imm32(0x5410), y) }
	return build.Value{pack(h[0], h[1]), pack(h[2], h[3])}
}

// singles returns the halves of two words as f32.
func singles(l *build.Builder, v build.Value) build.Value {
	var out build.Value
	for _, w := range v {
		for _, h := range [...]ori.Flags{ori.H0, ori.H1} {
			x := l.Reg(w)
			if x.Kind == ori.KReg {
				x.Flags |= h
				x = l.One(op.HADD2, op.M(op.MF32), expand.RZ().Negate(), x)
			}
			out = append(out, x)
		}
	}
	return out
}

// vectorOf returns the four f32 elements that another lane holds.
func vectorOf(l *build.Builder, v build.Value, lane ori.Operand) build.Value {
	return singles(l, build.Value{fromLane(l, v[0], lane), fromLane(l, v[1], lane)})
}

// quadsSingle computes the eight f32 results of a lane: rows (l&1) and two
// further, columns (l&2) and the next, and those four further.
func quadsSingle(l *build.Builder, m *multiply, a, b build.Value) build.Value {
	lane := laneID(l)
	row := l.And2(lane, ori.Imm32(^uint32(2)))
	rows := [2]build.Value{vectorOf(l, a, row), vectorOf(l, a, l.Iadd(row, ori.Imm(2)))}
	column := l.And2(lane, ori.Imm(0xe))
	c := m.fc
	if m.c == isa.F16 {
		c = quadAddend(l, c, lane)
	}
	d := make(build.Value, 8)
	for i := range d {
		if i&2 == 0 {
			at := int64(i&1 + i&4*4)
			col := vectorOf(l, b, l.Iadd(column, expand.Word(uint32(at))))
			for h := range 2 {
				sum := expand.RZ()
				for k := range 4 {
					sum = l.One(op.FFMA, op.Mods{}, rows[h][k], col[k], sum)
				}
				n := i + 2*h
				d[n] = l.One(op.FADD, op.Mods{}, c[n], sum)
			}
		}
	}
	return d
}

// quadAddend moves an addend of f16, a row in a lane, to where the f32
// results are: lanes two apart exchange the columns they lack.
func quadAddend(l *build.Builder, c build.Value, lane ori.Operand) build.Value {
	upper := l.Cmp1(op.MNE, false, l.And2(lane, ori.Imm(2)), expand.RZ())
	other := l.Xor2(lane, ori.Imm(2))
	var got [4]ori.Operand
	for n := range got {
		got[n] = fromLane(l, c[n], other)
	}
	var out build.Value
	for n := 0; n < 4; n += 2 { // columns 4·n/2 and up: own row, the row two further
		first := l.Sel1(got[n+1], l.Reg(c[n]), upper)
		second := l.Sel1(l.Reg(c[n+1]), got[n], upper)
		out = append(out, singles(l, build.Value{first, second})...)
	}
	return out
}

// quadsHalf computes the row of eight f16 results of a lane.
func quadsHalf(l *build.Builder, m *multiply, a, b build.Value) build.Value {
	lane := laneID(l)
	row := singles(l, a)
	first := l.And2(lane, ori.Imm(0xc))
	c := singles(l, m.fc)
	sums := make(build.Value, 8)
	for i := range sums {
		at := int64(i&3 + i&4*4)
		col := vectorOf(l, b, l.Iadd(first, expand.Word(uint32(at))))
		var half [2]ori.Operand
		for h := range half {
			p := l.One(op.FMUL, op.Mods{}, row[2*h], col[2*h])
			half[h] = l.One(op.FFMA, op.Mods{}, row[2*h+1], col[2*h+1], p)
		}
		s := l.One(op.FADD, op.Mods{}, c[i], half[1])
		sums[i] = l.One(op.FADD, op.Mods{}, s, half[0])
	}
	d := make(build.Value, 4)
	for n := range d {
		t := l.Tmp(1)
		packHalves(l, t, sums[2*n+1], sums[2*n])
		d[n] = t[0]
	}
	return d
}

// packHalves rounds two f32 numbers to halves of one word.
func packHalves(l *build.Builder, d build.Value, hi, lo ori.Operand) {
	if l.Arch.Has(target.PackHalves) {
		arith.F2fp(l, op.M(op.MF16, op.MF32, op.MPACK_AB), d, l.Reg(hi), lo)
		return
	}
	x := l.One(op.F2F, op.M(op.MF16, op.MF32), lo)
	y := l.One(op.F2F, op.M(op.MF16, op.MF32), hi)
	l.Emit(op.PRMT, op.Mods{}, d, x, ori.Imm32(0x5410), y)
}
