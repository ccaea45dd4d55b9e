package lower

import (
	"math/big"
	mbits "math/bits"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// div lowers div and rem of integers; floats have their own ways.
func (l *lowerer) div() {
	t := l.typ(0)
	if t.Class() == isa.Float {
		l.divFloat(t)
		return
	}
	a, b := l.extended(1, t), l.extended(2, t)
	signed := t.Class() == isa.Signed
	rem := l.in.Op == isa.WRem
	d := l.dst(0)
	if c, ok := known(b); ok {
		l.copy(d[:len(a)], l.divideConst(a, c, signed, rem))
		return
	}
	var r value
	if t.Bits() == 64 {
		r = l.divide64(a, b, signed, rem)
	} else {
		r = l.divideWord(a, b, t.Bits(), signed, rem)
	}
	l.copy(d[:len(a)], r)
}

// divideWord divides values of up to 32 bits.
func (l *lowerer) divideWord(a, b value, bits int, signed, rem bool) value {
	by := (*lowerer).divide
	if bits == 16 {
		by = (*lowerer).divide16
	}
	return l.signed(a, b, signed, rem, by)
}

// divideLong divides pairs.
func (l *lowerer) divideLong(a, b value, signed, rem bool) value {
	return l.signed(a, b, signed, rem, (*lowerer).divide)
}

// signed divides by a way of unsigned division. A division by zero gives
// ones (measured).
func (l *lowerer) signed(a, b value, signed, rem bool, by func(l *lowerer, a, b value, rem bool) value) value {
	var r value
	if signed {
		r = by(l, l.magnitude(a), l.magnitude(b), rem)
		s := a[len(a)-1] // the remainder has the sign of the dividend
		if !rem {
			s = l.xor2(s, b[len(b)-1])
		}
		r = l.sel(l.negated(r), r, l.cmp1(op.MLT, true, s, rz()))
	} else {
		r = by(l, a, b, rem)
	}
	return l.sel(imm(^uint64(0), len(a)), r, l.isZero(b))
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
func (l *lowerer) reciprocal(b value) value {
	z := l.tmp(len(b))
	if len(b) == 1 {
		f := l.one(op.MUFU, op.M(op.MRCP), l.toFloat(b[0], false))
		f = l.one(op.FMUL, op.Mods{}, f, ori.Imm32(scale32))
		l.emit(op.F2I, op.M(op.MU32, op.MTRUNC, op.MNTZ), z, f)
		return z
	}
	f := l.tmp(1)
	l.emit(op.I2F, op.M(op.MU64), f, whole(l.pair(b)))
	y := l.one(op.MUFU, op.M(op.MRCP), f[0])
	y = l.one(op.FMUL, op.Mods{}, y, ori.Imm32(scale64))
	l.emit(op.F2I, op.M(op.MU64, op.MTRUNC), value{whole(z)}, y)
	return z
}

// toFloat converts a word to the nearest f32.
func (l *lowerer) toFloat(a ori.Operand, signed bool) ori.Operand {
	kind := op.MU32
	if signed {
		kind = op.MS32
	}
	if l.arch.Has(target.IntToFloat) {
		return l.one(op.I2FP, op.M(op.MF32, kind), a)
	}
	if signed {
		return l.one(op.I2F, op.Mods{}, a)
	}
	return l.one(op.I2F, op.M(kind), a)
}

// divide returns the unsigned quotient or remainder of values of 32 or 64
// bits.
func (l *lowerer) divide(a, b value, rem bool) value {
	q, r := l.divmod(a, b, !rem, rem)
	if rem {
		return r
	}
	return q
}

// divmod returns the unsigned quotient or remainder, or both. The
// fixed-point reciprocal z is refined by Newton's step
// z += z*(2^n - b*z)/2^n, once for 32 bits and twice for 64; it stays below
// the true one, and the quotient it gives is at most two too small.
func (l *lowerer) divmod(a, b value, div, rem bool) (q, r value) {
	z := l.reciprocal(b)
	minus := l.negated(b)
	for range len(b) {
		z = l.sum(z, l.high(z, l.times(z, minus), false))
	}
	q = l.high(a, z, false)
	if len(a) == 1 {
		r = value{l.imad(q[0], minus[0], a[0])}
	} else {
		r = l.mul64(q, minus, a)
	}
	if len(a) == 2 {
		return l.corrected(q, r, minus, div)
	}
	for n := range 2 {
		p := l.cmp(op.MGE, false, r, b)
		if rem || n == 0 {
			l.addIf(p, r, b, true)
		}
		if div {
			l.addIf(p, q, imm(1, len(q)), false)
		}
	}
	return q, r
}

// corrected adjusts a quotient of pairs that may be two too small, given the
// negated divisor: the sum with the rest carries if the rest is too large.
func (l *lowerer) corrected(q, r, minus value, div bool) (value, value) {
	for range 2 {
		t, c, p := l.tmp(2), l.pred(), l.pred()
		l.emit(op.IADD3, op.Mods{}, value{t[0], c}, r[0], minus[0], rz())
		l.emit(op.IADD3, op.M(op.MX), value{t[1], p}, r[1], minus[1], rz(), c, pt().Not())
		r = l.sel(t, r, p)
		if div {
			l.addIf(p, q, imm(1, 2), false)
		}
	}
	return q, r
}

// divide64 divides pairs. Most pairs that programs divide are words: these
// are divided as such, and the long way is taken aside. Compilers that write
// PTX know that too: where the program asks by itself, it goes the long way
// at once.
func (l *lowerer) divide64(a, b value, signed, rem bool) value {
	w := wayDivide
	if signed {
		w = waySigned
	}
	if rem {
		w++
	}
	both := append(append(value(nil), a...), b...)
	if l.asked64() {
		r := l.tmp(2)
		if l.guard.Kind != ori.KNone {
			l.copy(r, value{rz(), rz()})
		}
		l.alone(func() { l.copy(r, l.longWay(w, op.NoMod, false, both)) })
		return r
	}
	q := l.divide(a[:1], b[:1], rem)[0]
	r := l.tmp(2)
	l.copy(r, l.sel(imm(^uint64(0), 2), value{q, rz()}, l.isZero(b[:1])))
	long := l.cmp1(op.MNE, false, l.or2(a[1], b[1]), rz())
	l.unlikely(long, func() { l.copy(r, l.longWay(w, op.NoMod, false, both)) })
	return r
}

// asked64 reports whether the body combines the operands of the current
// division elsewhere, as it does to see whether both are short.
func (l *lowerer) asked64() bool {
	a, b := &l.args[1], &l.args[2]
	if a.Kind != isa.KReg || b.Kind != isa.KReg {
		return false
	}
	if l.ors == nil {
		l.ors = map[[2]int32]bool{}
		for k := range l.body.Instrs {
			in := &l.body.Instrs[k]
			if in.Op != isa.WOr || in.NTypes == 0 || in.Types[0].Bits() != 64 {
				continue
			}
			if x := l.body.Of(in.Args); len(x) == 3 && x[1].Kind == isa.KReg && x[2].Kind == isa.KReg {
				l.ors[[2]int32{x[1].Ref, x[2].Ref}] = true
			}
		}
	}
	return l.ors[[2]int32{a.Ref, b.Ref}] || l.ors[[2]int32{b.Ref, a.Ref}]
}

// divide16 divides values below 2^16 in f32. The reciprocal is pushed up by
// two units in the last place, past the unit's error, so the product is not
// below the true quotient; it is above it by less than 2^-4/b, and the next
// integer is at least 1/b away.
func (l *lowerer) divide16(a, b value, rem bool) value {
	y := l.iadd(l.one(op.MUFU, op.M(op.MRCP), l.toFloat(b[0], false)), ori.Imm(2))
	f := l.one(op.FMUL, op.Mods{}, l.toFloat(a[0], false), y)
	q := l.one(op.F2I, op.M(op.MU32, op.MTRUNC, op.MNTZ), f)
	if rem {
		return value{l.imad(q, l.iadd(rz(), negate(b[0])), a[0])}
	}
	return value{q}
}

// divideConst divides by a constant through multiplication and shifts.
func (l *lowerer) divideConst(a value, c uint64, signed, rem bool) value {
	n := uint(32 * len(a))
	if n == 32 {
		c = uint64(uint32(c))
	}
	if c == 0 {
		return imm(^uint64(0), len(a))
	}
	var q value
	if signed {
		q = l.signedConst(a, c, n)
	} else {
		q = l.unsignedConst(a, c, n)
	}
	if !rem {
		return q
	}
	if len(a) == 1 {
		return value{l.imad(q[0], word(-uint32(c)), a[0])}
	}
	return l.mul64(q, imm(-c, 2), a)
}

// magic finds the smallest k and m = ceil(2^(n+k)/d) with floor(a*m/2^(n+k))
// = floor(a/d) for all a below 2^size.
func magic(d uint64, n, size uint) (m *big.Int, k uint) {
	div := new(big.Int).SetUint64(d)
	for k = 0; ; k++ {
		pow := new(big.Int).Lsh(big.NewInt(1), n+k)
		m = new(big.Int).Add(pow, new(big.Int).Sub(div, big.NewInt(1)))
		m.Div(m, div)
		excess := new(big.Int).Sub(new(big.Int).Mul(m, div), pow)
		if excess.Cmp(new(big.Int).Lsh(big.NewInt(1), n+k-size)) <= 0 {
			return m, k
		}
	}
}

// low64 returns the low n bits of m.
func low64(m *big.Int, n uint) uint64 {
	mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), n), big.NewInt(1))
	return mask.And(mask, m).Uint64()
}

func (l *lowerer) unsignedConst(a value, c uint64, n uint) value {
	if c&(c-1) == 0 {
		return l.shr(a, ori.Imm(int64(mbits.TrailingZeros64(c))))
	}
	m, k := magic(c, n, n)
	if m.BitLen() <= int(n) {
		return l.shr(l.high(a, imm(m.Uint64(), len(a)), false), ori.Imm(int64(k)))
	}
	if z := uint(mbits.TrailingZeros64(c)); z > 0 {
		m, k = magic(c>>z, n, n-z)
		a = l.shr(a, ori.Imm(int64(z)))
		return l.shr(l.high(a, imm(m.Uint64(), len(a)), false), ori.Imm(int64(k)))
	}
	// m has n+1 bits: a*m/2^n = t + a with t = a*(m-2^n)/2^n, halved early
	// so that the sum fits
	t := l.high(a, imm(low64(m, n), len(a)), false)
	h := l.sum(l.shr(l.diff(a, t), ori.Imm(1)), t)
	return l.shr(h, ori.Imm(int64(k)-1))
}

// signedConst divides by a signed constant, rounding toward zero.
func (l *lowerer) signedConst(a value, c uint64, n uint) value {
	neg := c>>(n-1) != 0
	if neg {
		c = -c
		if n == 32 {
			c = uint64(uint32(c))
		}
	}
	last := ori.Imm(int64(n) - 1)
	var q value
	switch {
	case c == 1:
		q = a
	case c&(c-1) == 0:
		k := mbits.TrailingZeros64(c)
		bias := l.shr(l.sar(a, last), ori.Imm(int64(n)-int64(k)))
		q = l.sar(l.sum(a, bias), ori.Imm(int64(k)))
	default:
		m, k := magic(c, n, n-1)
		v := low64(m, n)
		q = l.high(a, imm(v, len(a)), true)
		if v>>(n-1) != 0 { // the multiplier was read as m-2^n
			q = l.sum(q, a)
		}
		q = l.sum(l.sar(q, ori.Imm(int64(k))), l.shr(a, last))
	}
	if neg {
		return l.negated(q)
	}
	return q
}
