package fp

import "math"

// The approximate functions. The multi-function unit of the machine
// interpolates in tables that are not public, so its last bits are unknown:
// PTX only bounds the error. A Unit computes what is fixed (specials, flushed
// results) exactly, takes the rest from a measured table where the caller has
// one, and else returns the correctly rounded value with Exact unset.

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

// Bound is an error limit of the PTX instruction on f32.
type Bound struct {
	Name string
	Ulp  float64 // units in the last place, 0 if the limit is another
	Rel  float64 // relative error
	Abs  float64 // absolute error
}

// bounds are limits that every result measured on an H200 keeps, against the
// correctly rounded value (h200_test.go); where two are given (lg2 is absolute
// near 1 and relative elsewhere) the looser counts. The PTX ISA's own limits
// are against the exact value and may be tighter.
var bounds = [NumFuncs]Bound{
	RcpFn:  {"rcp", 1, 0, 0},
	RsqFn:  {"rsqrt", 0, 0x1.2p-23, 0},
	SqrtFn: {"sqrt", 0, 0x1p-22, 0},
	Ex2Fn:  {"ex2", 2, 0, 0},
	Lg2Fn:  {"lg2", 0, 0x1p-22, 0x1p-22},
	SinFn:  {"sin", 0, 0, 0x1p-20},
	CosFn:  {"cos", 0, 0, 0x1p-20},
	TanhFn: {"tanh", 0, 0x1p-10, 0},
}

// Bound returns the error limit of the function.
func (fn Func) Bound() Bound { return bounds[fn] }

// String returns the PTX name.
func (fn Func) String() string {
	if fn < NumFuncs {
		return bounds[fn].Name
	}
	return "func?"
}

// Value is a result and what is known about it.
type Value struct {
	Bits  uint64
	Exact bool // the machine gives these very bits; else only within the bound
}

// Unit is a multi-function unit. The zero Unit has no tables.
type Unit struct {
	// Lookup returns the measured result of fn for an f32 argument that is
	// finite, not zero and not subnormal; ok is false where none was measured.
	Lookup func(fn Func, x uint32) (r uint32, ok bool)
}

const (
	nan32 = 0x7fffffff
	inf32 = 0x7f800000
	neg32 = 0x80000000
	one32 = 0x3f800000
)

// Mufu is the machine's own operation on f32: subnormal arguments count as
// zeros and subnormal results are flushed, except by TanhFn.
func (u Unit) Mufu(fn Func, x uint32) Value {
	if fn != TanhFn {
		x = uint32(F32.Flush(uint64(x)))
	}
	if r, ok := special(fn, x); ok {
		return Value{uint64(r), true}
	}
	if u.Lookup != nil {
		if r, ok := u.Lookup(fn, x); ok {
			return Value{uint64(r), true}
		}
	}
	r := bits32(float32(ideal(fn, float64(math.Float32frombits(x)))))
	if fn != TanhFn {
		r = F32.Flush(r)
	}
	return Value{r, false}
}

// special gives the results that do not depend on tables: NaN, zeros,
// infinities, negative arguments of functions that have no value there, and
// exponents out of range. Measured on an H200.
func special(fn Func, x uint32) (uint32, bool) {
	mag, sign := x&^neg32, x&neg32
	switch {
	case mag > inf32:
		return nan32, true
	case mag == 0:
		return atZero(fn, sign), true
	case sign != 0 && (fn == RsqFn || fn == SqrtFn || fn == Lg2Fn):
		return nan32, true
	case mag == inf32:
		return atInf(fn, sign), true
	}
	switch {
	case fn == RcpFn && mag > 0x7e800000: // above 2^126 the result is subnormal
		return sign, true
	case fn == Ex2Fn && sign == 0 && mag >= 0x43000000: // from 128 on
		return inf32, true
	case fn == Ex2Fn && sign != 0 && mag >= 0x43160000: // from -150 on
		return 0, true
	case fn == TanhFn && mag < 1<<23: // the unit returns subnormals unchanged
		return x, true
	}
	return 0, false
}

func atZero(fn Func, sign uint32) uint32 {
	switch fn {
	case RcpFn, RsqFn:
		return inf32 | sign
	case Lg2Fn:
		return inf32 | neg32
	case Ex2Fn, CosFn:
		return one32
	}
	return sign
}

func atInf(fn Func, sign uint32) uint32 {
	switch fn {
	case RcpFn:
		return sign
	case RsqFn:
		return 0
	case SqrtFn, Lg2Fn:
		return inf32
	case Ex2Fn:
		if sign != 0 {
			return 0
		}
		return inf32
	case TanhFn:
		return one32 | sign
	}
	return nan32
}

// ideal is the function itself, to f64 accuracy.
func ideal(fn Func, x float64) float64 {
	switch fn {
	case RcpFn:
		return 1 / x
	case RsqFn:
		return 1 / math.Sqrt(x)
	case SqrtFn:
		return math.Sqrt(x)
	case Ex2Fn:
		return math.Exp2(x)
	case Lg2Fn:
		return math.Log2(x)
	case SinFn:
		return math.Sin(2 * math.Pi * math.Mod(x, 1))
	case CosFn:
		return math.Cos(2 * math.Pi * math.Mod(x, 1))
	}
	return math.Tanh(x)
}

// Approx is PTX's fn.approx{.ftz}.f32 as the reference compiler expands it
// around the unit: scaling keeps subnormals out of the unit when .ftz is not
// given. sin and cos are the same either way.
func (u Unit) Approx(fn Func, x uint32, ftz bool) Value {
	switch fn {
	case SinFn, CosFn:
		// FMUL.RZ by the f32 below 1/2π.
		t := F32.Mul(uint64(x), 0x3e22f983, Mode{Round: RZ})
		return u.Mufu(fn, uint32(t))
	case TanhFn:
		return u.Mufu(fn, x)
	}
	if ftz {
		return u.Mufu(fn, x)
	}
	rn := Mode{}
	a, mag := uint64(x), x&^neg32
	small := mag < 1<<23
	switch fn {
	case RcpFn:
		scale := uint64(one32)
		if small {
			scale = 0x4b800000 // 2^24
		}
		if mag > 0x7e800000 && mag <= inf32 {
			scale = 0x3e800000 // 1/4
		}
		v := u.Mufu(fn, uint32(F32.Mul(scale, a, rn)))
		v.Bits = F32.Mul(v.Bits, scale, rn)
		return v
	case Ex2Fn:
		if !LT.Holds(F32.Relate(a, 0xc2fc0000, false)) { // not below -126
			return u.Mufu(fn, x)
		}
		v := u.Mufu(fn, uint32(F32.Mul(a, 0x3f000000, rn)))
		v.Bits = F32.Mul(v.Bits, v.Bits, rn)
		return v
	}
	if !small {
		return u.Mufu(fn, x)
	}
	v := u.Mufu(fn, uint32(F32.Mul(a, 0x4b800000, rn)))
	switch fn {
	case RsqFn:
		v.Bits = F32.Mul(v.Bits, 0x45800000, rn) // 2^12
	case SqrtFn:
		v.Bits = F32.Mul(v.Bits, 0x39800000, rn) // 2^-12
	case Lg2Fn:
		v.Bits = F32.Add(v.Bits, 0xc1c00000, rn) // -24
	}
	return v
}
