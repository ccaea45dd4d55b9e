package arith

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
)

// Logic is and, or, xor, of predicates too.
func Logic(d *machine.Decoder) {
	t := d.Type(0)
	switch d.In.Op {
	case isa.WAnd:
		d.Same2(t, func(a, b uint64) uint64 { return a & b })
	case isa.WOr:
		d.Same2(t, func(a, b uint64) uint64 { return a | b })
	default:
		d.Same2(t, func(a, b uint64) uint64 { return a ^ b })
	}
}

// Not inverts bits, or a predicate.
func Not(d *machine.Decoder) { d.Same1(d.Type(0), func(a uint64) uint64 { return ^a }) }

// Cnot is one where its source is zero.
func Cnot(d *machine.Decoder) {
	d.Same1(d.Type(0), func(a uint64) uint64 {
		if a == 0 {
			return 1
		}
		return 0
	})
}

// Shift is shl and shr: amounts beyond the width give zero or the sign.
func Shift(d *machine.Decoder) {
	t := d.Type(0)
	p, a, b := d.Dst(0), d.Src(1, t), d.Src(2, isa.U32)
	n := uint64(t.Bits())
	switch {
	case d.In.Op == isa.WShl:
		d.Map2(p, a, b, func(a, b uint64) uint64 { return a << b })
	case machine.Signed(t):
		d.Map2(p, a, b, func(a, b uint64) uint64 { return uint64(int64(machine.Extend(a, t)) >> min(b, n-1)) })
	default:
		d.Map2(p, a, b, func(a, b uint64) uint64 { return a >> b })
	}
}

// Funnel is shf.
func Funnel(d *machine.Decoder) {
	left, wrap := d.Has(isa.WL), d.Has(isa.WWrap)
	d.Ignore(isa.WR, isa.WClamp)
	d.Same3(isa.B32, func(a, b, c uint64) uint64 {
		n := min(c, 32)
		if wrap {
			n = c & 31
		}
		v := b<<32 | a
		if left {
			return v << n >> 32
		}
		return v >> n
	})
}

// Lop3 is lop3, with its predicate result where it has one.
func Lop3(d *machine.Decoder) {
	or, and := d.Has(isa.WOr), d.Has(isa.WAnd)
	table := d.Args[4].Value
	f := func(a, b, c uint64) uint64 {
		r := uint64(0)
		for k := range 8 {
			if table>>k&1 == 0 {
				continue
			}
			x, y, z := a, b, c
			if k&4 == 0 {
				x = ^x
			}
			if k&2 == 0 {
				y = ^y
			}
			if k&1 == 0 {
				z = ^z
			}
			r |= x & y & z
		}
		return r & machine.Low(32)
	}
	if !or && !and {
		d.Same3(isa.B32, f)
		return
	}
	p, q := d.Dst(0), d.Pair(0)
	a, b, c, e := d.Src(1, isa.B32), d.Src(2, isa.B32), d.Src(3, isa.B32), d.Src(5, isa.Pred)
	d.Out.Run = func(w *machine.Warp) {
		x, y, z, o := w.Col(&a, 0), w.Col(&b, 1), w.Col(&c, 2), w.Col(&e, 3)
		var r, s machine.Column
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = f(x[l], y[l], z[l])
			if s[l] = machine.Truth(r[l] != 0) & o[l]; or {
				s[l] = machine.Truth(r[l] != 0) | o[l]
			}
		}
		w.Store(p, &r)
		w.Store(q, &s)
	}
}

// prmtModes are the selectors of the modes of prmt, by the low two bits of c.
var prmtModes = [...]struct {
	w   isa.Word
	sel [4]uint64
}{
	{isa.WF4e, [4]uint64{0x3210, 0x4321, 0x5432, 0x6543}},
	{isa.WB4e, [4]uint64{0x5670, 0x6701, 0x7012, 0x0123}},
	{isa.WRc8, [4]uint64{0x0000, 0x1111, 0x2222, 0x3333}},
	{isa.WEcl, [4]uint64{0x3210, 0x3211, 0x3222, 0x3333}},
	{isa.WEcr, [4]uint64{0x0000, 0x1110, 0x2210, 0x3210}},
	{isa.WRc16, [4]uint64{0x1010, 0x3232, 0x1010, 0x3232}},
}

// Prmt picks bytes.
func Prmt(d *machine.Decoder) {
	mode := -1
	for k := range prmtModes {
		if d.Has(prmtModes[k].w) {
			mode = k
		}
	}
	d.Same3(isa.B32, func(a, b, c uint64) uint64 {
		if mode >= 0 {
			c = prmtModes[mode].sel[c&3]
		}
		v := b<<32 | a
		r := uint64(0)
		for k := range 4 {
			s := c >> (4 * k) & 15
			x := v >> (8 * (s & 7)) & 0xff
			if s&8 != 0 {
				x = uint64(machine.Sx(x, 8)>>7) & 0xff
			}
			r |= x << (8 * k)
		}
		return r
	})
}

// Popc counts bits.
func Popc(d *machine.Decoder) {
	d.Same1(d.Type(0), func(a uint64) uint64 { return uint64(bits.OnesCount64(a)) })
}

// Clz counts leading zeros.
func Clz(d *machine.Decoder) {
	n := 64 - d.Type(0).Bits()
	d.Same1(d.Type(0), func(a uint64) uint64 { return uint64(bits.LeadingZeros64(a) - n) })
}

// Brev turns the bits around.
func Brev(d *machine.Decoder) {
	n := 64 - d.Type(0).Bits()
	d.Same1(d.Type(0), func(a uint64) uint64 { return bits.Reverse64(a) >> n })
}

// Bfind finds the highest bit that differs from the sign.
func Bfind(d *machine.Decoder) {
	t := d.Type(0)
	amount := d.Has(isa.WShiftamt)
	d.Same1(t, func(a uint64) uint64 {
		x := machine.Extend(a, t)
		if machine.Signed(t) && int64(x) < 0 {
			x = ^x
		}
		k := bits.Len64(x) - 1
		if k >= 0 && amount {
			k = t.Bits() - 1 - k
		}
		return uint64(k)
	})
}

// Fns finds the n-th set bit from a base.
func Fns(d *machine.Decoder) {
	d.Map3(d.Dst(0), d.Src(1, isa.B32), d.Src(2, isa.B32), d.Src(3, isa.S32), func(mask, base, off uint64) uint64 {
		if base > 31 { // undefined: the reference's code finds nothing
			return machine.Low(32)
		}
		n := machine.Sx(off, 32)
		pos, step := int64(base), int64(1)
		if n < 0 {
			n, step = -n, -1
		}
		if n == 0 {
			if mask>>pos&1 != 0 {
				return uint64(pos)
			}
			return machine.Low(32)
		}
		for ; pos >= 0 && pos < 32; pos += step {
			if mask>>pos&1 != 0 {
				if n--; n == 0 {
					return uint64(pos)
				}
			}
		}
		return machine.Low(32)
	})
}

// Bfe extracts a field.
func Bfe(d *machine.Decoder) {
	t := d.Type(0)
	n := t.Bits()
	d.Map3(d.Dst(0), d.Src(1, t), d.Src(2, isa.U32), d.Src(3, isa.U32), func(a, b, c uint64) uint64 {
		pos, size := int(b&0xff), int(c&0xff)
		sign := uint64(0)
		if machine.Signed(t) && size > 0 {
			sign = a >> min(pos+size-1, n-1) & 1
		}
		r := uint64(0)
		if pos < 64 {
			r = a >> pos
		}
		if keep := min(size, max(n-pos, 0)); keep < 64 {
			r &= machine.Low(keep)
			if sign != 0 {
				r |= ^machine.Low(keep)
			}
		}
		return r
	})
}

// Bfi inserts a field: f = bfi(a into b at c, d bits).
func Bfi(d *machine.Decoder) {
	t := d.Type(0)
	n := t.Bits()
	p, a, b, c, e := d.Dst(0), d.Src(1, t), d.Src(2, t), d.Src(3, isa.U32), d.Src(4, isa.U32)
	d.Out.Run = func(w *machine.Warp) {
		x, y, z, o := w.Col(&a, 0), w.Col(&b, 1), w.Col(&c, 2), w.Col(&e, 3)
		r := w.Write(p)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			pos, size := int(z[l]&0xff), int(o[l]&0xff)
			field := uint64(0)
			if pos < n {
				field = machine.Low(min(size, 64)) << pos
			}
			r[l] = (y[l]&^field | x[l]<<pos&field) & p.Mask
		}
	}
}

// Bmsk makes a mask of b bits from a on.
func Bmsk(d *machine.Decoder) {
	wrap := d.Has(isa.WWrap)
	d.Ignore(isa.WClamp)
	d.Same2(isa.B32, func(a, b uint64) uint64 {
		if wrap {
			a, b = a&31, b&31
		} else {
			a, b = min(a, 32), min(b, 32)
		}
		return machine.Low(int(b)) << a
	})
}

// Szext extends the sign or zero from bit b on.
func Szext(d *machine.Decoder) {
	t := d.Type(0)
	wrap := d.Has(isa.WWrap)
	d.Ignore(isa.WClamp)
	d.Map2(d.Dst(0), d.Src(1, t), d.Src(2, isa.U32), func(a, b uint64) uint64 {
		n := int(min(b, 32))
		if wrap {
			n = int(b & 31)
		}
		switch {
		case n == 0:
			return 0
		case machine.Signed(t):
			return uint64(machine.Sx(a, n))
		}
		return a & machine.Low(n)
	})
}
