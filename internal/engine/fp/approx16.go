package fp

import "math"

// Approximate functions on formats other than f32: ex2 and tanh of f16 and
// bf16, and the coarse f64 reciprocals that seed division and square root.

// ApproxHalf is PTX's ex2.approx, tanh.approx of f16 or bf16. Subnormal
// results are kept; ex2 of bf16 exists only with .ftz.
func (u Unit) ApproxHalf(f Format, fn Func, x uint64, ftz bool) Value {
	if ftz {
		x = f.Flush(x)
	}
	wide := uint32(Convert(f, F32, x, Mode{}))
	if r, ok := special(fn, wide); ok {
		return Value{Convert(F32, f, uint64(r), Mode{Ftz: ftz}), f.IsNaN(x) || f.IsInf(x) || f.IsZero(x)}
	}
	m := Mode{Ftz: ftz}
	return Value{f.Pack(F64.Unpack(math.Float64bits(ideal(fn, float64(math.Float32frombits(wide))))), m), false}
}

// nanHigh is the NaN of the coarse f64 functions: the f32 NaN as high word.
const nanHigh = nan32 << 32

// Approx64 is PTX's rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: only the
// high word of x counts and the low word of the result is zero. Other
// functions have no f64 form and give NaN.
func (u Unit) Approx64(fn Func, x uint64) Value {
	x &^= 0xffffffff
	x = F64.Flush(x)
	n := F64.Unpack(x)
	if fn != RcpFn && fn != RsqFn || n.Kind == NaN || fn == RsqFn && n.Neg && n.Kind != Zero {
		return Value{nanHigh, true}
	}
	switch n.Kind {
	case Zero:
		return Value{F64.Inf(n.Neg), true}
	case Inf:
		return Value{F64.Zero(n.Neg), true}
	}
	r := math.Float64bits(ideal(fn, math.Float64frombits(x)))
	return Value{F64.Flush(r) &^ 0xffffffff, false}
}
