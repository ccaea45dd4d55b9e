package sim

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/alu"
)

// Integer operations. Each function runs one instruction for the lanes m.

// isrc returns a source with its integer marks applied: -x, ~x and |x|.
func (w *warp) isrc(s *opnd, k int) *[32]uint32 {
	r := w.row(s.row)
	if !s.neg && !s.inv && !s.abs {
		return r
	}
	t := &w.tmp[k]
	for l, v := range r {
		if s.abs && int32(v) < 0 {
			v = -v
		}
		if s.neg {
			v = -v
		}
		if s.inv {
			v = ^v
		}
		t[l] = v
	}
	return t
}

// addend is a source as IADD3 adds it: a negated one is its complement and a
// one of its own, so that -0 carries.
func addend(s *opnd, v uint32) uint64 {
	switch {
	case s.inv:
		return uint64(^v)
	case s.neg:
		return uint64(^v) + 1
	}
	return uint64(v)
}

// IADD3: a+b+c; with .X plus two carries. The carry is 0, 1 or 2: the first
// predicate says at least one, the second two.
func iadd3(w *warp, i *inst, m uint32) {
	a, b, c, d := w.row(i.s[0].row), w.row(i.s[1].row), w.row(i.s[2].row), &w.r[i.d[0]]
	if !i.has(fX) && i.pd[0] == predSink && i.pd[1] == predSink {
		a, b, c = w.isrc(&i.s[0], 0), w.isrc(&i.s[1], 1), w.isrc(&i.s[2], 2)
		if m == ^uint32(0) {
			for l := range d {
				d[l] = alu.Add3(a[l], b[l], c[l])
			}
			return
		}
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			d[l] = alu.Add3(a[l], b[l], c[l])
		}
		return
	}
	var p, q, c0, c1 uint32
	if i.has(fX) {
		c0, c1 = w.pred(i.ps[0]), w.pred(i.ps[1])
	}
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		sum := addend(&i.s[0], a[l]) + addend(&i.s[1], b[l]) + addend(&i.s[2], c[l]) + uint64(c0>>l&1) + uint64(c1>>l&1)
		d[l] = uint32(sum)
		if sum >= 1<<32 {
			p |= 1 << l
		}
		if sum >= 1<<33 {
			q |= 1 << l
		}
	}
	w.setp(i.pd[0], m, p)
	w.setp(i.pd[1], m, q)
}

// IMAD: the low word of a·b+c, with .X plus a carry.
func imad(w *warp, i *inst, m uint32) {
	a, b, c, d := w.row(i.s[0].row), w.row(i.s[1].row), w.isrc(&i.s[2], 2), &w.r[i.d[0]]
	if i.has(fX) {
		cy := w.pred(i.ps[0])
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			d[l] = a[l]*b[l] + c[l] + cy>>l&1
		}
		return
	}
	if m == ^uint32(0) {
		for l := range d {
			d[l] = alu.MulAdd(a[l], b[l], c[l])
		}
		return
	}
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		d[l] = alu.MulAdd(a[l], b[l], c[l])
	}
}

func product(a, b uint32, unsigned bool) uint64 {
	if unsigned {
		return uint64(a) * uint64(b)
	}
	return uint64(int64(int32(a)) * int64(int32(b)))
}

// IMAD.WIDE: a·b+c in 64 bits, c a pair; IMAD.HI: the high word of the same.
// The predicate is the carry out of 64 bits.
func imadWide(w *warp, i *inst, m uint32) {
	a, b := w.row(i.s[0].row), w.row(i.s[1].row)
	cl, ch := w.row(i.s[2].row), w.row(i.s[2].hi)
	d, h := &w.r[i.d[0]], &w.r[nextRow(i.d[0])]
	u, hi := i.has(fU32), i.sub == 1
	var cy, p uint32
	if i.has(fX) {
		cy = w.pred(i.ps[0])
	}
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		c, one := uint64(ch[l])<<32|uint64(cl[l]), uint64(cy>>l&1)
		switch {
		case i.s[2].inv:
			c = ^c
		case i.s[2].neg:
			c = ^c
			one++
		}
		s, o1 := bits.Add64(product(a[l], b[l], u), c, 0)
		s, o2 := bits.Add64(s, one, 0)
		if o1|o2 != 0 {
			p |= 1 << l
		}
		if hi {
			d[l] = uint32(s >> 32)
			continue
		}
		d[l], h[l] = uint32(s), uint32(s>>32)
	}
	w.setp(i.pd[0], m, p)
}

// nextRow is the row of the next word of a destination; behind the last
// register of a file there is none.
func nextRow(d uint16) uint16 {
	if d >= rowZero-1 && d <= rowSink || d+1 >= numRows {
		return rowSink
	}
	return d + 1
}

// LEA: (a<<n)+b; .HI shifts the pair {c,a} and takes its high word; .SX32
// takes the sign of a for c. A negated a is negated after the shift.
func lea(w *warp, i *inst, m uint32) {
	a, b, d := w.row(i.s[0].row), w.row(i.s[1].row), &w.r[i.d[0]]
	n := uint(i.s[i.ns-1].imm) & 31
	hi, sx := i.has(fHI), i.has(fSX32)
	c := &w.r[rowZero]
	if hi && !sx {
		c = w.row(i.s[2].row)
	}
	var p, cy uint32
	if i.has(fX) {
		cy = w.pred(i.ps[0])
	}
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		v := a[l] << n
		if hi {
			x := uint64(c[l])<<32 | uint64(a[l])
			if sx {
				x = uint64(int64(int32(a[l])))
			}
			v = uint32(x << n >> 32)
		}
		s := addend(&i.s[0], v) + addend(&i.s[1], b[l]) + uint64(cy>>l&1)
		d[l] = uint32(s)
		if s >= 1<<32 {
			p |= 1 << l
		}
	}
	w.setp(i.pd[0], m, p)
}

// LOP3: any function of three bits, by table. The predicate is "result is
// not zero", combined with its source by OR, or AND with .PAND.
func lop3(w *warp, i *inst, m uint32) {
	a, b, c, d := w.row(i.s[0].row), w.row(i.s[1].row), w.row(i.s[2].row), &w.r[i.d[0]]
	t := uint8(i.s[3].imm)
	var p uint32
	switch {
	case t == 0xc0:
		for k := m; k != 0; k &= k - 1 {
			l := lane(k)
			d[l] = a[l] & b[l]
			if d[l] != 0 {
				p |= 1 << l
			}
		}
	default:
		for k := m; k != 0; k &= k - 1 {
			l := lane(k)
			d[l] = alu.Lut(t, a[l], b[l], c[l])
			if d[l] != 0 {
				p |= 1 << l
			}
		}
	}
	if i.pd[0] == predSink {
		return
	}
	if i.has(fPAND) {
		p &= w.pred(i.ps[0])
	} else {
		p |= w.pred(i.ps[0])
	}
	w.setp(i.pd[0], m, p)
}

// PLOP3: two truth tables of three predicates, or of three sign bits.
func plop3(w *warp, i *inst, m uint32) {
	var x [3]uint32
	for n := range x {
		if i.nps == 3 {
			x[n] = w.pred(i.ps[n])
			continue
		}
		for l, v := range w.row(i.s[n].row) {
			x[n] |= v >> 31 << l
		}
	}
	w.setp(i.pd[0], m, alu.Lut(uint8(i.s[i.ns-2].imm), x[0], x[1], x[2]))
	w.setp(i.pd[1], m, alu.Lut(uint8(i.s[i.ns-1].imm), x[0], x[1], x[2]))
}

// SHF: shifts the pair {c,a} by b and gives one of its words. Without .W a
// count stops at the width of the type.
func shf(w *warp, i *inst, m uint32) {
	a, b, c, d := w.row(i.s[0].row), w.row(i.s[1].row), w.row(i.s[2].row), &w.r[i.d[0]]
	f := alu.Funnel{Right: i.has(fRight), Signed: i.sub&shfSigned != 0, High: i.has(fHI), Wide: i.sub&shf64 != 0, Wrap: i.has(fW)}
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		d[l] = f.Shift(a[l], b[l], c[l])
	}
}

const (
	shf64     = 1
	shfSigned = 2
)

// PRMT: picks bytes of {c,a} by the nibbles of b, or by a pattern.
func prmt(w *warp, i *inst, m uint32) {
	a, b, c, d := w.row(i.s[0].row), w.row(i.s[1].row), w.row(i.s[2].row), &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		d[l] = permute(i.sub, uint64(c[l])<<32|uint64(a[l]), b[l])
	}
}

// Patterns of PRMT.
const (
	prmtIdx = iota
	prmtF4E
	prmtB4E
	prmtRC8
	prmtECL
	prmtECR
	prmtRC16
)

func permute(mode uint8, x uint64, sel uint32) uint32 {
	var r uint32
	for k := range uint32(4) {
		var n uint32
		switch s := sel & 3; mode {
		case prmtIdx:
			n = sel >> (4 * k) & 15
		case prmtF4E:
			n = s + k
		case prmtB4E:
			n = (s - k) & 7
		case prmtRC8:
			n = s
		case prmtECL:
			n = max(k, s)
		case prmtECR:
			n = min(k, s)
		case prmtRC16:
			n = s&1*2 + k&1
		}
		v := uint32(x >> (8 * (n & 7)) & 0xff)
		if mode == prmtIdx && n&8 != 0 {
			v = uint32(int8(v)>>7) & 0xff
		}
		r |= v << (8 * k)
	}
	return r
}

// SGXT: extends the low b bits of a.
func sgxt(w *warp, i *inst, m uint32) {
	a, b, d := w.row(i.s[0].row), w.row(i.s[1].row), &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		n := b[l]
		if i.has(fW) {
			n &= 31
		}
		switch {
		case n == 0:
			d[l] = 0
		case n >= 32:
			d[l] = a[l]
		case i.has(fU32):
			d[l] = a[l] & (1<<n - 1)
		default:
			d[l] = uint32(int32(a[l]<<(32-n)) >> (32 - n))
		}
	}
}

// BMSK: b ones from bit a up.
func bmsk(w *warp, i *inst, m uint32) {
	a, b, d := w.row(i.s[0].row), w.row(i.s[1].row), &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		pos, n := a[l], b[l]
		if i.has(fW) {
			pos, n = pos&31, n&31
		}
		d[l] = uint32((uint64(1)<<min(n, 32) - 1) << min(pos, 32))
	}
}

// FLO: the highest one, or for signed sources the highest bit that differs
// from the sign; -1 when there is none. .SH counts from the top.
func flo(w *warp, i *inst, m uint32) {
	a, d := w.isrc(&i.s[0], 0), &w.r[i.d[0]]
	var p uint32
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		v := a[l]
		if !i.has(fU32) && int32(v) < 0 {
			v = ^v
		}
		n := uint32(bits.Len32(v)) - 1
		if v != 0 {
			p |= 1 << l
			if i.has(fSH) {
				n = 31 - n
			}
		}
		d[l] = n
	}
	w.setp(i.pd[0], m, p)
}

// POPC counts ones, BREV reverses the bits, IABS takes the magnitude.
func popc(w *warp, i *inst, m uint32) {
	a, d := w.isrc(&i.s[0], 0), &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		d[l] = uint32(bits.OnesCount32(a[l]))
	}
}

func brev(w *warp, i *inst, m uint32) {
	a, d := w.row(i.s[0].row), &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		d[l] = bits.Reverse32(a[l])
	}
}

func iabs(w *warp, i *inst, m uint32) {
	a, d := w.isrc(&i.s[0], 0), &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		if d[l] = a[l]; int32(a[l]) < 0 {
			d[l] = -a[l]
		}
	}
}

// Integer comparisons, a set of relations: 1 less, 2 equal, 4 greater.
func icompare(a, b uint32, unsigned bool) uint8 {
	switch {
	case a == b:
		return 2
	case unsigned && a < b, !unsigned && int32(a) < int32(b):
		return 1
	}
	return 4
}

// ISETP: compares; with .EX an equality is decided by the comparison of the
// low words. The first predicate is the result, the second its negation,
// each combined with the accumulator.
func isetp(w *warp, i *inst, m uint32) {
	a, b := w.isrc(&i.s[0], 0), w.isrc(&i.s[1], 1)
	var r uint32
	u := i.has(fU32)
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		if icompare(a[l], b[l], u)&i.cmp != 0 {
			r |= 1 << l
		}
	}
	if i.has(fEX) && i.cmp != 0 && i.cmp != 7 {
		low := w.pred(i.ps[1])
		for k := m; k != 0; k &= k - 1 {
			if l := lane(k); a[l] == b[l] {
				r = r&^(1<<l) | low&(1<<l)
			}
		}
	}
	w.setpBool(i, m, r)
}

// setpBool combines a comparison with the accumulator and writes both
// predicates.
func (w *warp) setpBool(i *inst, m, r uint32) {
	acc := w.pred(i.ps[0])
	w.setp(i.pd[0], m, combine(i.bop, r, acc))
	w.setp(i.pd[1], m, combine(i.bop, ^r, acc))
}

func combine(op uint8, a, b uint32) uint32 {
	switch op {
	case 1:
		return a | b
	case 2:
		return a ^ b
	}
	return a & b
}

// SEL: a where the predicate holds, else b.
func sel(w *warp, i *inst, m uint32) {
	a, b, d, p := w.row(i.s[0].row), w.row(i.s[1].row), &w.r[i.d[0]], w.pred(i.ps[0])
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		if p>>l&1 != 0 {
			d[l] = a[l]
		} else {
			d[l] = b[l]
		}
	}
}

// MOV copies.
func mov(w *warp, i *inst, m uint32) {
	a, d := w.isrc(&i.s[0], 0), &w.r[i.d[0]]
	if m == ^uint32(0) {
		*d = *a
		return
	}
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		d[l] = a[l]
	}
}

// mov64 copies a pair.
func mov64(w *warp, i *inst, m uint32) {
	a, ah, d, dh := w.row(i.s[0].row), w.row(i.s[0].hi), &w.r[i.d[0]], &w.r[nextRow(i.d[0])]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		d[l], dh[l] = a[l], ah[l]
	}
}

// P2R: the predicates named by the mask replace bits of one byte of a.
func p2r(w *warp, i *inst, m uint32) {
	a, d, mask := w.row(i.s[0].row), &w.r[i.d[0]], uint32(i.s[1].imm)&0xff
	first := 0
	if i.full {
		first = predUni
	}
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		var v uint32
		for n := range 7 {
			v |= w.p[first+n] >> l & 1 << n
		}
		sh := 8 * i.sub
		d[l] = a[l]&^(mask<<sh) | v&mask<<sh
	}
}

// R2P: the other way.
func r2p(w *warp, i *inst, m uint32) {
	a, mask := w.row(i.s[0].row), uint32(i.s[1].imm)&0x7f
	first := uint8(0)
	if i.full {
		first = predUni
	}
	for n := range uint8(7) {
		if mask>>n&1 == 0 {
			continue
		}
		var v uint32
		for l := range 32 {
			v |= a[l] >> (8*i.sub + n) & 1 << l
		}
		w.setp(first+n, m, v)
	}
}
