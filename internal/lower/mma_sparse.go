package lower

import (
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
func (l *lowerer) laneID() ori.Operand {
	return l.one(op.S2R, op.Mods{}, ori.Special(op.SRLaneID))
}

// fromLane reads a word of another thread.
func (l *lowerer) fromLane(w, lane ori.Operand) ori.Operand {
	d := l.tmp(1)
	l.emit(op.SHFL, op.M(op.MIDX), value{pt(), d[0]}, l.reg(w), lane, ori.Imm(0x1f))
	return d[0]
}

// ofFour reads a word of lane n of the thread's four.
func (l *lowerer) ofFour(w ori.Operand, n int64) ori.Operand {
	d := l.tmp(1)
	l.emit(op.SHFL, op.M(op.MIDX), value{pt(), d[0]}, l.reg(w), word(uint32(n)), ori.Imm(0x1c03))
	return d[0]
}

// mmaSorted puts metadata in ascending order, as sm_100 wants it, and the
// values it speaks of with it.
func (l *lowerer) mmaSorted(m *multiply) value {
	meta := l.reg(m.meta)
	one := l.shr1(meta, ori.Imm(1))
	two := l.shr1(meta, ori.Imm(2))
	three := l.shr1(meta, ori.Imm(3))
	// the lower index is greater: its high bit is, or its low bit where the
	// high bits are equal
	less := l.lop(0xf0&^0xcc, meta, two, rz())         // low bits
	more := l.lop(0xf0&^0xcc, one, three, rz())        // high bits
	same := l.lop(^(0xf0^0xcc)&0xaa, one, three, less) // high bits equal
	swap := l.lop((0xf0|0xcc)&0xaa, more, same, ori.Imm(0x11111111))
	mask := l.imad(swap, ori.Imm(15), rz())
	turned := l.lop(0xf0&0xcc|0xaa&^0xcc, l.shl1(meta, ori.Imm(2)), ori.Imm32(0xcccccccc), two)
	part := *m
	part.ordered = true
	part.meta = l.lop(0xf0&0xcc|0xaa&^0xcc, turned, mask, meta)
	part.fa = l.swapped(m, swap)
	return l.multiply(&part)
}

// swapped exchanges the values of chunks whose bit is set in swap.
func (l *lowerer) swapped(m *multiply, swap ori.Operand) value {
	t := l.and2(l.laneID(), ori.Imm(3))
	out := make(value, len(m.fa))
	if m.a == isa.F16 {
		at := l.shl1(t, ori.Imm(2))
		for n := range out {
			if n%2 == 0 {
				from := m.selector
				if len(out) == 4 {
					from = 2*m.selector + int64(n/2)
				}
				swapAt := l.shr1(l.ofFour(swap, from), at)
				for h := range 2 {
					out[n+h] = l.turnIf(m.fa[n+h], swapAt, 16*h, 0x1032)
				}
			}
		}
		return out
	}
	at := l.shl1(t, ori.Imm(3))
	for n := range out {
		from := int64(n)
		if len(out) == 2 {
			from += 2 * m.selector
		}
		bits := l.shr1(l.ofFour(swap, from), at)
		out[n] = l.turnIf(l.turnIf(m.fa[n], bits, 0, 0x3201), bits, 4, 0x2310)
	}
	return out
}

// turnIf permutes the bytes of w if a bit is set.
func (l *lowerer) turnIf(w, bits ori.Operand, bit int, order uint32) ori.Operand {
	w = l.reg(w)
	p := l.cmp1(op.MNE, false, l.and2(bits, ori.Imm32(1<<bit)), rz())
	return l.sel1(l.one(op.PRMT, op.Mods{}, w, ori.Imm32(order), rz()), w, p)
}

// mmaSparseBytes multiplies sparse 8-bit floats as f16: chunks in even
// places, then those in odd places. A lane holds four elements of the other
// factor that in f16 two lanes hold, so neighbours exchange them.
func (l *lowerer) mmaSparseBytes(m *multiply) value {
	odd := l.cmp1(op.MNE, false, l.and2(l.laneID(), ori.Imm(1)), rz())
	low, high := l.halvesOf(m.fb, m.b, false), l.halvesOf(m.fb, m.b, true)
	first, second := make(value, len(low)), make(value, len(low))
	for n := range low {
		first[n] = l.sel1(l.neighbour(op.MUP, high[n]), low[n], odd)
		second[n] = l.sel1(high[n], l.neighbour(op.MDOWN, low[n]), odd)
	}
	part := multiply{shape: isa.WM16n8k32, d: m.d, a: isa.F16, b: isa.F16, c: m.d, sparse: true, ordered: true, fc: zeros(len(m.fc))}
	meta := l.reg(m.meta)
	for upper, b := range []value{first, second} {
		part.meta = l.everyOther(meta, upper)
		part.fa, part.fb = l.halvesOf(m.fa, m.a, upper == 1), b
		part.ordered = m.ordered
		part.fc = l.multiply(&part)
	}
	return l.addFragments(m, part.fc)
}

// neighbour reads a word of the lane below or above.
func (l *lowerer) neighbour(m op.Mod, w ori.Operand) ori.Operand {
	d := l.tmp(1)
	limit := rz()
	if m == op.MDOWN {
		limit = ori.Imm(0x1f)
	}
	l.emit(op.SHFL, op.M(m), value{pt(), d[0]}, w, ori.Imm(1), limit)
	return d[0]
}

// everyOther makes metadata of the even or odd chunks of 16: lanes 0 and 1
// get what lanes 0 and 1, and 2 and 3, have.
func (l *lowerer) everyOther(meta ori.Operand, odd int) ori.Operand {
	if odd == 1 {
		meta = l.shr1(meta, ori.Imm(4))
	}
	x := l.and2(meta, ori.Imm(0x0f0f0f0f))
	x = l.and2(l.lop(lutOr, x, l.shr1(x, ori.Imm(4)), rz()), ori.Imm(0x00ff00ff))
	x = l.one(op.PRMT, op.Mods{}, x, ori.Imm32(0x4420), rz())
	from := l.shl1(l.and2(l.laneID(), ori.Imm(1)), ori.Imm(1))
	lo := l.quadLane(x, from)
	hi := l.quadLane(x, l.iadd(from, ori.Imm(1)))
	return l.one(op.PRMT, op.Mods{}, lo, ori.Imm32(0x5410), hi)
}

// quadLane reads a word of the lane of the thread's four that n names.
func (l *lowerer) quadLane(w, n ori.Operand) ori.Operand {
	d := l.tmp(1)
	l.emit(op.SHFL, op.M(op.MIDX), value{pt(), d[0]}, w, n, ori.Imm(0x1c03))
	return d[0]
}
