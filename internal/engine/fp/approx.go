package fp

// The approximate functions: what the multi-function unit of the machine
// gives for every argument (mufu.go), and what PTX's .approx instructions make
// of it, to the last bit.

// Func is a function of the multi-function unit.
type Func uint8

// The functions. SinFn and CosFn take their argument in turns, as the unit
// does; PTX's sin and cos multiply by 1/2π first (see Approx).
const (
	RcpFn Func = iota
	RsqFn
	SqrtFn
	Ex2Fn
	Lg2Fn
	SinFn
	CosFn
	TanhFn
	NumFuncs
)

var funcNames = [NumFuncs]string{"rcp", "rsqrt", "sqrt", "ex2", "lg2", "sin", "cos", "tanh"}

// String returns the PTX name.
func (fn Func) String() string {
	if fn < NumFuncs {
		return funcNames[fn]
	}
	return "func?"
}

const (
	nan32 = 0x7fffffff
	inf32 = 0x7f800000
	neg32 = 0x80000000
	one32 = 0x3f800000
)

// Approx is PTX's fn.approx{.ftz}.f32 as the reference compiler expands it
// around the unit: scaling keeps subnormals out of the unit when .ftz is not
// given. sin and cos are the same either way.
func Approx(fn Func, x uint32, ftz bool) uint32 {
	switch fn {
	case SinFn, CosFn:
		// FMUL.RZ by the f32 below 1/2π.
		return Mufu(fn, uint32(F32.Mul(uint64(x), 0x3e22f983, Mode{Round: RZ})))
	case TanhFn:
		return Mufu(fn, x)
	}
	if ftz {
		return Mufu(fn, x)
	}
	small := x&^neg32 < 1<<23
	switch {
	case fn == RcpFn:
		scale := scaleOf(x, true)
		return mul32(Mufu(fn, mul32(scale, x)), scale)
	case fn == Ex2Fn && LT.Holds(F32.Relate(uint64(x), 0xc2fc0000, false)): // below -126
		r := Mufu(fn, mul32(x, 0x3f000000))
		return mul32(r, r)
	case fn == Ex2Fn || !small:
		return Mufu(fn, x)
	}
	r := Mufu(fn, mul32(x, 0x4b800000))
	switch fn {
	case RsqFn:
		return mul32(r, 0x45800000) // 2^12
	case SqrtFn:
		return mul32(r, 0x39800000) // 2^-12
	}
	return uint32(F32.Add(uint64(r), 0xc1c00000, Mode{})) // lg2: -24
}

// ApproxDiv is PTX's div.approx{.ftz}.f32 and div.full{.ftz}.f32: a times the
// unit's reciprocal of b, both scaled where that of b would be lost.
func ApproxDiv(a, b uint32, full, ftz bool) uint32 {
	m := Mode{Ftz: ftz}
	mul := func(x, y uint32) uint32 { return uint32(F32.Mul(uint64(x), uint64(y), m)) }
	scale := scaleOf(b, full)
	if scale != one32 && (!ftz || b&^neg32 >= 1<<23) {
		a, b = mul(a, scale), mul(b, scale)
	}
	return mul(Mufu(RcpFn, b), a)
}

// scaleOf is the factor that brings a divisor into the range of the unit:
// 2^24 for subnormals, 1/4 above 2^126 if large divisors are looked at.
func scaleOf(b uint32, large bool) uint32 {
	switch mag := b &^ neg32; {
	case mag < 1<<23:
		return 0x4b800000
	case large && mag > 0x7e800000 && mag <= inf32:
		return 0x3e800000
	}
	return one32
}

func mul32(a, b uint32) uint32 { return uint32(F32.Mul(uint64(a), uint64(b), Mode{})) }

// ApproxHalf is PTX's ex2.approx and tanh.approx of f16 or bf16, and the
// unit's own operations on these: the f32 result, cut. Subnormal results are
// kept; ex2 of bf16 exists only with .ftz.
func ApproxHalf(f Format, fn Func, x uint64, ftz bool) uint64 {
	if ftz {
		x = f.Flush(x)
	}
	r := uint64(Mufu(fn, uint32(Convert(f, F32, x, Mode{}))))
	cut := Convert(F32, f, r, Mode{Round: RZ, Ftz: ftz})
	if f == F16 && r&^neg32 > 0x477fffff && r&^neg32 < inf32 { // from 2^16 on
		return F16.Inf(r&neg32 != 0)
	}
	return cut
}

// nanHigh is the NaN of the coarse f64 functions: the f32 NaN as high word.
const nanHigh = nan32 << 32

// Approx64 is PTX's rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: only the
// high word of x counts and the low word of the result is zero. The fraction
// is the first bits of the f32 function's. Other functions have no f64 form
// and give NaN.
func Approx64(fn Func, x uint64) uint64 {
	x = F64.Flush(x &^ 0xffffffff)
	n := F64.Unpack(x)
	if fn != RcpFn && fn != RsqFn || n.Kind == NaN || fn == RsqFn && n.Neg && n.Kind != Zero {
		return nanHigh
	}
	switch n.Kind {
	case Zero:
		return F64.Inf(n.Neg)
	case Inf:
		return F64.Zero(n.Neg)
	}
	const bias64, high = 1023, 20
	e := int(x>>52&0x7ff) - bias64
	m := uint32(x>>32) & (1<<high - 1) << (23 - high)
	var r uint32
	if fn == RcpFn {
		r = table(fn, bias32<<23|m)
	} else {
		r = table(fn, uint32(bias32+e&1)<<23|m)
		e >>= 1
	}
	exp := int(r>>23) - bias32 - e
	if exp < 1-bias64 {
		return x & (1 << 63)
	}
	return x&(1<<63) | uint64(exp+bias64)<<52 | uint64(r>>(23-high)&(1<<high-1))<<32
}
