package expand

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// DivideLong divides pairs.
func DivideLong(l *Writer, a, b Value, signed, rem bool) Value {
	return withSigns(l, a, b, signed, rem, Divide)
}

// withSigns divides by a way of unsigned division. A division by zero gives
// ones (measured).
func withSigns(l *Writer, a, b Value, signed, rem bool, by func(l *Writer, a, b Value, rem bool) Value) Value {
	var r Value
	if signed {
		r = by(l, l.Magnitude(a), l.Magnitude(b), rem)
		s := a[len(a)-1] // the remainder has the sign of the dividend
		if !rem {
			s = l.Xor2(s, b[len(b)-1])
		}
		r = l.Sel(l.Negated(r), r, l.Cmp1(op.MLT, true, s, RZ()))
	} else {
		r = by(l, a, b, rem)
	}
	return l.Sel(Imm(^uint64(0), len(a)), r, l.IsZero(b))
}

// Scales that turn a float reciprocal into one of fixed point, a little too
// small whatever the unit's last bits and the conversions did: 2^32-2^10 and
// 2^64-2^42.
const (
	scale32 = 0x4f7ffffc
	scale64 = 0x5f7ffffc
)

// reciprocal returns 2^32/b or 2^64/b, not above it and accurate to about
// 22 bits. For b = 0 it is anything.
func reciprocal(l *Writer, b Value) Value {
	z := l.Tmp(len(b))
	if len(b) == 1 {
		f := l.One(op.MUFU, op.M(op.MRCP), ToFloat(l, b[0], false))
		f = l.One(op.FMUL, op.Mods{}, f, ori.Imm32(scale32))
		l.Emit(op.F2I, op.M(op.MU32, op.MTRUNC, op.MNTZ), z, f)
		return z
	}
	f := l.Tmp(1)
	l.Emit(op.I2F, op.M(op.MU64), f, Whole(l.Pair(b)))
	y := l.One(op.MUFU, op.M(op.MRCP), f[0])
	y = l.One(op.FMUL, op.Mods{}, y, ori.Imm32(scale64))
	l.Emit(op.F2I, op.M(op.MU64, op.MTRUNC), Value{Whole(z)}, y)
	return z
}

// ToFloat converts a word to the nearest f32.
func ToFloat(l *Writer, a ori.Operand, signed bool) ori.Operand {
	kind := op.MU32
	if signed {
		kind = op.MS32
	}
	if l.Arch.Has(target.IntToFloat) {
		return l.One(op.I2FP, op.M(op.MF32, kind), a)
	}
	if signed {
		return l.One(op.I2F, op.Mods{}, a)
	}
	return l.One(op.I2F, op.M(kind), a)
}

// Divide returns the unsigned quotient or remainder of values of 32 or 64
// bits.
func Divide(l *Writer, a, b Value, rem bool) Value {
	q, r := divmod(l, a, b, !rem, rem)
	if rem {
		return r
	}
	return q
}

// divmod returns the unsigned quotient or remainder, or both. The
// fixed-point reciprocal z is refined by Newton's step
// z += z*(2^n - b*z)/2^n, once for 32 bits and twice for 64; it stays below
// the true one, and the quotient it gives is at most two too small.
func divmod(l *Writer, a, b Value, div, rem bool) (q, r Value) {
	z := reciprocal(l, b)
	minus := l.Negated(b)
	for range len(b) {
		z = l.Sum(z, l.High(z, l.Times(z, minus), false))
	}
	q = l.High(a, z, false)
	if len(a) == 1 {
		r = Value{l.Imad(q[0], minus[0], a[0])}
	} else {
		r = l.Mul64(q, minus, a)
	}
	if len(a) == 2 {
		return corrected(l, q, r, minus, div)
	}
	for n := range 2 {
		p := l.Cmp(op.MGE, false, r, b)
		if rem || n == 0 {
			l.AddIf(p, r, b, true)
		}
		if div {
			l.AddIf(p, q, Imm(1, len(q)), false)
		}
	}
	return q, r
}

// corrected adjusts a quotient of pairs that may be two too small, given the
// negated divisor: the sum with the rest carries if the rest is too large.
func corrected(l *Writer, q, r, minus Value, div bool) (Value, Value) {
	for range 2 {
		t, c, p := l.Tmp(2), l.Pred(), l.Pred()
		l.Emit(op.IADD3, op.Mods{}, Value{t[0], c}, r[0], minus[0], RZ())
		l.Emit(op.IADD3, op.M(op.MX), Value{t[1], p}, r[1], minus[1], RZ(), c, PT().Not())
		r = l.Sel(t, r, p)
		if div {
			l.AddIf(p, q, Imm(1, 2), false)
		}
	}
	return q, r
}
