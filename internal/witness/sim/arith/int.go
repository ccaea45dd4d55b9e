package arith

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/alu"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// Integer operations. Each function runs one instruction for the lanes m.

// addend is a source as IADD3 adds it: a negated one is its complement and a
// one of its own, so that -0 carries.
func addend(s *code.Operand, v uint32) uint64 {
	switch {
	case s.Inv:
		return uint64(^v)
	case s.Neg:
		return uint64(^v) + 1
	}
	return uint64(v)
}

// IADD3: a+b+c; with .X plus two carries. The carry is 0, 1 or 2: the first
// predicate says at least one, the second two.
func Iadd3(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, c, d := w.Row(i.S[0].Row), w.Row(i.S[1].Row), w.Row(i.S[2].Row), &w.R[i.D[0]]
	if !i.Has(code.FlagX) && i.PD[0] == code.PredSink && i.PD[1] == code.PredSink {
		a, b, c = w.Isrc(&i.S[0], 0), w.Isrc(&i.S[1], 1), w.Isrc(&i.S[2], 2)
		if m == ^uint32(0) {
			for l := range d {
				d[l] = alu.Add3(a[l], b[l], c[l])
			}
			return
		}
		for ; m != 0; m &= m - 1 {
			l := machine.Lane(m)
			d[l] = alu.Add3(a[l], b[l], c[l])
		}
		return
	}
	var p, q, c0, c1 uint32
	if i.Has(code.FlagX) {
		c0, c1 = w.Pred(i.PS[0]), w.Pred(i.PS[1])
	}
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		sum := addend(&i.S[0], a[l]) + addend(&i.S[1], b[l]) + addend(&i.S[2], c[l]) + uint64(c0>>l&1) + uint64(c1>>l&1)
		d[l] = uint32(sum)
		if sum >= 1<<32 {
			p |= 1 << l
		}
		if sum >= 1<<33 {
			q |= 1 << l
		}
	}
	w.Setp(i.PD[0], m, p)
	w.Setp(i.PD[1], m, q)
}

// IMAD: the low word of a·b+c, with .X plus a carry.
func Imad(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, c, d := w.Row(i.S[0].Row), w.Row(i.S[1].Row), w.Isrc(&i.S[2], 2), &w.R[i.D[0]]
	if i.Has(code.FlagX) {
		cy := w.Pred(i.PS[0])
		for ; m != 0; m &= m - 1 {
			l := machine.Lane(m)
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
		l := machine.Lane(m)
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
func ImadWide(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b := w.Row(i.S[0].Row), w.Row(i.S[1].Row)
	cl, ch := w.Row(i.S[2].Row), w.Row(i.S[2].Hi)
	d, h := &w.R[i.D[0]], &w.R[code.NextRow(i.D[0])]
	u, hi := i.Has(code.FlagU32), i.Sub == 1
	var cy, p uint32
	if i.Has(code.FlagX) {
		cy = w.Pred(i.PS[0])
	}
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		c, one := uint64(ch[l])<<32|uint64(cl[l]), uint64(cy>>l&1)
		switch {
		case i.S[2].Inv:
			c = ^c
		case i.S[2].Neg:
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
	w.Setp(i.PD[0], m, p)
}

// LEA: (a<<n)+b; .HI shifts the pair {c,a} and takes its high word; .SX32
// takes the sign of a for c. A negated a is negated after the shift.
func Lea(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, d := w.Row(i.S[0].Row), w.Row(i.S[1].Row), &w.R[i.D[0]]
	n := uint(i.S[i.NS-1].Imm) & 31
	hi, sx := i.Has(code.FlagHI), i.Has(code.FlagSX32)
	c := &w.R[code.RowZero]
	if hi && !sx {
		c = w.Row(i.S[2].Row)
	}
	var p, cy uint32
	if i.Has(code.FlagX) {
		cy = w.Pred(i.PS[0])
	}
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		v := a[l] << n
		if hi {
			x := uint64(c[l])<<32 | uint64(a[l])
			if sx {
				x = uint64(int64(int32(a[l])))
			}
			v = uint32(x << n >> 32)
		}
		s := addend(&i.S[0], v) + addend(&i.S[1], b[l]) + uint64(cy>>l&1)
		d[l] = uint32(s)
		if s >= 1<<32 {
			p |= 1 << l
		}
	}
	w.Setp(i.PD[0], m, p)
}

// LOP3: any function of three bits, by table. The predicate is "result is
// not zero", combined with its source by OR, or AND with .PAND.
func Lop3(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, c, d := w.Row(i.S[0].Row), w.Row(i.S[1].Row), w.Row(i.S[2].Row), &w.R[i.D[0]]
	t := uint8(i.S[3].Imm)
	var p uint32
	switch {
	case t == 0xc0:
		for k := m; k != 0; k &= k - 1 {
			l := machine.Lane(k)
			d[l] = a[l] & b[l]
			if d[l] != 0 {
				p |= 1 << l
			}
		}
	default:
		for k := m; k != 0; k &= k - 1 {
			l := machine.Lane(k)
			d[l] = alu.Lut(t, a[l], b[l], c[l])
			if d[l] != 0 {
				p |= 1 << l
			}
		}
	}
	if i.PD[0] == code.PredSink {
		return
	}
	if i.Has(code.FlagPAND) {
		p &= w.Pred(i.PS[0])
	} else {
		p |= w.Pred(i.PS[0])
	}
	w.Setp(i.PD[0], m, p)
}

// PLOP3: two truth tables of three predicates, or of three sign bits.
func Plop3(w *machine.Warp, i *machine.Inst, m uint32) {
	var x [3]uint32
	for n := range x {
		if i.NPS == 3 {
			x[n] = w.Pred(i.PS[n])
			continue
		}
		for l, v := range w.Row(i.S[n].Row) {
			x[n] |= v >> 31 << l
		}
	}
	w.Setp(i.PD[0], m, alu.Lut(uint8(i.S[i.NS-2].Imm), x[0], x[1], x[2]))
	w.Setp(i.PD[1], m, alu.Lut(uint8(i.S[i.NS-1].Imm), x[0], x[1], x[2]))
}

// SHF: shifts the pair {c,a} by b and gives one of its words. Without .W a
// count stops at the width of the type.
func Shf(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, c, d := w.Row(i.S[0].Row), w.Row(i.S[1].Row), w.Row(i.S[2].Row), &w.R[i.D[0]]
	f := alu.Funnel{Right: i.Has(code.FlagRight), Signed: i.Sub&shfSigned != 0, High: i.Has(code.FlagHI), Wide: i.Sub&shf64 != 0, Wrap: i.Has(code.FlagW)}
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		d[l] = f.Shift(a[l], b[l], c[l])
	}
}

const (
	shf64     = 1
	shfSigned = 2
)

// PRMT: picks bytes of {c,a} by the nibbles of b, or by a pattern.
func Prmt(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, c, d := w.Row(i.S[0].Row), w.Row(i.S[1].Row), w.Row(i.S[2].Row), &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		d[l] = permute(i.Sub, uint64(c[l])<<32|uint64(a[l]), b[l])
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
func Sgxt(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, d := w.Row(i.S[0].Row), w.Row(i.S[1].Row), &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		n := b[l]
		if i.Has(code.FlagW) {
			n &= 31
		}
		switch {
		case n == 0:
			d[l] = 0
		case n >= 32:
			d[l] = a[l]
		case i.Has(code.FlagU32):
			d[l] = a[l] & (1<<n - 1)
		default:
			d[l] = uint32(int32(a[l]<<(32-n)) >> (32 - n))
		}
	}
}

// BMSK: b ones from bit a up.
func Bmsk(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, d := w.Row(i.S[0].Row), w.Row(i.S[1].Row), &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		pos, n := a[l], b[l]
		if i.Has(code.FlagW) {
			pos, n = pos&31, n&31
		}
		d[l] = uint32((uint64(1)<<min(n, 32) - 1) << min(pos, 32))
	}
}

// FLO: the highest one, or for signed sources the highest bit that differs
// from the sign; -1 when there is none. .SH counts from the top.
func Flo(w *machine.Warp, i *machine.Inst, m uint32) {
	a, d := w.Isrc(&i.S[0], 0), &w.R[i.D[0]]
	var p uint32
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		v := a[l]
		if !i.Has(code.FlagU32) && int32(v) < 0 {
			v = ^v
		}
		n := uint32(bits.Len32(v)) - 1
		if v != 0 {
			p |= 1 << l
			if i.Has(code.FlagSH) {
				n = 31 - n
			}
		}
		d[l] = n
	}
	w.Setp(i.PD[0], m, p)
}

// POPC counts ones, BREV reverses the bits, IABS takes the magnitude.
func Popc(w *machine.Warp, i *machine.Inst, m uint32) {
	a, d := w.Isrc(&i.S[0], 0), &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		d[l] = uint32(bits.OnesCount32(a[l]))
	}
}

// Brev is BREV.
func Brev(w *machine.Warp, i *machine.Inst, m uint32) {
	a, d := w.Row(i.S[0].Row), &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		d[l] = bits.Reverse32(a[l])
	}
}

// Iabs is IABS.
func Iabs(w *machine.Warp, i *machine.Inst, m uint32) {
	a, d := w.Isrc(&i.S[0], 0), &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
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
func Isetp(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b := w.Isrc(&i.S[0], 0), w.Isrc(&i.S[1], 1)
	var r uint32
	u := i.Has(code.FlagU32)
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		if icompare(a[l], b[l], u)&i.Cmp != 0 {
			r |= 1 << l
		}
	}
	if i.Has(code.FlagEX) && i.Cmp != 0 && i.Cmp != 7 {
		low := w.Pred(i.PS[1])
		for k := m; k != 0; k &= k - 1 {
			if l := machine.Lane(k); a[l] == b[l] {
				r = r&^(1<<l) | low&(1<<l)
			}
		}
	}
	setpBool(w, i, m, r)
}

// setpBool combines a comparison with the accumulator and writes both
// predicates.
func setpBool(w *machine.Warp, i *machine.Inst, m, r uint32) {
	acc := w.Pred(i.PS[0])
	w.Setp(i.PD[0], m, combine(i.Bop, r, acc))
	w.Setp(i.PD[1], m, combine(i.Bop, ^r, acc))
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
func Sel(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, d, p := w.Row(i.S[0].Row), w.Row(i.S[1].Row), &w.R[i.D[0]], w.Pred(i.PS[0])
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		if p>>l&1 != 0 {
			d[l] = a[l]
		} else {
			d[l] = b[l]
		}
	}
}

// MOV copies.
func Mov(w *machine.Warp, i *machine.Inst, m uint32) {
	a, d := w.Isrc(&i.S[0], 0), &w.R[i.D[0]]
	if m == ^uint32(0) {
		*d = *a
		return
	}
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		d[l] = a[l]
	}
}

// mov64 copies a pair.
func mov64(w *machine.Warp, i *machine.Inst, m uint32) {
	a, ah, d, dh := w.Row(i.S[0].Row), w.Row(i.S[0].Hi), &w.R[i.D[0]], &w.R[code.NextRow(i.D[0])]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		d[l], dh[l] = a[l], ah[l]
	}
}

// P2R: the predicates named by the mask replace bits of one byte of a.
func P2r(w *machine.Warp, i *machine.Inst, m uint32) {
	a, d, mask := w.Row(i.S[0].Row), &w.R[i.D[0]], uint32(i.S[1].Imm)&0xff
	first := 0
	if i.Full {
		first = code.PredUni
	}
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		var v uint32
		for n := range 7 {
			v |= w.P[first+n] >> l & 1 << n
		}
		sh := 8 * i.Sub
		d[l] = a[l]&^(mask<<sh) | v&mask<<sh
	}
}

// R2P: the other way.
func R2p(w *machine.Warp, i *machine.Inst, m uint32) {
	a, mask := w.Row(i.S[0].Row), uint32(i.S[1].Imm)&0x7f
	first := uint8(0)
	if i.Full {
		first = code.PredUni
	}
	for n := range uint8(7) {
		if mask>>n&1 == 0 {
			continue
		}
		var v uint32
		for l := range 32 {
			v |= a[l] >> (8*i.Sub + n) & 1 << l
		}
		w.Setp(first+n, m, v)
	}
}
