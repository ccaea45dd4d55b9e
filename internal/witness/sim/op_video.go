package sim

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
func viadd(w *warp, i *inst, m uint32) {
	a, b, d := w.vsrc(i, 0), w.vsrc(i, 1), &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		d[l] = vadd(i, a[l], b[l])
	}
}

// vsrc returns source k, each of its pieces negated where it is marked.
func (w *warp) vsrc(i *inst, k int) *[32]uint32 {
	s := &i.s[k]
	if i.sub == v32 || !s.neg {
		return w.isrc(s, k)
	}
	t := &w.tmp[k]
	for l, v := range w.row(s.row) {
		t[l] = pieces(i.sub, 0, v, func(a, b uint32, _ uint) uint32 { return a - b })
	}
	return t
}

func vadd(i *inst, a, b uint32) uint32 {
	if !i.mode.Sat {
		return pieces(i.sub, a, b, func(a, b uint32, _ uint) uint32 { return a + b })
	}
	return pieces(i.sub, a, b, func(a, b uint32, bits uint) uint32 {
		if !i.it.Signed {
			return uint32(min(uint64(a)+uint64(b), 1<<bits-1))
		}
		s := int64(int32(piece(a, bits, true))) + int64(int32(piece(b, bits, true)))
		return uint32(min(max(s, -1<<(bits-1)), 1<<(bits-1)-1))
	})
}

// minmax picks the lesser or the greater of each piece.
func minmax(i *inst, a, b uint32, least bool) uint32 {
	return pieces(i.sub, a, b, func(a, b uint32, bits uint) uint32 {
		less := a < b
		if i.it.Signed {
			less = int32(a<<(32-bits)) < int32(b<<(32-bits))
		}
		r := b
		if less == least {
			r = a
		}
		if i.has(fRELU) && r>>(bits-1)&1 != 0 {
			r = 0
		}
		return r
	})
}

// VIMNMX and IMNMX: the lesser where the predicate holds, else the greater.
func vimnmx(w *warp, i *inst, m uint32) {
	a, b, d, p := w.row(i.s[0].row), w.row(i.s[1].row), &w.r[i.d[0]], w.pred(i.ps[0])
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		d[l] = minmax(i, a[l], b[l], p>>l&1 != 0)
	}
}

// VIMNMX3: the same of three.
func vimnmx3(w *warp, i *inst, m uint32) {
	a, b, c, d, p := w.row(i.s[0].row), w.row(i.s[1].row), w.row(i.s[2].row), &w.r[i.d[0]], w.pred(i.ps[0])
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		least := p>>l&1 != 0
		plain := *i
		plain.flags &^= fRELU
		d[l] = minmax(i, minmax(&plain, a[l], b[l], least), c[l], least)
	}
}

// VIADDMNMX: (a+b) against c.
func viaddmnmx(w *warp, i *inst, m uint32) {
	a, b, c, d, p := w.row(i.s[0].row), w.vsrc(i, 1), w.row(i.s[2].row), &w.r[i.d[0]], w.pred(i.ps[0])
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		d[l] = minmax(i, vadd(i, a[l], b[l]), c[l], p>>l&1 != 0)
	}
}

// VABSDIFF: |a-b|+c.
func vabsdiff(w *warp, i *inst, m uint32) {
	a, b, c, d := w.row(i.s[0].row), w.row(i.s[1].row), w.row(i.s[2].row), &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		x := int64(int32(a[l])) - int64(int32(b[l]))
		if i.has(fU32) {
			x = int64(a[l]) - int64(b[l])
		}
		if x < 0 {
			x = -x
		}
		d[l] = uint32(x) + c[l]
	}
}

// VABSDIFF4: byte by byte; with .ACC the bytes are summed onto c.
func vabsdiff4(w *warp, i *inst, m uint32) {
	a, b, c, d := w.row(i.s[0].row), w.row(i.s[1].row), w.row(i.s[2].row), &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		var r, sum uint32
		for k := 0; k < 32; k += 8 {
			x, y := int32(a[l]>>k&0xff), int32(b[l]>>k&0xff)
			if i.it.Signed {
				x, y = int32(int8(x)), int32(int8(y))
			}
			v := uint32(max(x-y, y-x))
			r |= v & 0xff << k
			sum += v
		}
		if i.has(fACC) {
			r = sum + c[l]
		}
		d[l] = r
	}
}

// IDP: c plus the products of bytes (4A), or of halves of a with two bytes
// of b (2A).
func idp(w *warp, i *inst, m uint32) {
	a, b, c, d := w.row(i.s[0].row), w.row(i.s[1].row), w.isrc(&i.s[2], 2), &w.r[i.d[0]]
	as, bs := i.sub&idpA != 0, i.sub&idpB != 0
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		sum := c[l]
		if i.sub&idp2A == 0 {
			for k := 0; k < 32; k += 8 {
				sum += piece(a[l]>>k, 8, as) * piece(b[l]>>k, 8, bs)
			}
		} else {
			from := 0
			if i.has(fHI) {
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
func i2i(w *warp, i *inst, m uint32) {
	a, d := w.row(i.s[0].row), &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		d[l] = saturate(int32(a[l]), uint(i.it.Bits), i.it.Signed, false)
	}
}

// I2IP: a and b clamped and packed below c.
func i2ip(w *warp, i *inst, m uint32) {
	a, b, c, d := w.row(i.s[0].row), w.row(i.s[1].row), w.row(i.s[2].row), &w.r[i.d[0]]
	n := uint(i.it.Bits)
	mask := uint32(1)<<n - 1
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		x, y, z := a[l], b[l], c[l]
		if i.mode.Sat || i.has(fRELU) {
			x, y = saturate(int32(x), n, i.it.Signed, i.has(fRELU)), saturate(int32(y), n, i.it.Signed, i.has(fRELU))
		}
		if i.has(fH1) {
			z >>= 16
		}
		d[l] = y&mask | x&mask<<n | uint32(uint64(z)<<(2*n))
	}
}
