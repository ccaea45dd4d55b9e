package arith

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// arithmetic builds the modifiers .FTZ, rounding and .SAT in the
// assembler's order.
func arithmetic(l *build.Builder) op.Mods {
	var m op.Mods
	if l.Has(isa.WFtz) {
		m = m.With(op.MFTZ)
	}
	if r := l.Rounding(); r != op.NoMod {
		m = m.With(r)
	}
	if l.Has(isa.WSat) {
		m = m.With(op.MSAT)
	}
	if contracts(l) {
		m = m.With(op.MCONTRACT)
	}
	return m
}

// contracts reports whether a multiplication and an addition may become one
// operation with one rounding: PTX allows it where no rounding is written.
// A product that is bounded is rounded before that.
func contracts(l *build.Builder) bool {
	switch l.In.Op {
	case isa.WAdd, isa.WSub, isa.WMul:
		t := l.Typ(0)
		if l.In.Op == isa.WMul && l.Has(isa.WSat) {
			return false
		}
		return !l.Opts.NoFMA && !l.Has(isa.WRn) && l.Rounding() == op.NoMod && (t == isa.F32 || t == isa.F32x2 || t == isa.F64)
	}
	return false
}

func addFloat(l *build.Builder, t isa.Type) {
	sub := l.In.Op == isa.WSub
	switch t {
	case isa.F32:
		b := l.Src1(2, t)
		if m, ok := mixed(l); ok {
			if b = l.Reg(b); sub { // behind the move, which is of integers
				b = b.Negate()
			}
			l.Emit(op.FHADD, m, l.Dst(0)[:1], half(l, 1, l.Typ(1)), b)
			return
		}
		if sub {
			b = negateFloat(b)
		}
		l.Emit(op.FADD, arithmetic(l), l.Dst(0)[:1], l.Src1(1, t), b)
	case isa.F32x2:
		twice(l, op.FADD, sub, 2)
	case isa.F64:
		b := double(l, l.Src(2, t))
		if sub {
			b = b.Negate()
		}
		binary64(l, op.DADD, expand.Whole(l.Pair(l.Src(1, t))), b)
	default:
		addHalf(l, t)
	}
}

// negateFloat returns -x of an f32 value; constants fold.
func negateFloat(x ori.Operand) ori.Operand {
	switch x.Kind {
	case ori.KImm:
		return expand.Word(uint32(x.Imm) ^ 1<<31)
	case ori.KZero:
		return ori.Imm32(1 << 31)
	}
	return x.Negate()
}

// double makes an f64 operand: a register pair.
func double(l *build.Builder, v build.Value) ori.Operand { return expand.Whole(l.Pair(v)) }

// binary64 emits a two-operand f64 operation.
func binary64(l *build.Builder, o op.Op, srcs ...ori.Operand) {
	t := l.Tmp(2)
	l.Emit(o, arithmetic(l), build.Value{expand.Whole(t)}, srcs...)
	l.Copy(l.Dst(0), t)
}

func mulFloat(l *build.Builder, t isa.Type) {
	if (t == isa.F32 || t == isa.F64) && !l.Has(isa.WFtz) && !l.Has(isa.WSat) && !l.Has(isa.WRn) && l.Rounding() == op.NoMod {
		for n := 1; n <= 2; n++ {
			if isOne(l.Src(n, t)) {
				l.Copy(l.Dst(0)[:build.Words(t)], l.Src(3-n, t))
				return
			}
		}
	}
	switch t {
	case isa.F32:
		l.Emit(op.FMUL, arithmetic(l), l.Dst(0)[:1], l.Src1(1, t), l.Src1(2, t))
	case isa.F32x2:
		twice(l, op.FMUL, false, 2)
	case isa.F64:
		binary64(l, op.DMUL, expand.Whole(l.Pair(l.Src(1, t))), double(l, l.Src(2, t)))
	default:
		mulHalf(l, t)
	}
}

// isOne reports whether a float is the constant one.
func isOne(v build.Value) bool {
	c, ok := expand.Known(v)
	return ok && (len(v) == 1 && c == expand.One32 || len(v) == 2 && c == expand.One64<<32)
}

func fma(l *build.Builder) {
	t := l.Typ(0)
	switch t {
	case isa.F32:
		if m, ok := mixed(l); ok {
			l.Emit(op.FHFMA, m, l.Dst(0)[:1], half(l, 1, l.Typ(1)), half(l, 2, l.Typ(1)), l.Reg(l.Src1(3, t)))
			return
		}
		l.Emit(op.FFMA, arithmetic(l), l.Dst(0)[:1], l.Src1(1, t), l.Src1(2, t), l.Src1(3, t))
	case isa.F32x2:
		twice(l, op.FFMA, false, 3)
	case isa.F64:
		binary64(l, op.DFMA, expand.Whole(l.Pair(l.Src(1, t))), double(l, l.Src(2, t)), double(l, l.Src(3, t)))
	default:
		fmaHalf(l, t)
	}
}

func negFloat(l *build.Builder, t isa.Type) {
	switch t {
	case isa.F32:
		m := op.Mods{}
		if l.Has(isa.WFtz) {
			m = op.M(op.MFTZ)
		}
		l.Emit(op.FADD, m, l.Dst(0)[:1], negateFloat(l.Src1(1, t)), expand.RZ().Negate())
	case isa.F64:
		binary64(l, op.DADD, expand.RZ().Negate(), double(l, l.Src(1, t)).Negate())
	default:
		signHalf(l, t)
	}
}

// mixed returns the modifiers of a sum or a product of halves that is an f32,
// if the instruction asks for one.
func mixed(l *build.Builder) (op.Mods, bool) {
	var m op.Mods
	switch l.Typ(1) {
	case isa.F16:
	case isa.BF16:
		m = op.M(op.MBF16)
	default:
		return m, false
	}
	if r := l.Rounding(); r != op.NoMod {
		m = m.With(r)
	}
	if l.Has(isa.WSat) {
		m = m.With(op.MSAT)
	}
	return m, true
}

// twice lowers an operation on two f32 values as two operations, which
// PackFloats makes one of where the machine has it.
func twice(l *build.Builder, o op.Op, sub bool, n int) {
	m := arithmetic(l)
	if l.Arch.Has(target.PairedFloats) {
		m = m.With(op.MPAIRED)
	}
	r := l.Tmp(2)
	for k := range r {
		var srcs []ori.Operand
		for a := 1; a <= n; a++ {
			s := l.Src(a, isa.F32x2)[k]
			if sub && a == 2 {
				s = negateFloat(s)
			}
			srcs = append(srcs, s)
		}
		l.Emit(o, m, r[k:k+1], srcs...)
	}
	l.Copy(l.Dst(0), r)
}
