package ptxvm

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// isFloat reports whether an instruction of type t is one on floats.
func isFloat(t isa.Type) bool { return t.IsFloat() }

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

// add is add and sub.
func (d *decoder) add() {
	t := d.typ(0)
	if isFloat(t) {
		d.floatAdd(t)
		return
	}
	if d.has(isa.WCc) {
		d.addc()
		return
	}
	sub := d.in.Op == isa.WSub
	f := func(a, b uint64) uint64 { return a + b }
	if sub {
		f = func(a, b uint64) uint64 { return a - b }
	}
	if d.has(isa.WSat) { // s32 only
		f = func(a, b uint64) uint64 {
			x, y := sx(a, 32), sx(b, 32)
			if sub {
				y = -y
			}
			return clamp32(x + y)
		}
	}
	if _, ok := packedInt(t); ok {
		f = halves(f)
	}
	d.same2(t, f)
}

func clamp32(v int64) uint64 { return uint64(min(max(v, -1<<31), 1<<31-1)) }

// addc is the additions that take or leave a carry. A difference is the sum
// with the complement and one: it leaves the carry of that, which is none
// where it borrows.
func (d *decoder) addc() {
	t := d.typ(0)
	op := d.in.Op
	in := op == isa.WAddc || op == isa.WSubc
	sub := op == isa.WSub || op == isa.WSubc
	out := d.has(isa.WCc)
	n := t.Bits()
	p, a, b := d.dst(0), d.src(1, t), d.src(2, t)
	d.out.run = func(w *warp) {
		x, y := w.col(&a, 0), w.col(&b, 1)
		r := w.write(p)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			c := uint64(0)
			if in {
				c = w.carry[l]
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
				w.carry[l] = cc
			}
			r[l] = s & p.mask
		}
	}
}

// madc is the multiply-adds that take or leave a carry.
func (d *decoder) madc() {
	t := d.typ(0)
	in, out := d.in.Op == isa.WMadc, d.has(isa.WCc)
	hi := d.has(isa.WHi)
	d.ignore(isa.WLo)
	n := t.Bits()
	p, a, b, c := d.dst(0), d.src(1, t), d.src(2, t), d.src(3, t)
	d.out.run = func(w *warp) {
		x, y, z := w.col(&a, 0), w.col(&b, 1), w.col(&c, 2)
		r := w.write(p)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			prod := product(x[l], y[l], t, hi)
			ci := uint64(0)
			if in {
				ci = w.carry[l]
			}
			s, cc := bits.Add64(prod&low(n), z[l], ci)
			if n == 32 {
				cc = s >> 32 & 1
			}
			if out {
				w.carry[l] = cc
			}
			r[l] = s & p.mask
		}
	}
}

// product returns the low or high half of a product of type t.
func product(a, b uint64, t isa.Type, hi bool) uint64 {
	n := t.Bits()
	x, y := extend(a, t), extend(b, t)
	if !hi {
		return x * y
	}
	if n < 64 {
		if signed(t) {
			return uint64(int64(x) * int64(y) >> n)
		}
		return x * y >> n
	}
	h, _ := bits.Mul64(x, y)
	if signed(t) {
		if int64(x) < 0 {
			h -= y
		}
		if int64(y) < 0 {
			h -= x
		}
	}
	return h
}

// mul is mul.
func (d *decoder) mul() {
	t := d.typ(0)
	if isFloat(t) {
		d.floatMul(t)
		return
	}
	hi, wide := d.has(isa.WHi), d.has(isa.WWide)
	d.ignore(isa.WLo)
	if wide {
		d.same2(t, func(a, b uint64) uint64 { return extend(a, t) * extend(b, t) })
		return
	}
	d.same2(t, func(a, b uint64) uint64 { return product(a, b, t, hi) })
}

// mad is mad; of floats it is fma.
func (d *decoder) mad() {
	t := d.typ(0)
	if isFloat(t) {
		d.fma()
		return
	}
	if d.has(isa.WCc) {
		d.madc()
		return
	}
	hi, wide, sat := d.has(isa.WHi), d.has(isa.WWide), d.has(isa.WSat)
	d.ignore(isa.WLo)
	p, a, b := d.dst(0), d.src(1, t), d.src(2, t)
	ct := t
	if wide {
		ct = isa.B64
		if t.Bits() == 16 {
			ct = isa.B32
		}
	}
	c := d.src(3, ct)
	switch {
	case wide:
		d.map3(p, a, b, c, func(a, b, c uint64) uint64 { return extend(a, t)*extend(b, t) + c })
	case sat: // mad.hi.sat.s32
		d.map3(p, a, b, c, func(a, b, c uint64) uint64 { return clamp32(int64(product(a, b, t, true)) + sx(c, 32)) })
	default:
		d.map3(p, a, b, c, func(a, b, c uint64) uint64 { return product(a, b, t, hi) + c })
	}
}

// mul24 is mul24 and mad24: the low or the high 32 bits of the 48-bit
// product of 24-bit numbers.
func (d *decoder) mul24() {
	t := d.typ(0)
	hi, sat := d.has(isa.WHi), d.has(isa.WSat)
	d.ignore(isa.WLo)
	f := func(a, b uint64) uint64 {
		x, y := a&low(24), b&low(24)
		if signed(t) {
			x, y = uint64(sx(a, 24)), uint64(sx(b, 24))
		}
		r := x * y
		if hi {
			r = uint64(int64(r) >> 16)
		}
		return r & low(32)
	}
	if d.in.Op == isa.WMul24 {
		d.same2(t, f)
		return
	}
	d.same3(t, func(a, b, c uint64) uint64 {
		if sat {
			return clamp32(sx(f(a, b), 32) + sx(c, 32))
		}
		return f(a, b) + c
	})
}

// sad is the sum of absolute differences.
func (d *decoder) sad() {
	t := d.typ(0)
	d.same3(t, func(a, b, c uint64) uint64 {
		if less(a, b, t) {
			a, b = b, a
		}
		return c + a - b
	})
}

// less compares integers of type t.
func less(a, b uint64, t isa.Type) bool {
	if signed(t) {
		return int64(extend(a, t)) < int64(extend(b, t))
	}
	return extend(a, t) < extend(b, t)
}

// div divides. By zero every bit of the quotient is set, as the machine's
// expansion gives it; PTX leaves it open.
func (d *decoder) div() {
	t := d.typ(0)
	if isFloat(t) {
		d.floatDiv(t)
		return
	}
	d.same2(t, func(a, b uint64) uint64 {
		x, y := extend(a, t), extend(b, t)
		switch {
		case y == 0:
			return ^uint64(0)
		case !signed(t):
			return x / y
		case int64(y) == -1:
			return -x
		}
		return uint64(int64(x) / int64(y))
	})
}

// rem is the remainder; its sign is the dividend's.
func (d *decoder) rem() {
	t := d.typ(0)
	d.same2(t, func(a, b uint64) uint64 {
		x, y := extend(a, t), extend(b, t)
		switch {
		case y == 0: // the machine's answer
			return ^uint64(0)
		case !signed(t):
			return x % y
		case int64(y) == -1:
			return 0
		}
		return uint64(int64(x) % int64(y))
	})
}

// abs is abs.
func (d *decoder) abs() {
	t := d.typ(0)
	if isFloat(t) {
		d.floatAbs(t)
		return
	}
	d.same1(t, func(a uint64) uint64 {
		if x := extend(a, t); int64(x) < 0 {
			return -x
		}
		return a
	})
}

// neg is neg.
func (d *decoder) neg() {
	t := d.typ(0)
	if isFloat(t) {
		d.floatNeg(t)
		return
	}
	d.same1(t, func(a uint64) uint64 { return -a })
}

// minmax is min and max.
func (d *decoder) minmax() {
	t := d.typ(0)
	if isFloat(t) {
		d.floatMinmax(t)
		return
	}
	one, packed := packedInt(t)
	want, relu := d.in.Op == isa.WMin, d.has(isa.WRelu)
	f := func(a, b uint64) uint64 {
		r := a
		if less(b, a, one) == want {
			r = b
		}
		if relu && int64(extend(r, one)) < 0 {
			r = 0
		}
		return r
	}
	if packed {
		f = halves(f)
	}
	d.same2(t, f)
}

// dp4a adds four products of bytes.
func (d *decoder) dp4a() {
	ta, tb := byteType(d.typ(0)), byteType(d.typ(1))
	d.map3(d.dst(0), d.src(1, isa.B32), d.src(2, isa.B32), d.src(3, isa.B32), func(a, b, c uint64) uint64 {
		for k := 0; k < 32; k += 8 {
			c += extend(a>>k, ta) * extend(b>>k, tb)
		}
		return c
	})
}

// dp2a adds two products of halves and bytes.
func (d *decoder) dp2a() {
	ta, tb := isa.U16, byteType(d.typ(1))
	if signed(d.typ(0)) {
		ta = isa.S16
	}
	at := 0
	if d.has(isa.WHi) {
		at = 16
	}
	d.ignore(isa.WLo)
	d.map3(d.dst(0), d.src(1, isa.B32), d.src(2, isa.B32), d.src(3, isa.B32), func(a, b, c uint64) uint64 {
		return c + extend(a, ta)*extend(b>>at, tb) + extend(a>>16, ta)*extend(b>>(at+8), tb)
	})
}

func byteType(t isa.Type) isa.Type {
	if signed(t) {
		return isa.S8
	}
	return isa.U8
}
