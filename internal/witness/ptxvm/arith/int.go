package arith

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
)

// IsFloat reports whether an instruction of type t is one on floats.
func IsFloat(t isa.Type) bool { return t.IsFloat() }

// halves applies f to each 16-bit half.
func halves(f func(a, b uint64) uint64) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 {
		return f(a&0xffff, b&0xffff)&0xffff | f(a>>16&0xffff, b>>16&0xffff)&0xffff<<16
	}
}

// packedInt reports whether t is two 16-bit integers, and the type of one.
func packedInt(t isa.Type) (isa.Type, bool) {
	switch t {
	case isa.S16x2:
		return isa.S16, true
	case isa.U16x2:
		return isa.U16, true
	}
	return t, false
}

// Add is add and sub.
func Add(d *machine.Decoder) {
	t := d.Type(0)
	if IsFloat(t) {
		floatAdd(d, t)
		return
	}
	if d.Has(isa.WCc) {
		Addc(d)
		return
	}
	sub := d.In.Op == isa.WSub
	f := func(a, b uint64) uint64 { return a + b }
	if sub {
		f = func(a, b uint64) uint64 { return a - b }
	}
	if d.Has(isa.WSat) { // s32 only
		f = func(a, b uint64) uint64 {
			x, y := machine.Sx(a, 32), machine.Sx(b, 32)
			if sub {
				y = -y
			}
			return clamp32(x + y)
		}
	}
	if _, ok := packedInt(t); ok {
		f = halves(f)
	}
	d.Same2(t, f)
}

func clamp32(v int64) uint64 { return uint64(min(max(v, -1<<31), 1<<31-1)) }

// Addc is the additions that take or leave a carry. A difference is the sum
// with the complement and one: it leaves the carry of that, which is none
// where it borrows.
func Addc(d *machine.Decoder) {
	t := d.Type(0)
	op := d.In.Op
	in := op == isa.WAddc || op == isa.WSubc
	sub := op == isa.WSub || op == isa.WSubc
	out := d.Has(isa.WCc)
	n := t.Bits()
	p, a, b := d.Dst(0), d.Src(1, t), d.Src(2, t)
	d.Out.Run = func(w *machine.Warp) {
		x, y := w.Col(&a, 0), w.Col(&b, 1)
		r := w.Write(p)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			c := uint64(0)
			if in {
				c = w.Carry[l]
			}
			var s, cc uint64
			if sub && in {
				c = 1 - c
			}
			if sub {
				s, cc = bits.Sub64(x[l], y[l], c)
			} else {
				s, cc = bits.Add64(x[l], y[l], c)
			}
			if n == 32 {
				cc = s >> 32 & 1
			}
			if sub {
				cc = 1 - cc
			}
			if out {
				w.Carry[l] = cc
			}
			r[l] = s & p.Mask
		}
	}
}

// Madc is the multiply-adds that take or leave a carry.
func Madc(d *machine.Decoder) {
	t := d.Type(0)
	in, out := d.In.Op == isa.WMadc, d.Has(isa.WCc)
	hi := d.Has(isa.WHi)
	d.Ignore(isa.WLo)
	n := t.Bits()
	p, a, b, c := d.Dst(0), d.Src(1, t), d.Src(2, t), d.Src(3, t)
	d.Out.Run = func(w *machine.Warp) {
		x, y, z := w.Col(&a, 0), w.Col(&b, 1), w.Col(&c, 2)
		r := w.Write(p)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			prod := product(x[l], y[l], t, hi)
			ci := uint64(0)
			if in {
				ci = w.Carry[l]
			}
			s, cc := bits.Add64(prod&machine.Low(n), z[l], ci)
			if n == 32 {
				cc = s >> 32 & 1
			}
			if out {
				w.Carry[l] = cc
			}
			r[l] = s & p.Mask
		}
	}
}

// product returns the low or high half of a product of type t.
func product(a, b uint64, t isa.Type, hi bool) uint64 {
	n := t.Bits()
	x, y := machine.Extend(a, t), machine.Extend(b, t)
	if !hi {
		return x * y
	}
	if n < 64 {
		if machine.Signed(t) {
			return uint64(int64(x) * int64(y) >> n)
		}
		return x * y >> n
	}
	h, _ := bits.Mul64(x, y)
	if machine.Signed(t) {
		if int64(x) < 0 {
			h -= y
		}
		if int64(y) < 0 {
			h -= x
		}
	}
	return h
}

// Mul is mul.
func Mul(d *machine.Decoder) {
	t := d.Type(0)
	if IsFloat(t) {
		floatMul(d, t)
		return
	}
	hi, wide := d.Has(isa.WHi), d.Has(isa.WWide)
	d.Ignore(isa.WLo)
	if wide {
		d.Same2(t, func(a, b uint64) uint64 { return machine.Extend(a, t) * machine.Extend(b, t) })
		return
	}
	d.Same2(t, func(a, b uint64) uint64 { return product(a, b, t, hi) })
}

// Mad is mad; of floats it is fma.
func Mad(d *machine.Decoder) {
	t := d.Type(0)
	if IsFloat(t) {
		Fma(d)
		return
	}
	if d.Has(isa.WCc) {
		Madc(d)
		return
	}
	hi, wide, sat := d.Has(isa.WHi), d.Has(isa.WWide), d.Has(isa.WSat)
	d.Ignore(isa.WLo)
	p, a, b := d.Dst(0), d.Src(1, t), d.Src(2, t)
	ct := t
	if wide {
		ct = isa.B64
		if t.Bits() == 16 {
			ct = isa.B32
		}
	}
	c := d.Src(3, ct)
	switch {
	case wide:
		d.Map3(p, a, b, c, func(a, b, c uint64) uint64 { return machine.Extend(a, t)*machine.Extend(b, t) + c })
	case sat: // mad.hi.sat.s32
		d.Map3(p, a, b, c, func(a, b, c uint64) uint64 { return clamp32(int64(product(a, b, t, true)) + machine.Sx(c, 32)) })
	default:
		d.Map3(p, a, b, c, func(a, b, c uint64) uint64 { return product(a, b, t, hi) + c })
	}
}

// Mul24 is mul24 and mad24: the low or the high 32 bits of the 48-bit
// product of 24-bit numbers.
func Mul24(d *machine.Decoder) {
	t := d.Type(0)
	hi, sat := d.Has(isa.WHi), d.Has(isa.WSat)
	d.Ignore(isa.WLo)
	f := func(a, b uint64) uint64 {
		x, y := a&machine.Low(24), b&machine.Low(24)
		if machine.Signed(t) {
			x, y = uint64(machine.Sx(a, 24)), uint64(machine.Sx(b, 24))
		}
		r := x * y
		if hi {
			r = uint64(int64(r) >> 16)
		}
		return r & machine.Low(32)
	}
	if d.In.Op == isa.WMul24 {
		d.Same2(t, f)
		return
	}
	d.Same3(t, func(a, b, c uint64) uint64 {
		if sat {
			return clamp32(machine.Sx(f(a, b), 32) + machine.Sx(c, 32))
		}
		return f(a, b) + c
	})
}

// Sad is the sum of absolute differences.
func Sad(d *machine.Decoder) {
	t := d.Type(0)
	d.Same3(t, func(a, b, c uint64) uint64 {
		if Less(a, b, t) {
			a, b = b, a
		}
		return c + a - b
	})
}

// Less compares integers of type t.
func Less(a, b uint64, t isa.Type) bool {
	if machine.Signed(t) {
		return int64(machine.Extend(a, t)) < int64(machine.Extend(b, t))
	}
	return machine.Extend(a, t) < machine.Extend(b, t)
}

// Div divides. By zero every bit of the quotient is set, as the machine's
// expansion gives it; PTX leaves it open.
func Div(d *machine.Decoder) {
	t := d.Type(0)
	if IsFloat(t) {
		floatDiv(d, t)
		return
	}
	d.Same2(t, func(a, b uint64) uint64 {
		x, y := machine.Extend(a, t), machine.Extend(b, t)
		switch {
		case y == 0:
			return ^uint64(0)
		case !machine.Signed(t):
			return x / y
		case int64(y) == -1:
			return -x
		}
		return uint64(int64(x) / int64(y))
	})
}

// Rem is the remainder; its sign is the dividend's.
func Rem(d *machine.Decoder) {
	t := d.Type(0)
	d.Same2(t, func(a, b uint64) uint64 {
		x, y := machine.Extend(a, t), machine.Extend(b, t)
		switch {
		case y == 0: // the machine's answer
			return ^uint64(0)
		case !machine.Signed(t):
			return x % y
		case int64(y) == -1:
			return 0
		}
		return uint64(int64(x) % int64(y))
	})
}

// Abs is abs.
func Abs(d *machine.Decoder) {
	t := d.Type(0)
	if IsFloat(t) {
		floatAbs(d, t)
		return
	}
	d.Same1(t, func(a uint64) uint64 {
		if x := machine.Extend(a, t); int64(x) < 0 {
			return -x
		}
		return a
	})
}

// Neg is neg.
func Neg(d *machine.Decoder) {
	t := d.Type(0)
	if IsFloat(t) {
		floatNeg(d, t)
		return
	}
	d.Same1(t, func(a uint64) uint64 { return -a })
}

// Minmax is min and max.
func Minmax(d *machine.Decoder) {
	t := d.Type(0)
	if IsFloat(t) {
		floatMinmax(d, t)
		return
	}
	one, packed := packedInt(t)
	want, relu := d.In.Op == isa.WMin, d.Has(isa.WRelu)
	f := func(a, b uint64) uint64 {
		r := a
		if Less(b, a, one) == want {
			r = b
		}
		if relu && int64(machine.Extend(r, one)) < 0 {
			r = 0
		}
		return r
	}
	if packed {
		f = halves(f)
	}
	d.Same2(t, f)
}

// Dp4a adds four products of bytes.
func Dp4a(d *machine.Decoder) {
	ta, tb := byteType(d.Type(0)), byteType(d.Type(1))
	d.Map3(d.Dst(0), d.Src(1, isa.B32), d.Src(2, isa.B32), d.Src(3, isa.B32), func(a, b, c uint64) uint64 {
		for k := 0; k < 32; k += 8 {
			c += machine.Extend(a>>k, ta) * machine.Extend(b>>k, tb)
		}
		return c
	})
}

// Dp2a adds two products of halves and bytes.
func Dp2a(d *machine.Decoder) {
	ta, tb := isa.U16, byteType(d.Type(1))
	if machine.Signed(d.Type(0)) {
		ta = isa.S16
	}
	at := 0
	if d.Has(isa.WHi) {
		at = 16
	}
	d.Ignore(isa.WLo)
	d.Map3(d.Dst(0), d.Src(1, isa.B32), d.Src(2, isa.B32), d.Src(3, isa.B32), func(a, b, c uint64) uint64 {
		return c + machine.Extend(a, ta)*machine.Extend(b>>at, tb) + machine.Extend(a>>16, ta)*machine.Extend(b>>(at+8), tb)
	})
}

func byteType(t isa.Type) isa.Type {
	if machine.Signed(t) {
		return isa.S8
	}
	return isa.U8
}
