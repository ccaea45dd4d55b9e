package expand

import (
	"math/big"
	mbits "math/bits"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// DivideWord divides values of up to 32 bits.
func DivideWord(l *Writer, a, b Value, bits int, signed, rem bool) Value {
	by := Divide
	if bits == 16 {
		by = divide16
	}
	return withSigns(l, a, b, signed, rem, by)
}

// divide16 divides values below 2^16 in f32. The reciprocal is pushed up by
// two units in the last place, past the unit's error, so the product is not
// below the true quotient; it is above it by less than 2^-4/b, and the next
// integer is at least 1/b away.
func divide16(l *Writer, a, b Value, rem bool) Value {
	y := l.Iadd(l.One(op.MUFU, op.M(op.MRCP), ToFloat(l, b[0], false)), ori.Imm(2))
	f := l.One(op.FMUL, op.Mods{}, ToFloat(l, a[0], false), y)
	q := l.One(op.F2I, op.M(op.MU32, op.MTRUNC, op.MNTZ), f)
	if rem {
		return Value{l.Imad(q, l.Iadd(RZ(), Negate(b[0])), a[0])}
	}
	return Value{q}
}

// DivideConst divides by a constant through multiplication and shifts.
func DivideConst(l *Writer, a Value, c uint64, signed, rem bool) Value {
	n := uint(32 * len(a))
	if n == 32 {
		c = uint64(uint32(c))
	}
	if c == 0 {
		return Imm(^uint64(0), len(a))
	}
	var q Value
	if signed {
		q = signedConst(l, a, c, n)
	} else {
		q = unsignedConst(l, a, c, n)
	}
	if !rem {
		return q
	}
	if len(a) == 1 {
		return Value{l.Imad(q[0], Word(-uint32(c)), a[0])}
	}
	return l.Mul64(q, Imm(-c, 2), a)
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

func unsignedConst(l *Writer, a Value, c uint64, n uint) Value {
	if c&(c-1) == 0 {
		return l.Shr(a, ori.Imm(int64(mbits.TrailingZeros64(c))))
	}
	m, k := magic(c, n, n)
	if m.BitLen() <= int(n) {
		return l.Shr(l.High(a, Imm(m.Uint64(), len(a)), false), ori.Imm(int64(k)))
	}
	if z := uint(mbits.TrailingZeros64(c)); z > 0 {
		m, k = magic(c>>z, n, n-z)
		a = l.Shr(a, ori.Imm(int64(z)))
		return l.Shr(l.High(a, Imm(m.Uint64(), len(a)), false), ori.Imm(int64(k)))
	}
	// m has n+1 bits: a*m/2^n = t + a with t = a*(m-2^n)/2^n, halved early
	// so that the sum fits
	t := l.High(a, Imm(low64(m, n), len(a)), false)
	h := l.Sum(l.Shr(l.Diff(a, t), ori.Imm(1)), t)
	return l.Shr(h, ori.Imm(int64(k)-1))
}

// signedConst divides by a signed constant, rounding toward zero.
func signedConst(l *Writer, a Value, c uint64, n uint) Value {
	neg := c>>(n-1) != 0
	if neg {
		c = -c
		if n == 32 {
			c = uint64(uint32(c))
		}
	}
	last := ori.Imm(int64(n) - 1)
	var q Value
	switch {
	case c == 1:
		q = a
	case c&(c-1) == 0:
		k := mbits.TrailingZeros64(c)
		bias := l.Shr(l.Sar(a, last), ori.Imm(int64(n)-int64(k)))
		q = l.Sar(l.Sum(a, bias), ori.Imm(int64(k)))
	default:
		m, k := magic(c, n, n-1)
		v := low64(m, n)
		q = l.High(a, Imm(v, len(a)), true)
		if v>>(n-1) != 0 { // the multiplier was read as m-2^n
			q = l.Sum(q, a)
		}
		q = l.Sum(l.Sar(q, ori.Imm(int64(k))), l.Shr(a, last))
	}
	if neg {
		return l.Negated(q)
	}
	return q
}
