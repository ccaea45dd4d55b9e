package fp

import "math"

// FoldApprox is what a compiler may put in place of fn.approx{.ftz}.f32 of a
// constant: the reference computes the correctly rounded value, not the
// unit's. ok is false where it leaves the instruction: tanh, arguments and
// results that are no numbers, and the logarithm of zero.
func FoldApprox(fn Func, x uint32, ftz bool) (r uint32, ok bool) {
	a := uint64(x)
	if fn == SinFn || fn == CosFn { // subnormals count as zeros in any case
		ftz = true
	}
	if ftz {
		a = F32.Flush(a)
	}
	m := Mode{Ftz: ftz}
	v := float64(math.Float32frombits(uint32(a)))
	var y uint64
	switch fn {
	case RcpFn:
		y = F32.Rcp(a, m)
	case SqrtFn:
		y = F32.Sqrt(a, m)
	case RsqFn:
		y = round64(1/math.Sqrt(v), m)
	case Ex2Fn:
		y = round64(math.Exp2(v), m)
	case Lg2Fn:
		if v == 0 {
			return 0, false
		}
		y = round64(log2(v), m)
	case SinFn:
		y = round64(math.Sin(v), m)
	case CosFn:
		y = round64(math.Cos(v), m)
	default:
		return 0, false
	}
	return uint32(y), !F32.IsNaN(a) && !F32.IsNaN(y)
}

// round64 rounds an f64 once.
func round64(v float64, m Mode) uint64 { return Convert(F64, F32, math.Float64bits(v), m) }

// log2 keeps its relative accuracy around one.
func log2(v float64) float64 {
	if v > 0.5 && v < 2 {
		return math.Log1p(v-1) / math.Ln2
	}
	return math.Log2(v)
}
