package arith

import (
	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
)

// FormatOf returns the format of a float type and how many values a register
// of it holds.
func FormatOf(d *machine.Decoder, t isa.Type) (f fp.Format, n int) {
	switch t {
	case isa.F16:
		return fp.F16, 1
	case isa.F16x2:
		return fp.F16, 2
	case isa.BF16:
		return fp.BF16, 1
	case isa.BF16x2:
		return fp.BF16, 2
	case isa.F32:
		return fp.F32, 1
	case isa.F32x2:
		return fp.F32, 2
	case isa.F64:
		return fp.F64, 1
	case isa.TF32:
		return fp.TF32, 1
	}
	d.Unknown()
	return 0, 0
}

// rounding reads the rounding of a result.
func rounding(d *machine.Decoder) fp.Round {
	d.Ignore(isa.WRn)
	switch {
	case d.Has(isa.WRz):
		return fp.RZ
	case d.Has(isa.WRm):
		return fp.RM
	case d.Has(isa.WRp):
		return fp.RP
	case d.Has(isa.WRna):
		return fp.RNA
	}
	return fp.RN
}

// mode reads everything that shapes a result.
func mode(d *machine.Decoder) fp.Mode {
	return fp.Mode{
		Round: rounding(d), Ftz: d.Has(isa.WFtz), Sat: d.Has(isa.WSat), SatFinite: d.Has(isa.WSatfinite), Relu: d.Has(isa.WRelu),
	}
}

// each1 applies a function to every value a register holds.
func each1(f fp.Format, n int, op func(a uint64) uint64) func(a uint64) uint64 {
	if n == 1 {
		return op
	}
	w := f.Width()
	return func(a uint64) uint64 { return op(a&machine.Low(w)) | op(a>>w)<<w }
}

// Each2 is each1 for two sources.
func Each2(f fp.Format, n int, op func(a, b uint64) uint64) func(a, b uint64) uint64 {
	if n == 1 {
		return op
	}
	w := f.Width()
	return func(a, b uint64) uint64 { return op(a&machine.Low(w), b&machine.Low(w)) | op(a>>w, b>>w)<<w }
}

func each3(f fp.Format, n int, op func(a, b, c uint64) uint64) func(a, b, c uint64) uint64 {
	if n == 1 {
		return op
	}
	w := f.Width()
	return func(a, b, c uint64) uint64 {
		return op(a&machine.Low(w), b&machine.Low(w), c&machine.Low(w)) | op(a>>w, b>>w, c>>w)<<w
	}
}

func floatAdd(d *machine.Decoder, t isa.Type) {
	f, n := FormatOf(d, t)
	m := mode(d)
	op := func(a, b uint64) uint64 { return f.Add(a, b, m) }
	if d.In.Op == isa.WSub {
		op = func(a, b uint64) uint64 { return f.Sub(a, b, m) }
	}
	if from, ok := mixed(d); ok {
		d.Map2(d.Dst(0), d.Src(1, d.Type(1)), d.Src(2, t), func(a, b uint64) uint64 { return op(from(a), b) })
		return
	}
	d.Same2(t, Each2(f, n, op))
}

// mixed returns what makes an f32 of the factors of an operation that has
// them in f16 or bf16 (PTX ISA, Mixed Precision Floating Point Instructions).
func mixed(d *machine.Decoder) (from func(uint64) uint64, ok bool) {
	t := d.Type(1)
	if t == isa.TNone || t == d.Type(0) {
		return nil, false
	}
	f, n := FormatOf(d, t)
	if n != 1 || d.Type(0) != isa.F32 {
		d.Unknown()
	}
	return func(v uint64) uint64 { return fp.Convert(f, fp.F32, v, fp.Mode{}) }, true
}

func floatMul(d *machine.Decoder, t isa.Type) {
	f, n := FormatOf(d, t)
	m := mode(d)
	d.Same2(t, Each2(f, n, func(a, b uint64) uint64 { return f.Mul(a, b, m) }))
}

// Fma is fma, and mad of floats.
func Fma(d *machine.Decoder) {
	t := d.Type(0)
	f, n := FormatOf(d, t)
	m := mode(d)
	if from, ok := mixed(d); ok {
		h := d.Type(1)
		d.Map3(d.Dst(0), d.Src(1, h), d.Src(2, h), d.Src(3, t), func(a, b, c uint64) uint64 { return f.Fma(from(a), from(b), c, m) })
		return
	}
	if d.Has(isa.WOob) {
		d.Same3(t, each3(f, n, func(a, b, c uint64) uint64 {
			if isOutside(a) || isOutside(b) {
				return 0
			}
			return f.Fma(a, b, c, m)
		}))
		return
	}
	d.Same3(t, each3(f, n, func(a, b, c uint64) uint64 { return f.Fma(a, b, c, m) }))
}

// isOutside reports whether a half is what tensor copies leave outside of a
// tensor, of either sign; an H200 takes no other NaN for it.
func isOutside(a uint64) bool { return a&0x7fff == 0x7ff7 }

func floatNeg(d *machine.Decoder, t isa.Type) {
	f, n := FormatOf(d, t)
	ftz := d.Has(isa.WFtz)
	d.Same1(t, each1(f, n, func(a uint64) uint64 { return f.Neg(a, ftz) }))
}

func floatAbs(d *machine.Decoder, t isa.Type) {
	f, n := FormatOf(d, t)
	ftz := d.Has(isa.WFtz)
	d.Same1(t, each1(f, n, func(a uint64) uint64 { return f.Abs(a, ftz) }))
}

func floatMinmax(d *machine.Decoder, t isa.Type) {
	f, n := FormatOf(d, t)
	x := fp.Extremum{Ftz: d.Has(isa.WFtz), NaN: d.Has(isa.WNaN), XorSign: d.Has(isa.WXorsign)}
	size := func(a uint64) uint64 { return a }
	if d.Has(isa.WAbs) && !x.XorSign {
		size = func(a uint64) uint64 { return f.Abs(a, false) }
	}
	op := func(a, b uint64) uint64 { return f.Min(a, b, x) }
	if d.In.Op == isa.WMax {
		op = func(a, b uint64) uint64 { return f.Max(a, b, x) }
	}
	if len(d.Args) == 4 {
		d.Same3(t, each3(f, n, func(a, b, c uint64) uint64 { return op(op(size(a), size(b)), size(c)) }))
		return
	}
	d.Same2(t, Each2(f, n, op))
}

// floatDiv is div: correctly rounded, or a product with an approximate
// reciprocal.
func floatDiv(d *machine.Decoder, t isa.Type) {
	f, _ := FormatOf(d, t)
	if d.Has(isa.WApprox) || d.Has(isa.WFull) {
		full, ftz := d.Has(isa.WFull), d.Has(isa.WFtz)
		d.Same2(t, func(a, b uint64) uint64 { return uint64(fp.ApproxDiv(uint32(a), uint32(b), full, ftz)) })
		return
	}
	m := mode(d)
	d.Same2(t, func(a, b uint64) uint64 { return f.Div(a, b, m) })
}

// Rcp is the reciprocal.
func Rcp(d *machine.Decoder) {
	if d.Has(isa.WApprox) {
		Approx(d)
		return
	}
	f, _ := FormatOf(d, d.Type(0))
	m := mode(d)
	if d.Type(0) == isa.F64 { // only the approximation flushes
		m.Ftz = false
	}
	d.Same1(d.Type(0), func(a uint64) uint64 { return f.Rcp(a, m) })
}

// Sqrt is the square root.
func Sqrt(d *machine.Decoder) {
	if d.Has(isa.WApprox) {
		Approx(d)
		return
	}
	f, _ := FormatOf(d, d.Type(0))
	m := mode(d)
	d.Same1(d.Type(0), func(a uint64) uint64 { return f.Sqrt(a, m) })
}

// approxFns are the functions of the multi-function unit.
var approxFns = [...]struct {
	w  isa.Word
	fn fp.Func
}{
	{isa.WRcp, fp.RcpFn},
	{isa.WSqrt, fp.SqrtFn},
	{isa.WRsqrt, fp.RsqFn},
	{isa.WSin, fp.SinFn},
	{isa.WCos, fp.CosFn},
	{isa.WLg2, fp.Lg2Fn},
	{isa.WEx2, fp.Ex2Fn},
	{isa.WTanh, fp.TanhFn},
}

// Approx is the approximate functions.
func Approx(d *machine.Decoder) {
	d.Ignore(isa.WApprox)
	t := d.Type(0)
	ftz := d.Has(isa.WFtz)
	for _, x := range approxFns {
		if x.w != d.In.Op {
			continue
		}
		fn := x.fn
		switch f, n := FormatOf(d, t); f {
		case fp.F32:
			d.Same1(t, func(a uint64) uint64 { return uint64(fp.Approx(fn, uint32(a), ftz)) })
		case fp.F64:
			d.Same1(t, func(a uint64) uint64 { return fp.Approx64(fn, a) })
		default:
			d.Same1(t, each1(f, n, func(a uint64) uint64 { return fp.ApproxHalf(f, fn, a, ftz) }))
		}
	}
}

// tests are the words of testp.
var tests = [...]struct {
	w isa.Word
	t fp.Test
}{
	{isa.WFinite, fp.TestFinite},
	{isa.WInfinite, fp.TestInfinite},
	{isa.WNumber, fp.TestNumber},
	{isa.WNotanumber, fp.TestNotANumber},
	{isa.WNormal, fp.TestNormal},
	{isa.WSubnormal, fp.TestSubnormal},
}

// Testp asks what kind of number a float is.
func Testp(d *machine.Decoder) {
	f, _ := FormatOf(d, d.Type(0))
	for _, x := range tests {
		if d.Has(x.w) {
			d.Same1(d.Type(0), func(a uint64) uint64 { return machine.Truth(f.Is(a, x.t)) })
			return
		}
	}
	d.Unknown()
}

// Copysign takes the sign of one float and the rest of another.
func Copysign(d *machine.Decoder) {
	f, _ := FormatOf(d, d.Type(0))
	d.Same2(d.Type(0), f.CopySign)
}

// ReduxFloat is the function of redux on f32.
func ReduxFloat(d *machine.Decoder, t isa.Type) func(a, b uint64) uint64 {
	f, _ := FormatOf(d, t)
	x := fp.Extremum{NaN: d.Has(isa.WNaN)}
	abs := d.Has(isa.WAbs)
	op := f.Max
	if d.Has(isa.WMin) {
		op = f.Min
	}
	d.Ignore(isa.WMax)
	return func(a, b uint64) uint64 {
		if abs {
			a, b = f.Abs(a, false), f.Abs(b, false)
		}
		return op(a, b, x)
	}
}
