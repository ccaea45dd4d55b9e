package fp

import "math"

// Stochastic converts an f32 to a narrower format by stochastic rounding (PTX
// ISA, cvt.rs): the n random bits of r are added to the bits that are cut
// off, at their upper end, and a carry makes the result the next one away
// from zero.
func Stochastic(to Format, x uint64, m Mode, r uint64, n int) uint64 {
	m.Round = RZ
	down := Convert(F32, to, x, m)
	v := math.Abs(float64(math.Float32frombits(uint32(x))))
	if F32.IsNaN(x) || math.IsInf(v, 0) || m.Relu && x>>31&1 != 0 {
		return down
	}
	low, up := magnitude(to, down), down+1
	ulp := magnitude(to, up) - low
	if !(ulp > 0) || math.IsInf(ulp, 0) { // above the largest number
		if m.SatFinite {
			return down
		}
		ulp = low - magnitude(to, down-1)
	}
	if one := math.Ldexp(1, n); math.Floor((v-low)/ulp*one)+float64(r) >= one {
		return up
	}
	return down
}

// magnitude is the absolute value of a number.
func magnitude(f Format, x uint64) float64 {
	return math.Abs(math.Float64frombits(Convert(f, F64, x, Mode{})))
}
