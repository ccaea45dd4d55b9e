package fp

import "math"

// Fast paths on the host's arithmetic. They serve f32 and f64 under
// round-to-nearest without clamps, and hand every NaN, and with .ftz every
// result near the subnormals, back to the generic code.

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
	}
	return 0, false
}

func (f Format) fastMul(a, b uint64, m Mode) (uint64, bool) {
	switch {
	case f.host32(m):
		return done32(flush32(a, m)*flush32(b, m), m)
	case f.host64(m):
		return done64(from64(a) * from64(b))
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
	}
	return 0, false
}

// fma32 is a·b+c rounded once. The product is exact in f64; the sum is
// rounded to odd there, so the second rounding sees every lost bit.
func fma32(a, b, c float32) float32 {
	p, z := float64(a)*float64(b), float64(c)
	s := p + z
	if s-s != 0 {
		return float32(s) // infinite or NaN
	}
	// Knuth's exact error of the sum.
	t := s - p
	e := (p - (s - t)) + (z - t)
	if e != 0 {
		u := math.Float64bits(s)
		if u&1 == 0 {
			// Step toward the error: away from zero when it has the sign of s.
			if (e > 0) == (s > 0) {
				u++
			} else {
				u--
			}
		}
		s = math.Float64frombits(u)
	}
	return float32(s)
}
