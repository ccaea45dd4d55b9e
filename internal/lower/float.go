package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// rounding returns the machine's rounding modifier; rn is silent.
func (l *lowerer) rounding() op.Mod {
	l.knows(isa.WRn)
	return l.which(roundings)
}

// arithmetic builds the modifiers .FTZ, rounding and .SAT in the
// assembler's order.
func (l *lowerer) arithmetic() op.Mods {
	var m op.Mods
	if l.has(isa.WFtz) {
		m = m.With(op.MFTZ)
	}
	if r := l.rounding(); r != op.NoMod {
		m = m.With(r)
	}
	if l.has(isa.WSat) {
		m = m.With(op.MSAT)
	}
	if l.contracts() {
		m = m.With(op.MCONTRACT)
	}
	return m
}

// contracts reports whether a multiplication and an addition may become one
// operation with one rounding: PTX allows it where no rounding is written.
// A product that is bounded is rounded before that.
func (l *lowerer) contracts() bool {
	switch l.in.Op {
	case isa.WAdd, isa.WSub, isa.WMul:
		t := l.typ(0)
		if l.in.Op == isa.WMul && l.has(isa.WSat) {
			return false
		}
		return !l.opts.NoFMA && !l.has(isa.WRn) && l.rounding() == op.NoMod && (t == isa.F32 || t == isa.F64)
	}
	return false
}

func (l *lowerer) addFloat(t isa.Type) {
	sub := l.in.Op == isa.WSub
	switch t {
	case isa.F32:
		b := l.src1(2, t)
		if sub {
			b = negateFloat(b)
		}
		l.emit(op.FADD, l.arithmetic(), l.dst(0)[:1], l.single(1), b)
	case isa.F32x2:
		l.twice(op.FADD, sub, 2)
	case isa.F64:
		b := l.double(l.src(2, t))
		if sub {
			b = b.Negate()
		}
		l.binary64(op.DADD, whole(l.pair(l.src(1, t))), b)
	default:
		l.addHalf(t)
	}
}

// negateFloat returns -x of an f32 value; constants fold.
func negateFloat(x ori.Operand) ori.Operand {
	switch x.Kind {
	case ori.KImm:
		return word(uint32(x.Imm) ^ 1<<31)
	case ori.KZero:
		return ori.Imm32(1 << 31)
	}
	return x.Negate()
}

// double makes an f64 operand: a register pair.
func (l *lowerer) double(v value) ori.Operand { return whole(l.pair(v)) }

// binary64 emits a two-operand f64 operation.
func (l *lowerer) binary64(o op.Op, srcs ...ori.Operand) {
	t := l.tmp(2)
	l.emit(o, l.arithmetic(), value{whole(t)}, srcs...)
	l.copy(l.dst(0), t)
}

func (l *lowerer) mulFloat(t isa.Type) {
	if (t == isa.F32 || t == isa.F64) && !l.has(isa.WFtz) && !l.has(isa.WSat) && !l.has(isa.WRn) && l.rounding() == op.NoMod {
		for n := 1; n <= 2; n++ {
			if isOne(l.src(n, t)) {
				l.copy(l.dst(0)[:words(t)], l.src(3-n, t))
				return
			}
		}
	}
	switch t {
	case isa.F32:
		l.emit(op.FMUL, l.arithmetic(), l.dst(0)[:1], l.src1(1, t), l.src1(2, t))
	case isa.F32x2:
		l.twice(op.FMUL, false, 2)
	case isa.F64:
		l.binary64(op.DMUL, whole(l.pair(l.src(1, t))), l.double(l.src(2, t)))
	default:
		l.mulHalf(t)
	}
}

// isOne reports whether a float is the constant one.
func isOne(v value) bool {
	c, ok := known(v)
	return ok && (len(v) == 1 && c == one32 || len(v) == 2 && c == one64<<32)
}

func (l *lowerer) fma() {
	t := l.typ(0)
	switch t {
	case isa.F32:
		l.emit(op.FFMA, l.arithmetic(), l.dst(0)[:1], l.single(1), l.single(2), l.src1(3, t))
	case isa.F32x2:
		l.twice(op.FFMA, false, 3)
	case isa.F64:
		l.binary64(op.DFMA, whole(l.pair(l.src(1, t))), l.double(l.src(2, t)), l.double(l.src(3, t)))
	default:
		l.fmaHalf(t)
	}
}

func (l *lowerer) negFloat(t isa.Type) {
	switch t {
	case isa.F32:
		m := op.Mods{}
		if l.has(isa.WFtz) {
			m = op.M(op.MFTZ)
		}
		l.emit(op.FADD, m, l.dst(0)[:1], negateFloat(l.src1(1, t)), rz().Negate())
	case isa.F64:
		l.binary64(op.DADD, rz().Negate(), l.double(l.src(1, t)).Negate())
	default:
		l.signHalf(t)
	}
}

// single returns argument n as an f32; where the instruction says that it is
// a half, it is widened, which is exact.
func (l *lowerer) single(n int) ori.Operand {
	switch l.typ(1) {
	case isa.F16:
		return l.one(op.HADD2, op.M(op.MF32), rz().Negate(), l.half(n, isa.F16))
	case isa.BF16:
		return l.shl1(l.src1(n, isa.BF16), ori.Imm(16))
	}
	return l.src1(n, isa.F32)
}

// twice lowers an operation on two f32 values as two operations.
func (l *lowerer) twice(o op.Op, sub bool, n int) {
	m := l.arithmetic()
	r := l.tmp(2)
	for k := range r {
		var srcs []ori.Operand
		for a := 1; a <= n; a++ {
			s := l.src(a, isa.F32x2)[k]
			if sub && a == 2 {
				s = negateFloat(s)
			}
			srcs = append(srcs, s)
		}
		l.emit(o, m, r[k:k+1], srcs...)
	}
	l.copy(l.dst(0), r)
}
