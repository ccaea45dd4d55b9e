package arith

import (
	"math"

	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/division"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// minmaxFloat lowers min and max of floats.
func minmaxFloat(l *build.Builder, t isa.Type) {
	which := expand.PT()
	if l.In.Op == isa.WMax {
		which = which.Not()
	}
	var m op.Mods
	if l.Has(isa.WFtz) {
		m = m.With(op.MFTZ)
	}
	if l.Has(isa.WNaN) {
		m = m.With(op.MNAN)
	}
	if l.Has(isa.WXorsign) {
		l.Knows(isa.WAbs)
		m = m.With(op.MXORSIGN)
	}
	switch t {
	case isa.F32:
		a, b := l.Src1(1, t), l.Src1(2, t)
		abs := l.Has(isa.WAbs)
		if abs {
			a, b = magnitudeOf(l, a), magnitudeOf(l, b)
		}
		if len(l.Args) > 3 {
			a, b = l.One(op.FMNMX, m, a, b, which), l.Src1(3, t)
			if abs {
				b = magnitudeOf(l, b)
			}
		}
		l.Emit(op.FMNMX, m, l.Dst(0)[:1], a, b, which)
	case isa.F64:
		minmax64(l)
	default:
		minmaxHalf(l, t, m, which)
	}
}

// magnitudeOf marks an operand of .xorsign, whose sign still counts: a
// constant keeps it in a register.
func magnitudeOf(l *build.Builder, o ori.Operand) ori.Operand {
	if o.Kind == ori.KImm && uint32(o.Imm)>>31 != 0 {
		o = l.Reg(o)
	}
	return expand.Absolute(o)
}

// minmax64 lowers min and max of f64: a NaN operand loses, and where both
// are NaN the second is returned quiet.
func minmax64(l *build.Builder) {
	t := isa.F64
	a, b := l.Pair(l.Src(1, t)), l.Pair(l.Src(2, t))
	m := op.M(op.MMIN, op.MAND)
	if l.In.Op == isa.WMax {
		m = op.M(op.MMAX, op.MAND)
	}
	p, q := l.Pred(), l.Pred()
	l.Emit(op.DSETP, m, build.Value{p, q}, expand.Whole(a), expand.Whole(b), expand.PT())
	r := l.Tmp(2)
	l.Emit(op.SEL, op.Mods{}, r[:1], a[0], b[0], p)
	hi := l.One(op.SEL, op.Mods{}, a[1], b[1], p)
	quiet := l.One(op.LOP3, op.M(op.MLUT), b[1], ori.Imm(0x80000), expand.RZ(), ori.Imm(expand.LutOr))
	l.Emit(op.SEL, op.Mods{}, r[1:], quiet, hi, q)
	l.Copy(l.Dst(0), r)
}

// absFloat lowers abs of floats.
func absFloat(l *build.Builder, t isa.Type) {
	switch t {
	case isa.F32:
		var m op.Mods
		if l.Has(isa.WFtz) {
			m = op.M(op.MFTZ)
		}
		l.Emit(op.FADD, m, l.Dst(0)[:1], expand.Absolute(l.Src1(1, t)), expand.RZ().Negate())
	case isa.F64:
		binary64(l, op.DADD, expand.RZ().Negate(), expand.Absolute(double(l, l.Src(1, t))))
	default:
		signHalf(l, t)
	}
}

// scaled is a function of the special function unit whose input or output
// must be scaled when the input is subnormal, which the unit flushes.
type scaled struct {
	word    isa.Word
	fn      op.Mod
	in      float32 // factor of a subnormal input
	mul     float32 // factor of its result, 0 = add instead
	add     float32
	operand op.Op
}

var mufus = [...]scaled{
	{isa.WRcp, op.MRCP, 1 << 24, 1 << 24, 0, op.FMUL},
	{isa.WSqrt, op.MSQRT, 1 << 24, 1.0 / 4096, 0, op.FMUL},
	{isa.WRsqrt, op.MRSQ, 1 << 24, 4096, 0, op.FMUL},
	{isa.WLg2, op.MLG2, 1 << 24, 0, -24, op.FADD},
}

// mufu lowers rcp, sqrt, rsqrt and lg2 in their approximate f32 forms.
func mufu(l *build.Builder) {
	t := l.Typ(0)
	if t == isa.F64 || !l.Has(isa.WApprox) {
		if l.In.Op == isa.WRcp && !l.Has(isa.WApprox) {
			l.Knows(isa.WFtz) // f64 has nothing to flush
		}
		division.ExactMufu(l, t)
		return
	}
	a := l.Reg(l.Src1(1, t))
	for _, s := range mufus {
		if s.word != l.In.Op {
			continue
		}
		d := l.Dst(0)[:1]
		if l.Has(isa.WFtz) {
			l.Emit(op.MUFU, op.M(s.fn), d, a)
			return
		}
		if s.word == isa.WRcp {
			rcp(l, d, a)
			return
		}
		abs := a
		abs.Flags |= ori.Abs
		p := l.Test(op.FSETP, op.M(op.MGEU, op.MAND), abs, ori.Imm(expand.Smallest), expand.PT())
		x := unless(l, p, a, op.FMUL, expand.F32(s.in))
		y := l.One(op.MUFU, op.M(s.fn), x[0])
		if s.operand == op.FADD {
			l.Copy(d, unless(l, p, y, op.FADD, expand.F32(s.add)))
		} else {
			l.Copy(d, unless(l, p, y, op.FMUL, expand.F32(s.mul)))
		}
		return
	}
	l.Unsupported()
}

// rcp lowers rcp.approx.f32 without .ftz: subnormal inputs are scaled up,
// inputs whose reciprocal is subnormal down.
func rcp(l *build.Builder, d build.Value, a ori.Operand) {
	abs := a
	abs.Flags |= ori.Abs
	small := l.Test(op.FSETP, op.M(op.MLT, op.MAND), abs, ori.Imm(expand.Smallest), expand.PT())
	large := l.Test(op.FSETP, op.M(op.MGT, op.MAND), abs, expand.F32(float32(math.Ldexp(1, 126))), expand.PT())
	k := l.One(op.SEL, op.Mods{}, expand.F32(1<<24), expand.F32(1), small)
	k = l.One(op.SEL, op.Mods{}, expand.F32(0.25), k, large)
	x := l.One(op.FMUL, op.Mods{}, a, k)
	y := l.One(op.MUFU, op.M(op.MRCP), x)
	l.Emit(op.FMUL, op.Mods{}, d, y, k)
}

// ex2 lowers ex2.approx.
func ex2(l *build.Builder) {
	l.Knows(isa.WApprox)
	t := l.Typ(0)
	if isHalf(t) {
		l.Knows(isa.WFtz)
		mufuHalf(l, t, op.MEX2)
		return
	}
	a := l.Reg(l.Src1(1, t))
	d := l.Dst(0)[:1]
	if l.Has(isa.WFtz) {
		l.Emit(op.MUFU, op.M(op.MEX2), d, a)
		return
	}
	// a result below 2^-126 is the square of the result of half the input
	p := l.Test(op.FSETP, op.M(op.MGEU, op.MAND), a, expand.F32(-126), expand.PT())
	x := unless(l, p, a, op.FMUL, expand.F32(0.5))
	y := l.One(op.MUFU, op.M(op.MEX2), x[0])
	l.Copy(d, unless(l, p, y, op.FMUL, y))
}

// unless returns a where p holds and else a changed by operation o with k.
func unless(l *build.Builder, p, a ori.Operand, o op.Op, k ori.Operand) build.Value {
	x := l.Tmp(1)
	l.Copy(x, build.Value{a})
	if k == a {
		k = x[0]
	}
	l.EmitIf(p.Not(), o, op.Mods{}, x, x[0], k)
	return x
}

// sincos lowers sin.approx and cos.approx: the unit wants turns.
func sincos(l *build.Builder) {
	l.Knows(isa.WApprox)
	l.Knows(isa.WFtz)
	fn := op.MSIN
	if l.In.Op == isa.WCos {
		fn = op.MCOS
	}
	a := l.Reg(l.Src1(1, isa.F32))
	x := l.One(op.FMUL, op.M(op.MRZ), a, ori.Imm32(0x3e22f983)) // 1/2π
	l.Emit(op.MUFU, op.M(fn), l.Dst(0)[:1], x)
}

// tanh lowers tanh.approx.
func tanh(l *build.Builder) {
	l.Knows(isa.WApprox)
	if t := l.Typ(0); isHalf(t) {
		mufuHalf(l, t, op.MTANH)
		return
	}
	l.Emit(op.MUFU, op.M(op.MTANH), l.Dst(0)[:1], l.Reg(l.Src1(1, isa.F32)))
}

// copysign lowers copysign: the sign comes from the first source.
func copysign(l *build.Builder) {
	t := l.Typ(0)
	a, b := l.Src(1, t), l.Src(2, t)
	d := l.Dst(0)
	n := len(a) - 1
	hi := l.One(op.LOP3, op.M(op.MLUT), b[n], ori.Imm(0x7fffffff), a[n], ori.Imm(0xf0&0xcc|0xaa&^0xcc))
	r := append(build.Value{}, b[:n]...)
	l.Copy(d, append(r, hi))
}
