package lower

import (
	"math"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// f32 is an f32 constant.
func f32(v float32) ori.Operand { return word(math.Float32bits(v)) }

// minmaxFloat lowers min and max of floats.
func (l *lowerer) minmaxFloat(t isa.Type) {
	which := pt()
	if l.in.Op == isa.WMax {
		which = which.Not()
	}
	var m op.Mods
	if l.has(isa.WFtz) {
		m = m.With(op.MFTZ)
	}
	if l.has(isa.WNaN) {
		m = m.With(op.MNAN)
	}
	if l.has(isa.WXorsign) {
		l.knows(isa.WAbs)
		m = m.With(op.MXORSIGN)
	}
	switch t {
	case isa.F32:
		a, b := l.src1(1, t), l.src1(2, t)
		abs := l.has(isa.WAbs)
		if abs {
			a, b = l.magnitudeOf(a), l.magnitudeOf(b)
		}
		if len(l.args) > 3 {
			a, b = l.one(op.FMNMX, m, a, b, which), l.src1(3, t)
			if abs {
				b = l.magnitudeOf(b)
			}
		}
		l.emit(op.FMNMX, m, l.dst(0)[:1], a, b, which)
	case isa.F64:
		l.minmax64()
	default:
		l.minmaxHalf(t, m, which)
	}
}

// magnitudeOf marks an operand of .xorsign, whose sign still counts: a
// constant keeps it in a register.
func (l *lowerer) magnitudeOf(o ori.Operand) ori.Operand {
	if o.Kind == ori.KImm && uint32(o.Imm)>>31 != 0 {
		o = l.reg(o)
	}
	return absolute(o)
}

// minmax64 lowers min and max of f64: a NaN operand loses, and where both
// are NaN the second is returned quiet.
func (l *lowerer) minmax64() {
	t := isa.F64
	a, b := l.pair(l.src(1, t)), l.pair(l.src(2, t))
	m := op.M(op.MMIN, op.MAND)
	if l.in.Op == isa.WMax {
		m = op.M(op.MMAX, op.MAND)
	}
	p, q := l.pred(), l.pred()
	l.emit(op.DSETP, m, value{p, q}, whole(a), whole(b), pt())
	r := l.tmp(2)
	l.emit(op.SEL, op.Mods{}, r[:1], a[0], b[0], p)
	hi := l.one(op.SEL, op.Mods{}, a[1], b[1], p)
	quiet := l.one(op.LOP3, op.M(op.MLUT), b[1], ori.Imm(0x80000), rz(), ori.Imm(lutOr))
	l.emit(op.SEL, op.Mods{}, r[1:], quiet, hi, q)
	l.copy(l.dst(0), r)
}

// absolute returns |x| of an f32 or f64 value; constants fold.
func absolute(o ori.Operand) ori.Operand {
	switch o.Kind {
	case ori.KImm:
		return word(uint32(o.Imm) &^ (1 << 31))
	case ori.KZero:
		return o
	}
	o.Flags = o.Flags&^ori.Neg | ori.Abs
	return o
}

// absFloat lowers abs of floats.
func (l *lowerer) absFloat(t isa.Type) {
	switch t {
	case isa.F32:
		var m op.Mods
		if l.has(isa.WFtz) {
			m = op.M(op.MFTZ)
		}
		l.emit(op.FADD, m, l.dst(0)[:1], absolute(l.src1(1, t)), rz().Negate())
	case isa.F64:
		l.binary64(op.DADD, rz().Negate(), absolute(l.double(l.src(1, t))))
	default:
		l.signHalf(t)
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

// smallest is the smallest normal f32, 2^-126.
const smallest = 0x00800000

// mufu lowers rcp, sqrt, rsqrt and lg2 in their approximate f32 forms.
func (l *lowerer) mufu() {
	t := l.typ(0)
	if t == isa.F64 || !l.has(isa.WApprox) {
		if l.in.Op == isa.WRcp && !l.has(isa.WApprox) {
			l.knows(isa.WFtz) // f64 has nothing to flush
		}
		l.exactMufu(t)
		return
	}
	a := l.reg(l.src1(1, t))
	for _, s := range mufus {
		if s.word != l.in.Op {
			continue
		}
		d := l.dst(0)[:1]
		if l.has(isa.WFtz) {
			l.emit(op.MUFU, op.M(s.fn), d, a)
			return
		}
		if s.word == isa.WRcp {
			l.rcp(d, a)
			return
		}
		abs := a
		abs.Flags |= ori.Abs
		p := l.test(op.FSETP, op.M(op.MGEU, op.MAND), abs, ori.Imm(smallest), pt())
		x := l.unless(p, a, op.FMUL, f32(s.in))
		y := l.one(op.MUFU, op.M(s.fn), x[0])
		if s.operand == op.FADD {
			l.copy(d, l.unless(p, y, op.FADD, f32(s.add)))
		} else {
			l.copy(d, l.unless(p, y, op.FMUL, f32(s.mul)))
		}
		return
	}
	l.unsupported()
}

// rcp lowers rcp.approx.f32 without .ftz: subnormal inputs are scaled up,
// inputs whose reciprocal is subnormal down.
func (l *lowerer) rcp(d value, a ori.Operand) {
	abs := a
	abs.Flags |= ori.Abs
	small := l.test(op.FSETP, op.M(op.MLT, op.MAND), abs, ori.Imm(smallest), pt())
	large := l.test(op.FSETP, op.M(op.MGT, op.MAND), abs, f32(float32(math.Ldexp(1, 126))), pt())
	k := l.one(op.SEL, op.Mods{}, f32(1<<24), f32(1), small)
	k = l.one(op.SEL, op.Mods{}, f32(0.25), k, large)
	x := l.one(op.FMUL, op.Mods{}, a, k)
	y := l.one(op.MUFU, op.M(op.MRCP), x)
	l.emit(op.FMUL, op.Mods{}, d, y, k)
}

// ex2 lowers ex2.approx.
func (l *lowerer) ex2() {
	l.knows(isa.WApprox)
	t := l.typ(0)
	if isHalf(t) {
		l.knows(isa.WFtz)
		l.mufuHalf(t, op.MEX2)
		return
	}
	a := l.reg(l.src1(1, t))
	d := l.dst(0)[:1]
	if l.has(isa.WFtz) {
		l.emit(op.MUFU, op.M(op.MEX2), d, a)
		return
	}
	// a result below 2^-126 is the square of the result of half the input
	p := l.test(op.FSETP, op.M(op.MGEU, op.MAND), a, f32(-126), pt())
	x := l.unless(p, a, op.FMUL, f32(0.5))
	y := l.one(op.MUFU, op.M(op.MEX2), x[0])
	l.copy(d, l.unless(p, y, op.FMUL, y))
}

// unless returns a where p holds and else a changed by operation o with k.
func (l *lowerer) unless(p, a ori.Operand, o op.Op, k ori.Operand) value {
	x := l.tmp(1)
	l.copy(x, value{a})
	if k == a {
		k = x[0]
	}
	l.emitIf(p.Not(), o, op.Mods{}, x, x[0], k)
	return x
}

// sincos lowers sin.approx and cos.approx: the unit wants turns.
func (l *lowerer) sincos() {
	l.knows(isa.WApprox)
	l.knows(isa.WFtz)
	fn := op.MSIN
	if l.in.Op == isa.WCos {
		fn = op.MCOS
	}
	a := l.reg(l.src1(1, isa.F32))
	x := l.one(op.FMUL, op.M(op.MRZ), a, ori.Imm32(0x3e22f983)) // 1/2π
	l.emit(op.MUFU, op.M(fn), l.dst(0)[:1], x)
}

// tanh lowers tanh.approx.
func (l *lowerer) tanh() {
	l.knows(isa.WApprox)
	if t := l.typ(0); isHalf(t) {
		l.mufuHalf(t, op.MTANH)
		return
	}
	l.emit(op.MUFU, op.M(op.MTANH), l.dst(0)[:1], l.reg(l.src1(1, isa.F32)))
}

// copysign lowers copysign: the sign comes from the first source.
func (l *lowerer) copysign() {
	t := l.typ(0)
	a, b := l.src(1, t), l.src(2, t)
	d := l.dst(0)
	n := len(a) - 1
	hi := l.one(op.LOP3, op.M(op.MLUT), b[n], ori.Imm(0x7fffffff), a[n], ori.Imm(0xf0&0xcc|0xaa&^0xcc))
	r := append(value{}, b[:n]...)
	l.copy(d, append(r, hi))
}
