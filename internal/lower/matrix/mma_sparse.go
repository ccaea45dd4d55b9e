package matrix

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Sparse products. Of every four elements of a row two are given (of 4-bit
// elements pairs, of tf32 one of two), and four bits of metadata say which.
// Lane t of four owns the same chunks of metadata as of values. Where the
// bits lie:
//
//	f16, 4 chunks a row   lane selector: row g in the low half, g+8 in the high
//	f16, 8 chunks a row   lane 2·selector the first four, the next the others
//	bytes, 8 chunks       lane 2·selector row g, the next row g+8
//	bytes, 16 chunks      lanes 0 and 1 the first eight of both rows, 2 and 3 the others

// laneID returns the number of the thread in its warp.
func laneID(l *build.Builder) ori.Operand {
	return l.One(op.S2R, op.Mods{}, ori.Special(op.SRLaneID))
}

// fromLane reads a word of another thread.
func fromLane(l *build.Builder, w, lane ori.Operand) ori.Operand {
	d := l.Tmp(1)
	l.Emit(op.SHFL, op.M(op.MIDX), build.Value{build.PT(), d[0]}, l.Reg(w), lane, ori.Imm(0x1f))
	return d[0]
}

// ofFour reads a word of lane n of the thread's four.
func ofFour(l *build.Builder, w ori.Operand, n int64) ori.Operand {
	d := l.Tmp(1)
	l.Emit(op.SHFL, op.M(op.MIDX), build.Value{build.PT(), d[0]}, l.Reg(w), build.Word(uint32(n)), ori.Imm(0x1c03))
	return d[0]
}

// mmaSorted puts metadata in ascending order, as sm_100 wants it, and the
// values it speaks of with it.
func mmaSorted(l *build.Builder, m *multiply) build.Value {
	meta := l.Reg(m.meta)
	one := l.Shr1(meta, ori.Imm(1))
	two := l.Shr1(meta, ori.Imm(2))
	three := l.Shr1(meta, ori.Imm(3))
	// the lower index is greater: its high bit is, or its low bit where the
	// high bits are equal
	less := l.Lop(0xf0&^0xcc, meta, two, build.RZ())   // low bits
	more := l.Lop(0xf0&^0xcc, one, three, build.RZ())  // high bits
	same := l.Lop(^(0xf0^0xcc)&0xaa, one, three, less) // high bits equal
	swap := l.Lop((0xf0|0xcc)&0xaa, more, same, ori.Imm(0x11111111))
	mask := l.Imad(swap, ori.Imm(15), build.RZ())
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

// turnIf permutes the bytes of w if a bit is set.
func turnIf(l *build.Builder, w, bits ori.Operand, bit int, order uint32) ori.Operand {
	w = l.Reg(w)
	p := l.Cmp1(op.MNE, false, l.And2(bits, ori.Imm32(1<<bit)), build.RZ())
	return l.Sel1(l.One(op.PRMT, op.Mods{}, w, ori.Imm32(order), build.RZ()), w, p)
}

// mmaSparseBytes multiplies sparse 8-bit floats as f16: chunks in even
// places, then those in odd places. A lane holds four elements of the other
// factor that in f16 two lanes hold, so neighbours exchange them.
func mmaSparseBytes(l *build.Builder, m *multiply) build.Value {
	odd := l.Cmp1(op.MNE, false, l.And2(laneID(l), ori.Imm(1)), build.RZ())
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

// neighbour reads a word of the lane below or above.
func neighbour(l *build.Builder, m op.Mod, w ori.Operand) ori.Operand {
	d := l.Tmp(1)
	limit := build.RZ()
	if m == op.MDOWN {
		limit = ori.Imm(0x1f)
	}
	l.Emit(op.SHFL, op.M(m), build.Value{build.PT(), d[0]}, w, ori.Imm(1), limit)
	return d[0]
}

// everyOther makes metadata of the even or odd chunks of 16: lanes 0 and 1
// get what lanes 0 and 1, and 2 and 3, have.
func everyOther(l *build.Builder, meta ori.Operand, odd int) ori.Operand {
	if odd == 1 {
		meta = l.Shr1(meta, ori.Imm(4))
	}
	x := l.And2(meta, ori.Imm(0x0f0f0f0f))
	x = l.And2(l.Lop(build.LutOr, x, l.Shr1(x, ori.Imm(4)), build.RZ()), ori.Imm(0x00ff00ff))
	x = l.One(op.PRMT, op.Mods{}, x, ori.Imm32(0x4420), build.RZ())
	from := l.Shl1(l.And2(laneID(l), ori.Imm(1)), ori.Imm(1))
	lo := quadLane(l, x, from)
	hi := quadLane(l, x, l.Iadd(from, ori.Imm(1)))
	return l.One(op.PRMT, op.Mods{}, lo, ori.Imm32(0x5410), hi)
}

// quadLane reads a word of the lane of the thread's four that n names.
func quadLane(l *build.Builder, w, n ori.Operand) ori.Operand {
	d := l.Tmp(1)
	l.Emit(op.SHFL, op.M(op.MIDX), build.Value{build.PT(), d[0]}, w, n, ori.Imm(0x1c03))
	return d[0]
}
