package ptxvm

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// logic is and, or, xor, of predicates too.
func (d *decoder) logic() {
	t := d.typ(0)
	switch d.in.Op {
	case isa.WAnd:
		d.same2(t, func(a, b uint64) uint64 { return a & b })
	case isa.WOr:
		d.same2(t, func(a, b uint64) uint64 { return a | b })
	default:
		d.same2(t, func(a, b uint64) uint64 { return a ^ b })
	}
}

func (d *decoder) not() { d.same1(d.typ(0), func(a uint64) uint64 { return ^a }) }

func (d *decoder) cnot() {
	d.same1(d.typ(0), func(a uint64) uint64 {
		if a == 0 {
			return 1
		}
		return 0
	})
}

// shift is shl and shr: amounts beyond the width give zero or the sign.
func (d *decoder) shift() {
	t := d.typ(0)
	p, a, b := d.dst(0), d.src(1, t), d.src(2, isa.U32)
	n := uint64(t.Bits())
	switch {
	case d.in.Op == isa.WShl:
		d.map2(p, a, b, func(a, b uint64) uint64 { return a << b })
	case signed(t):
		d.map2(p, a, b, func(a, b uint64) uint64 { return uint64(int64(extend(a, t)) >> min(b, n-1)) })
	default:
		d.map2(p, a, b, func(a, b uint64) uint64 { return a >> b })
	}
}

// funnel is shf.
func (d *decoder) funnel() {
	left, wrap := d.has(isa.WL), d.has(isa.WWrap)
	d.ignore(isa.WR, isa.WClamp)
	d.same3(isa.B32, func(a, b, c uint64) uint64 {
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

// lop3 is lop3, with its predicate result where it has one.
func (d *decoder) lop3() {
	or, and := d.has(isa.WOr), d.has(isa.WAnd)
	table := d.args[4].Value
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
		return r & low(32)
	}
	if !or && !and {
		d.same3(isa.B32, f)
		return
	}
	p, q := d.dst(0), d.pair(0)
	a, b, c, e := d.src(1, isa.B32), d.src(2, isa.B32), d.src(3, isa.B32), d.src(5, isa.Pred)
	d.out.run = func(w *warp) {
		x, y, z, o := w.col(&a, 0), w.col(&b, 1), w.col(&c, 2), w.col(&e, 3)
		var r, s column
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = f(x[l], y[l], z[l])
			if s[l] = truth(r[l] != 0) & o[l]; or {
				s[l] = truth(r[l] != 0) | o[l]
			}
		}
		w.store(p, &r)
		w.store(q, &s)
	}
}

// store writes a whole result.
func (w *warp) store(p place, r *column) {
	d := w.write(p)
	for m := w.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		d[l] = r[l] & p.mask
	}
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
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

// prmt picks bytes.
func (d *decoder) prmt() {
	mode := -1
	for k := range prmtModes {
		if d.has(prmtModes[k].w) {
			mode = k
		}
	}
	d.same3(isa.B32, func(a, b, c uint64) uint64 {
		if mode >= 0 {
			c = prmtModes[mode].sel[c&3]
		}
		v := b<<32 | a
		r := uint64(0)
		for k := range 4 {
			s := c >> (4 * k) & 15
			x := v >> (8 * (s & 7)) & 0xff
			if s&8 != 0 {
				x = uint64(sx(x, 8)>>7) & 0xff
			}
			r |= x << (8 * k)
		}
		return r
	})
}

func (d *decoder) popc() {
	d.same1(d.typ(0), func(a uint64) uint64 { return uint64(bits.OnesCount64(a)) })
}

func (d *decoder) clz() {
	n := 64 - d.typ(0).Bits()
	d.same1(d.typ(0), func(a uint64) uint64 { return uint64(bits.LeadingZeros64(a) - n) })
}

func (d *decoder) brev() {
	n := 64 - d.typ(0).Bits()
	d.same1(d.typ(0), func(a uint64) uint64 { return bits.Reverse64(a) >> n })
}

// bfind finds the highest bit that differs from the sign.
func (d *decoder) bfind() {
	t := d.typ(0)
	amount := d.has(isa.WShiftamt)
	d.same1(t, func(a uint64) uint64 {
		x := extend(a, t)
		if signed(t) && int64(x) < 0 {
			x = ^x
		}
		k := bits.Len64(x) - 1
		if k >= 0 && amount {
			k = t.Bits() - 1 - k
		}
		return uint64(k)
	})
}

// fns finds the n-th set bit from a base.
func (d *decoder) fns() {
	d.map3(d.dst(0), d.src(1, isa.B32), d.src(2, isa.B32), d.src(3, isa.S32), func(mask, base, off uint64) uint64 {
		if base > 31 { // undefined: the reference's code finds nothing
			return low(32)
		}
		n := sx(off, 32)
		pos, step := int64(base), int64(1)
		if n < 0 {
			n, step = -n, -1
		}
		if n == 0 {
			if mask>>pos&1 != 0 {
				return uint64(pos)
			}
			return low(32)
		}
		for ; pos >= 0 && pos < 32; pos += step {
			if mask>>pos&1 != 0 {
				if n--; n == 0 {
					return uint64(pos)
				}
			}
		}
		return low(32)
	})
}

// bfe extracts a field.
func (d *decoder) bfe() {
	t := d.typ(0)
	n := t.Bits()
	d.map3(d.dst(0), d.src(1, t), d.src(2, isa.U32), d.src(3, isa.U32), func(a, b, c uint64) uint64 {
		pos, size := int(b&0xff), int(c&0xff)
		sign := uint64(0)
		if signed(t) && size > 0 {
			sign = a >> min(pos+size-1, n-1) & 1
		}
		r := uint64(0)
		if pos < 64 {
			r = a >> pos
		}
		if keep := min(size, max(n-pos, 0)); keep < 64 {
			r &= low(keep)
			if sign != 0 {
				r |= ^low(keep)
			}
		}
		return r
	})
}

// bfi inserts a field: f = bfi(a into b at c, d bits).
func (d *decoder) bfi() {
	t := d.typ(0)
	n := t.Bits()
	p, a, b, c, e := d.dst(0), d.src(1, t), d.src(2, t), d.src(3, isa.U32), d.src(4, isa.U32)
	d.out.run = func(w *warp) {
		x, y, z, o := w.col(&a, 0), w.col(&b, 1), w.col(&c, 2), w.col(&e, 3)
		r := w.write(p)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			pos, size := int(z[l]&0xff), int(o[l]&0xff)
			field := uint64(0)
			if pos < n {
				field = low(min(size, 64)) << pos
			}
			r[l] = (y[l]&^field | x[l]<<pos&field) & p.mask
		}
	}
}

// bmsk makes a mask of b bits from a on.
func (d *decoder) bmsk() {
	wrap := d.has(isa.WWrap)
	d.ignore(isa.WClamp)
	d.same2(isa.B32, func(a, b uint64) uint64 {
		if wrap {
			a, b = a&31, b&31
		} else {
			a, b = min(a, 32), min(b, 32)
		}
		return low(int(b)) << a
	})
}

// szext extends the sign or zero from bit b on.
func (d *decoder) szext() {
	t := d.typ(0)
	wrap := d.has(isa.WWrap)
	d.ignore(isa.WClamp)
	d.map2(d.dst(0), d.src(1, t), d.src(2, isa.U32), func(a, b uint64) uint64 {
		n := int(min(b, 32))
		if wrap {
			n = int(b & 31)
		}
		switch {
		case n == 0:
			return 0
		case signed(t):
			return uint64(sx(a, n))
		}
		return a & low(n)
	})
}
