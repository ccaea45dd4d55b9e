package fp

import "math"

// Fast paths on the host's arithmetic. They serve f32 and f64, and f16 and
// bf16 by way of f64, under round-to-nearest without clamps, and hand every
// NaN, and results near the subnormals where they need care, back to the
// generic code.

// plain reports whether m asks for nothing but nearest rounding and .ftz.
func (m Mode) plain() bool { return m.Round == RN && !m.Sat && !m.SatFinite && !m.Relu }

func bits32(x float32) uint64 { return uint64(math.Float32bits(x)) }
func from32(x uint64) float32 { return math.Float32frombits(uint32(x)) }
func from64(x uint64) float64 { return math.Float64frombits(x) }

// least32 is the least normal f32.
const least32 = 0x1p-126

// done32 accepts a host result unless the generic code must decide.
func done32(r float32, m Mode) (uint64, bool) {
	if r != r || m.Ftz && r <= least32 && r >= -least32 {
		return 0, false
	}
	return bits32(r), true
}

func done64(r float64) (uint64, bool) { return math.Float64bits(r), r == r }

// host32 reports whether f32 operands may take the fast path: .ftz inputs
// that are subnormal are flushed by the caller through flush32.
func (f Format) host32(m Mode) bool { return f == F32 && m.plain() }

func (f Format) host64(m Mode) bool { return f == F64 && m.plain() && !m.Ftz }

func flush32(x uint64, m Mode) float32 {
	if m.Ftz {
		x = F32.Flush(x)
	}
	return from32(x)
}

func (f Format) fastAdd(a, b uint64, m Mode) (uint64, bool) {
	switch {
	case f.host32(m):
		return done32(flush32(a, m)+flush32(b, m), m)
	case f.host64(m):
		return done64(from64(a) + from64(b))
	case f.hostHalf(m):
		return f.doneHalf(sumOdd(f.wide(a), f.wide(b)))
	}
	return 0, false
}

func (f Format) fastMul(a, b uint64, m Mode) (uint64, bool) {
	switch {
	case f.host32(m):
		return done32(flush32(a, m)*flush32(b, m), m)
	case f.host64(m):
		return done64(from64(a) * from64(b))
	case f.hostHalf(m):
		return f.doneHalf(f.wide(a) * f.wide(b))
	}
	return 0, false
}

func (f Format) fastDiv(a, b uint64, m Mode) (uint64, bool) {
	switch {
	case f.host32(m):
		return done32(flush32(a, m)/flush32(b, m), m)
	case f.host64(m):
		return done64(from64(a) / from64(b))
	}
	return 0, false
}

func (f Format) fastSqrt(a uint64, m Mode) (uint64, bool) {
	switch {
	case f.host32(m):
		// The f64 root of an f32 rounds to the right f32: 53 ≥ 2·24+2 bits.
		return done32(float32(math.Sqrt(float64(flush32(a, m)))), m)
	case f.host64(m):
		return done64(math.Sqrt(from64(a)))
	}
	return 0, false
}

func (f Format) fastFma(a, b, c uint64, m Mode) (uint64, bool) {
	switch {
	case f.host32(m):
		return done32(fma32(flush32(a, m), flush32(b, m), flush32(c, m)), m)
	case f.host64(m):
		return done64(math.FMA(from64(a), from64(b), from64(c)))
	case f.hostHalf(m):
		return f.doneHalf(sumOdd(f.wide(a)*f.wide(b), f.wide(c)))
	}
	return 0, false
}

// fma32 is a·b+c rounded once. The product is exact in f64; the sum is
// rounded to odd there, so the second rounding sees every lost bit.
func fma32(a, b, c float32) float32 {
	return float32(sumOdd(float64(a)*float64(b), float64(c)))
}

// sumOdd is p+z rounded to odd: an inexact sum gets an odd last bit. Rounding
// it again to a format with at least two bits fewer gives what one rounding
// of the exact sum would.
func sumOdd(p, z float64) float64 {
	s := p + z
	if s-s != 0 {
		return s // infinite or NaN
	}
	// Knuth's exact error of the sum.
	t := s - p
	e := (p - (s - t)) + (z - t)
	if e == 0 {
		return s
	}
	u := math.Float64bits(s)
	if u&1 == 0 {
		// Step toward the error: away from zero when it has the sign of s.
		if (e > 0) == (s > 0) {
			u++
		} else {
			u--
		}
	}
	return math.Float64frombits(u)
}

func (f Format) hostHalf(m Mode) bool { return (f == F16 || f == BF16) && m.plain() && !m.Ftz }

// wide returns a finite f16 or bf16 as f64; infinities and NaNs become NaN,
// which doneHalf hands back.
func (f Format) wide(x uint64) float64 {
	l := &layouts[f]
	mag := x & l.mag
	if mag >= l.inf {
		return math.NaN()
	}
	if mag < l.least {
		r := float64(mag) * math.Float64frombits(uint64(1024-int(l.bias)-int(l.man))<<52)
		if x&l.sign != 0 {
			return -r
		}
		return r
	}
	return math.Float64frombits(x&l.sign<<48 | (mag<<(52-l.man) + uint64(1023-int(l.bias))<<52))
}

// doneHalf rounds an f64 (exact, or rounded to odd) to f16 or bf16 when the
// result is a normal number or zero.
func (f Format) doneHalf(s float64) (uint64, bool) {
	l := &layouts[f]
	u := math.Float64bits(s)
	sign := u >> 63 << 15
	u &^= 1 << 63
	if u == 0 {
		return sign, true
	}
	drop := 52 - l.man
	u += 1<<(drop-1) - 1 + u>>drop&1
	r := int64(u>>drop) - int64(1023-int(l.bias))<<l.man
	if r < int64(l.least) || r > int64(l.max) || u < uint64(1024-int(l.bias))<<52 {
		return 0, false
	}
	return sign | uint64(r), true
}
