package arith

import (
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// Integer operations on packed or saturated values.

// Packed types of the v operations: bits of a piece.
const (
	v32 = 0
	v16 = 16
	v8  = 8
)

// pieces applies an operation to a word, its halves or its bytes.
func pieces(t uint8, a, b uint32, f func(a, b uint32, bits uint) uint32) uint32 {
	if t == v32 {
		return f(a, b, 32)
	}
	var r uint32
	mask := uint32(1)<<t - 1
	for k := uint8(0); k < 32; k += t {
		r |= f(a>>k&mask, b>>k&mask, uint(t)) & mask << k
	}
	return r
}

// VIADD: a+b, in one piece or several; .ISAT clamps to the type.
func Viadd(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, d := vsrc(w, i, 0), vsrc(w, i, 1), &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		d[l] = vadd(i, a[l], b[l])
	}
}

// vsrc returns source k, each of its pieces negated where it is marked.
func vsrc(w *machine.Warp, i *machine.Inst, k int) *[32]uint32 {
	s := &i.S[k]
	if i.Sub == v32 || !s.Neg {
		return w.Isrc(s, k)
	}
	t := &w.Tmp[k]
	for l, v := range w.Row(s.Row) {
		t[l] = pieces(i.Sub, 0, v, func(a, b uint32, _ uint) uint32 { return a - b })
	}
	return t
}

func vadd(i *machine.Inst, a, b uint32) uint32 {
	if !i.Mode.Sat {
		return pieces(i.Sub, a, b, func(a, b uint32, _ uint) uint32 { return a + b })
	}
	return pieces(i.Sub, a, b, func(a, b uint32, bits uint) uint32 {
		if !i.It.Signed {
			return uint32(min(uint64(a)+uint64(b), 1<<bits-1))
		}
		s := int64(int32(piece(a, bits, true))) + int64(int32(piece(b, bits, true)))
		return uint32(min(max(s, -1<<(bits-1)), 1<<(bits-1)-1))
	})
}

// minmax picks the lesser or the greater of each piece.
func minmax(i *machine.Inst, a, b uint32, least bool) uint32 {
	return pieces(i.Sub, a, b, func(a, b uint32, bits uint) uint32 {
		less := a < b
		if i.It.Signed {
			less = int32(a<<(32-bits)) < int32(b<<(32-bits))
		}
		r := b
		if less == least {
			r = a
		}
		if i.Has(code.FlagRELU) && r>>(bits-1)&1 != 0 {
			r = 0
		}
		return r
	})
}

// VIMNMX and IMNMX: the lesser where the predicate holds, else the greater.
func Vimnmx(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, d, p := w.Row(i.S[0].Row), w.Row(i.S[1].Row), &w.R[i.D[0]], w.Pred(i.PS[0])
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		d[l] = minmax(i, a[l], b[l], p>>l&1 != 0)
	}
}

// VIMNMX3: the same of three.
func Vimnmx3(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, c, d, p := w.Row(i.S[0].Row), w.Row(i.S[1].Row), w.Row(i.S[2].Row), &w.R[i.D[0]], w.Pred(i.PS[0])
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		least := p>>l&1 != 0
		plain := *i
		plain.Flags &^= code.FlagRELU
		d[l] = minmax(i, minmax(&plain, a[l], b[l], least), c[l], least)
	}
}

// VIADDMNMX: (a+b) against c.
func Viaddmnmx(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, c, d, p := w.Row(i.S[0].Row), vsrc(w, i, 1), w.Row(i.S[2].Row), &w.R[i.D[0]], w.Pred(i.PS[0])
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		d[l] = minmax(i, vadd(i, a[l], b[l]), c[l], p>>l&1 != 0)
	}
}

// VABSDIFF: |a-b|+c.
func Vabsdiff(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, c, d := w.Row(i.S[0].Row), w.Row(i.S[1].Row), w.Row(i.S[2].Row), &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		x := int64(int32(a[l])) - int64(int32(b[l]))
		if i.Has(code.FlagU32) {
			x = int64(a[l]) - int64(b[l])
		}
		if x < 0 {
			x = -x
		}
		d[l] = uint32(x) + c[l]
	}
}

// VABSDIFF4: byte by byte; with .ACC the bytes are summed onto c.
func Vabsdiff4(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, c, d := w.Row(i.S[0].Row), w.Row(i.S[1].Row), w.Row(i.S[2].Row), &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		var r, sum uint32
		for k := 0; k < 32; k += 8 {
			x, y := int32(a[l]>>k&0xff), int32(b[l]>>k&0xff)
			if i.It.Signed {
				x, y = int32(int8(x)), int32(int8(y))
			}
			v := uint32(max(x-y, y-x))
			r |= v & 0xff << k
			sum += v
		}
		if i.Has(code.FlagACC) {
			r = sum + c[l]
		}
		d[l] = r
	}
}

// IDP: c plus the products of bytes (4A), or of halves of a with two bytes
// of b (2A).
func Idp(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, c, d := w.Row(i.S[0].Row), w.Row(i.S[1].Row), w.Isrc(&i.S[2], 2), &w.R[i.D[0]]
	as, bs := i.Sub&idpA != 0, i.Sub&idpB != 0
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		sum := c[l]
		if i.Sub&idp2A == 0 {
			for k := 0; k < 32; k += 8 {
				sum += piece(a[l]>>k, 8, as) * piece(b[l]>>k, 8, bs)
			}
		} else {
			from := 0
			if i.Has(code.FlagHI) {
				from = 16
			}
			for k := range 2 {
				sum += piece(a[l]>>(16*k), 16, as) * piece(b[l]>>(from+8*k), 8, bs)
			}
		}
		d[l] = sum
	}
}

const (
	idpA  = 1
	idpB  = 2
	idp2A = 4
)

func piece(v uint32, bits uint, signed bool) uint32 {
	v <<= 32 - bits
	if signed {
		return uint32(int32(v) >> (32 - bits))
	}
	return v >> (32 - bits)
}

// saturate clamps a signed word to a type.
func saturate(v int32, bits uint, signed, relu bool) uint32 {
	lo, hi := int64(0), int64(1)<<bits-1
	if signed {
		lo, hi = -1<<(bits-1), 1<<(bits-1)-1
	}
	x := min(max(int64(v), lo), hi)
	if relu {
		x = max(x, 0)
	}
	return uint32(x)
}

// I2I: a signed word clamped to a narrower type.
func I2i(w *machine.Warp, i *machine.Inst, m uint32) {
	a, d := w.Row(i.S[0].Row), &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		d[l] = saturate(int32(a[l]), uint(i.It.Bits), i.It.Signed, false)
	}
}

// I2IP: a and b clamped and packed below c.
func I2ip(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, c, d := w.Row(i.S[0].Row), w.Row(i.S[1].Row), w.Row(i.S[2].Row), &w.R[i.D[0]]
	n := uint(i.It.Bits)
	mask := uint32(1)<<n - 1
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		x, y, z := a[l], b[l], c[l]
		if i.Mode.Sat || i.Has(code.FlagRELU) {
			x, y = saturate(int32(x), n, i.It.Signed, i.Has(code.FlagRELU)), saturate(int32(y), n, i.It.Signed, i.Has(code.FlagRELU))
		}
		if i.Has(code.FlagH1) {
			z >>= 16
		}
		d[l] = y&mask | x&mask<<n | uint32(uint64(z)<<(2*n))
	}
}
