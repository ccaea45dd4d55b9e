package fp

// Convert returns x of the format from as a number of the format to. .ftz
// flushes subnormal f32 inputs and results only; the narrow formats are
// always exact. Values convert with one rounding.
func Convert(from, to Format, x uint64, m Mode) uint64 {
	if from.IsNaN(x) {
		return convertNaN(from, to, x, m)
	}
	if m.Ftz && from == F32 {
		x = from.Flush(x)
	}
	if m.Ftz && to != F32 {
		m.Ftz = false
	}
	return to.Pack(from.Unpack(x), m)
}

// convertNaN follows the machine (measured, h200_test.go): conversions to and
// from f64 keep sign and first payload bits and quiet the NaN, a bf16 becomes
// an f32 by shifting its bits, and every other conversion gives the
// destination's own NaN. .ftz before a widening to f64 is an addition, which
// makes the f32 NaN canonical.
func convertNaN(from, to Format, x uint64, m Mode) uint64 {
	if m.Sat {
		return to.Zero(false)
	}
	switch {
	case from == BF16 && to == F32 && !m.Relu:
		return x & 0xffff << 16
	case from == F32 && to == F64 && m.Ftz:
		return payloadNaN(to, from.Unpack(from.NaN()))
	case (from == F64 || to == F64) && layouts[from].nan == nanIEEE && layouts[to].nan == nanIEEE:
		return payloadNaN(to, from.Unpack(x))
	}
	return to.NaN()
}

// payloadNaN writes a quiet NaN with the sign and the first payload bits of n.
func payloadNaN(to Format, n Num) uint64 {
	l := &layouts[to]
	frac := (n.Hi | 1<<63) >> (64 - l.man)
	return to.withSign(to.infMag()|frac<<l.shift, n.Neg)
}

// RoundToInt rounds x to an integral number of the same format. The sign of
// a zero result is that of x.
func (f Format) RoundToInt(x uint64, m Mode) uint64 {
	if m.Ftz {
		x = f.Flush(x)
	}
	if f.IsNaN(x) {
		return f.nanResult(m, x)
	}
	n := f.Unpack(x)
	if n.Kind == Finite && n.Exp < int(layouts[f].man) {
		v := cut(n, top-n.Exp, m.Round)
		neg := n.Neg
		n = FromUint(v, neg)
		n.Neg = neg
	}
	return f.Pack(n, m)
}

// Int is an integer type.
type Int struct {
	Bits   uint8 // 8, 16, 32 or 64
	Signed bool
}

// max returns the greatest value.
func (t Int) max() uint64 {
	if t.Signed {
		return 1<<(t.Bits-1) - 1
	}
	return ^uint64(0) >> (64 - t.Bits)
}

// Extend returns the low bits of v sign- or zero-extended to 64 bits.
func (t Int) Extend(v uint64) uint64 {
	s := 64 - t.Bits
	if t.Signed {
		return uint64(int64(v<<s) >> s)
	}
	return v << s >> s
}

// ToInt rounds x to an integer and clamps it to the type; the result is
// extended to 64 bits. With ftz a subnormal f32 counts as zero.
func (f Format) ToInt(x uint64, t Int, r Round, ftz bool) uint64 {
	if ftz && f == F32 {
		x = f.Flush(x)
	}
	if f.IsNaN(x) {
		return f.nanToInt(t)
	}
	n := f.Unpack(x)
	limit := t.max()
	if n.Neg {
		limit = 0
		if t.Signed {
			limit = t.max() + 1
		}
	}
	var v uint64
	switch {
	case n.Kind == Inf || n.Kind == Finite && n.Exp >= 64:
		v = limit
	case n.Kind == Finite:
		v = min(cutWide(n, r), limit)
	}
	if n.Neg {
		v = -v
	}
	return v
}

// cutWide rounds a number below 2^64 to an integer; a value that rounds up
// to 2^64 gives the greatest uint64, which every clamp treats alike.
func cutWide(n Num, r Round) uint64 {
	if n.Exp < 63 {
		return cut(n, top-n.Exp, r)
	}
	// Exp is 63: the integer part is bits 126 to 63, the rest below.
	v := n.Hi<<1 | n.Lo>>63
	half, rest := n.Lo>>62&1 != 0, n.Lo<<2 != 0
	if roundUp(r, n.Neg, v&1 != 0, half, rest) && v != ^uint64(0) {
		v++
	}
	return v
}

// nanToInt is the integer a NaN becomes: the unit that converts from f64 or
// to 64 bits gives the type's first bit alone, signed or not; the other gives
// 0.
func (f Format) nanToInt(t Int) uint64 {
	if f == F64 || t.Bits == 64 {
		return t.Extend(1 << (t.Bits - 1))
	}
	return 0
}

// FromInt returns the integer v of type t (its low bits count) as a number.
func (f Format) FromInt(v uint64, t Int, m Mode) uint64 {
	v = t.Extend(v)
	neg := t.Signed && int64(v) < 0
	if neg {
		v = -v
	}
	return f.Pack(FromUint(v, neg), m)
}
