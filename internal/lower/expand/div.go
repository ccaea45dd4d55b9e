// Package expand holds the long expansions: division of integers and floats,
// square roots, and the calls of routines that stand for them where a kernel
// needs one in several places.
package expand

import (
	"math/big"
	mbits "math/bits"

	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// div lowers div and rem of integers; floats have their own ways.
func div(l *build.Builder) {
	t := l.Typ(0)
	if t.Class() == isa.Float {
		divFloat(l, t)
		return
	}
	a, b := l.Extended(1, t), l.Extended(2, t)
	signed := t.Class() == isa.Signed
	rem := l.In.Op == isa.WRem
	d := l.Dst(0)
	if c, ok := build.Known(b); ok {
		l.Copy(d[:len(a)], divideConst(l, a, c, signed, rem))
		return
	}
	var r build.Value
	if t.Bits() == 64 {
		r = divide64(l, a, b, signed, rem)
	} else {
		r = divideWord(l, a, b, t.Bits(), signed, rem)
	}
	l.Copy(d[:len(a)], r)
}

// divideWord divides values of up to 32 bits.
func divideWord(l *build.Builder, a, b build.Value, bits int, signed, rem bool) build.Value {
	by := divide
	if bits == 16 {
		by = divide16
	}
	return withSigns(l, a, b, signed, rem, by)
}

// divide64 divides pairs. Most pairs that programs divide are words: these
// are divided as such, and the slow path is taken aside. Compilers that write
// PTX know that too: where the program asks by itself, it goes the slow path
// at once.
func divide64(l *build.Builder, a, b build.Value, signed, rem bool) build.Value {
	w := routine.KindDivide
	if signed {
		w = routine.KindSigned
	}
	if rem {
		w++
	}
	both := append(append(build.Value(nil), a...), b...)
	if asked64(l) {
		r := l.Tmp(2)
		if l.Guard.Kind != ori.KNone {
			l.Copy(r, build.Value{build.RZ(), build.RZ()})
		}
		l.Alone(func() { l.Copy(r, slowPath(l, w, op.NoMod, false, both)) })
		return r
	}
	q := divide(l, a[:1], b[:1], rem)[0]
	r := l.Tmp(2)
	l.Copy(r, l.Sel(build.Imm(^uint64(0), 2), build.Value{q, build.RZ()}, l.IsZero(b[:1])))
	long := l.Cmp1(op.MNE, false, l.Or2(a[1], b[1]), build.RZ())
	unlikely(l, long, func() { l.Copy(r, slowPath(l, w, op.NoMod, false, both)) })
	return r
}

// asked64 reports whether the body combines the operands of the current
// division elsewhere, as it does to see whether both are short.
func asked64(l *build.Builder) bool {
	a, b := &l.Args[1], &l.Args[2]
	if a.Kind != isa.KReg || b.Kind != isa.KReg {
		return false
	}
	if l.Ors == nil {
		l.Ors = map[[2]int32]bool{}
		for k := range l.Body.Instrs {
			in := &l.Body.Instrs[k]
			if in.Op != isa.WOr || in.NTypes == 0 || in.Types[0].Bits() != 64 {
				continue
			}
			if x := l.Body.Of(in.Args); len(x) == 3 && x[1].Kind == isa.KReg && x[2].Kind == isa.KReg {
				l.Ors[[2]int32{x[1].Ref, x[2].Ref}] = true
			}
		}
	}
	return l.Ors[[2]int32{a.Ref, b.Ref}] || l.Ors[[2]int32{b.Ref, a.Ref}]
}

// divide16 divides values below 2^16 in f32. The reciprocal is pushed up by
// two units in the last place, past the unit's error, so the product is not
// below the true quotient; it is above it by less than 2^-4/b, and the next
// integer is at least 1/b away.
func divide16(l *build.Builder, a, b build.Value, rem bool) build.Value {
	y := l.Iadd(l.One(op.MUFU, op.M(op.MRCP), ToFloat(l, b[0], false)), ori.Imm(2))
	f := l.One(op.FMUL, op.Mods{}, ToFloat(l, a[0], false), y)
	q := l.One(op.F2I, op.M(op.MU32, op.MTRUNC, op.MNTZ), f)
	if rem {
		return build.Value{l.Imad(q, l.Iadd(build.RZ(), build.Negate(b[0])), a[0])}
	}
	return build.Value{q}
}

// divideConst divides by a constant through multiplication and shifts.
func divideConst(l *build.Builder, a build.Value, c uint64, signed, rem bool) build.Value {
	n := uint(32 * len(a))
	if n == 32 {
		c = uint64(uint32(c))
	}
	if c == 0 {
		return build.Imm(^uint64(0), len(a))
	}
	var q build.Value
	if signed {
		q = signedConst(l, a, c, n)
	} else {
		q = unsignedConst(l, a, c, n)
	}
	if !rem {
		return q
	}
	if len(a) == 1 {
		return build.Value{l.Imad(q[0], build.Word(-uint32(c)), a[0])}
	}
	return l.Mul64(q, build.Imm(-c, 2), a)
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

func unsignedConst(l *build.Builder, a build.Value, c uint64, n uint) build.Value {
	if c&(c-1) == 0 {
		return l.Shr(a, ori.Imm(int64(mbits.TrailingZeros64(c))))
	}
	m, k := magic(c, n, n)
	if m.BitLen() <= int(n) {
		return l.Shr(l.High(a, build.Imm(m.Uint64(), len(a)), false), ori.Imm(int64(k)))
	}
	if z := uint(mbits.TrailingZeros64(c)); z > 0 {
		m, k = magic(c>>z, n, n-z)
		a = l.Shr(a, ori.Imm(int64(z)))
		return l.Shr(l.High(a, build.Imm(m.Uint64(), len(a)), false), ori.Imm(int64(k)))
	}
	// m has n+1 bits: a*m/2^n = t + a with t = a*(m-2^n)/2^n, halved early
	// so that the sum fits
	t := l.High(a, build.Imm(low64(m, n), len(a)), false)
	h := l.Sum(l.Shr(l.Diff(a, t), ori.Imm(1)), t)
	return l.Shr(h, ori.Imm(int64(k)-1))
}

// signedConst divides by a signed constant, rounding toward zero.
func signedConst(l *build.Builder, a build.Value, c uint64, n uint) build.Value {
	neg := c>>(n-1) != 0
	if neg {
		c = -c
		if n == 32 {
			c = uint64(uint32(c))
		}
	}
	last := ori.Imm(int64(n) - 1)
	var q build.Value
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
		q = l.High(a, build.Imm(v, len(a)), true)
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

// divFloat lowers div of floats.
func divFloat(l *build.Builder, t isa.Type) {
	l.Knows(isa.WRn)
	switch {
	case t == isa.F64:
		a, b := l.Pair(l.Src(1, t)), l.Pair(l.Src(2, t))
		div64(l, l.Dst(0), a, b)
	case l.Has(isa.WApprox) || l.Has(isa.WFull):
		divApprox(l)
	default:
		a, b := l.Reg(l.Src1(1, t)), l.Reg(l.Src1(2, t))
		div32(l, l.Dst(0)[:1], a, b)
	}
}
