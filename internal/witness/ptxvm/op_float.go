package ptxvm

import (
	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// formatOf returns the format of a float type and how many values a register
// of it holds.
func (d *decoder) formatOf(t isa.Type) (f fp.Format, n int) {
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
	d.unknown()
	return 0, 0
}

// rounding reads the rounding of a result.
func (d *decoder) rounding() fp.Round {
	d.ignore(isa.WRn)
	switch {
	case d.has(isa.WRz):
		return fp.RZ
	case d.has(isa.WRm):
		return fp.RM
	case d.has(isa.WRp):
		return fp.RP
	case d.has(isa.WRna):
		return fp.RNA
	}
	return fp.RN
}

// mode reads everything that shapes a result.
func (d *decoder) mode() fp.Mode {
	return fp.Mode{
		Round: d.rounding(), Ftz: d.has(isa.WFtz), Sat: d.has(isa.WSat), SatFinite: d.has(isa.WSatfinite), Relu: d.has(isa.WRelu),
	}
}

// each1, each2 and each3 apply a function to every value a register holds.
func each1(f fp.Format, n int, op func(a uint64) uint64) func(a uint64) uint64 {
	if n == 1 {
		return op
	}
	w := f.Width()
	return func(a uint64) uint64 { return op(a&low(w)) | op(a>>w)<<w }
}

func each2(f fp.Format, n int, op func(a, b uint64) uint64) func(a, b uint64) uint64 {
	if n == 1 {
		return op
	}
	w := f.Width()
	return func(a, b uint64) uint64 { return op(a&low(w), b&low(w)) | op(a>>w, b>>w)<<w }
}

func each3(f fp.Format, n int, op func(a, b, c uint64) uint64) func(a, b, c uint64) uint64 {
	if n == 1 {
		return op
	}
	w := f.Width()
	return func(a, b, c uint64) uint64 {
		return op(a&low(w), b&low(w), c&low(w)) | op(a>>w, b>>w, c>>w)<<w
	}
}

func (d *decoder) floatAdd(t isa.Type) {
	f, n := d.formatOf(t)
	m := d.mode()
	op := func(a, b uint64) uint64 { return f.Add(a, b, m) }
	if d.in.Op == isa.WSub {
		op = func(a, b uint64) uint64 { return f.Sub(a, b, m) }
	}
	if from, ok := d.mixed(); ok {
		d.map2(d.dst(0), d.src(1, d.typ(1)), d.src(2, t), func(a, b uint64) uint64 { return op(from(a), b) })
		return
	}
	d.same2(t, each2(f, n, op))
}

// mixed returns what makes an f32 of the factors of an operation that has
// them in f16 or bf16 (PTX ISA, Mixed Precision Floating Point Instructions).
func (d *decoder) mixed() (from func(uint64) uint64, ok bool) {
	t := d.typ(1)
	if t == isa.TNone || t == d.typ(0) {
		return nil, false
	}
	f, n := d.formatOf(t)
	if n != 1 || d.typ(0) != isa.F32 {
		d.unknown()
	}
	return func(v uint64) uint64 { return fp.Convert(f, fp.F32, v, fp.Mode{}) }, true
}

func (d *decoder) floatMul(t isa.Type) {
	f, n := d.formatOf(t)
	m := d.mode()
	d.same2(t, each2(f, n, func(a, b uint64) uint64 { return f.Mul(a, b, m) }))
}

// fma is fma, and mad of floats.
func (d *decoder) fma() {
	t := d.typ(0)
	f, n := d.formatOf(t)
	m := d.mode()
	if from, ok := d.mixed(); ok {
		h := d.typ(1)
		d.map3(d.dst(0), d.src(1, h), d.src(2, h), d.src(3, t), func(a, b, c uint64) uint64 { return f.Fma(from(a), from(b), c, m) })
		return
	}
	d.same3(t, each3(f, n, func(a, b, c uint64) uint64 { return f.Fma(a, b, c, m) }))
}

func (d *decoder) floatNeg(t isa.Type) {
	f, n := d.formatOf(t)
	ftz := d.has(isa.WFtz)
	d.same1(t, each1(f, n, func(a uint64) uint64 { return f.Neg(a, ftz) }))
}

func (d *decoder) floatAbs(t isa.Type) {
	f, n := d.formatOf(t)
	ftz := d.has(isa.WFtz)
	d.same1(t, each1(f, n, func(a uint64) uint64 { return f.Abs(a, ftz) }))
}

func (d *decoder) floatMinmax(t isa.Type) {
	f, n := d.formatOf(t)
	x := fp.Extremum{Ftz: d.has(isa.WFtz), NaN: d.has(isa.WNaN), XorSign: d.has(isa.WXorsign)}
	d.ignore(isa.WAbs)
	op := func(a, b uint64) uint64 { return f.Min(a, b, x) }
	if d.in.Op == isa.WMax {
		op = func(a, b uint64) uint64 { return f.Max(a, b, x) }
	}
	if len(d.args) == 4 {
		d.same3(t, each3(f, n, func(a, b, c uint64) uint64 { return op(op(a, b), c) }))
		return
	}
	d.same2(t, each2(f, n, op))
}

// floatDiv is div: correctly rounded, or a product with an approximate
// reciprocal.
func (d *decoder) floatDiv(t isa.Type) {
	f, _ := d.formatOf(t)
	if d.has(isa.WApprox) || d.has(isa.WFull) {
		full, ftz := d.has(isa.WFull), d.has(isa.WFtz)
		d.same2(t, func(a, b uint64) uint64 { return uint64(fp.ApproxDiv(uint32(a), uint32(b), full, ftz)) })
		return
	}
	m := d.mode()
	d.same2(t, func(a, b uint64) uint64 { return f.Div(a, b, m) })
}

func (d *decoder) rcp() {
	if d.has(isa.WApprox) {
		d.approx()
		return
	}
	f, _ := d.formatOf(d.typ(0))
	m := d.mode()
	if d.typ(0) == isa.F64 { // only the approximation flushes
		m.Ftz = false
	}
	d.same1(d.typ(0), func(a uint64) uint64 { return f.Rcp(a, m) })
}

func (d *decoder) sqrt() {
	if d.has(isa.WApprox) {
		d.approx()
		return
	}
	f, _ := d.formatOf(d.typ(0))
	m := d.mode()
	d.same1(d.typ(0), func(a uint64) uint64 { return f.Sqrt(a, m) })
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

// approx is the approximate functions.
func (d *decoder) approx() {
	d.ignore(isa.WApprox)
	t := d.typ(0)
	ftz := d.has(isa.WFtz)
	for _, x := range approxFns {
		if x.w != d.in.Op {
			continue
		}
		fn := x.fn
		switch f, n := d.formatOf(t); f {
		case fp.F32:
			d.same1(t, func(a uint64) uint64 { return uint64(fp.Approx(fn, uint32(a), ftz)) })
		case fp.F64:
			d.same1(t, func(a uint64) uint64 { return fp.Approx64(fn, a) })
		default:
			d.same1(t, each1(f, n, func(a uint64) uint64 { return fp.ApproxHalf(f, fn, a, ftz) }))
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

func (d *decoder) testp() {
	f, _ := d.formatOf(d.typ(0))
	for _, x := range tests {
		if d.has(x.w) {
			d.same1(d.typ(0), func(a uint64) uint64 { return truth(f.Is(a, x.t)) })
			return
		}
	}
	d.unknown()
}

func (d *decoder) copysign() {
	f, _ := d.formatOf(d.typ(0))
	d.same2(d.typ(0), f.CopySign)
}

// reduxFloat is the function of redux on f32.
func (d *decoder) reduxFloat(t isa.Type) func(a, b uint64) uint64 {
	f, _ := d.formatOf(t)
	x := fp.Extremum{NaN: d.has(isa.WNaN)}
	abs := d.has(isa.WAbs)
	op := f.Max
	if d.has(isa.WMin) {
		op = f.Min
	}
	d.ignore(isa.WMax)
	return func(a, b uint64) uint64 {
		if abs {
			a, b = f.Abs(a, false), f.Abs(b, false)
		}
		return op(a, b, x)
	}
}
