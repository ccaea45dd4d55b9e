package fp

import "math/bits"

// Kind tells what a Num is.
type Kind uint8

// The kinds of number.
const (
	Zero Kind = iota
	Finite
	Inf
	NaN
)

// top is the place of a normalised significand's first bit: the 127 bits
// below the sign of a 128-bit word leave one bit of headroom for carries.
const top = 126

// Num is an unpacked number. A finite one is (Hi:Lo) × 2^(Exp-126) with bit
// 126 set; the last bit may be sticky, standing for anything below. A NaN
// keeps its fraction left-aligned in Hi, the quiet bit first.
type Num struct {
	Kind   Kind
	Neg    bool
	Exp    int
	Hi, Lo uint64
}

// Unpack reads a value of the format.
func (f Format) Unpack(x uint64) Num {
	l := &layouts[f]
	n := Num{Neg: f.Sign(x)}
	mag := (x & f.magMask()) >> l.shift
	frac := mag & (1<<l.man - 1)
	switch {
	case f.IsNaN(x):
		n.Kind = NaN
		n.Hi = frac << (64 - l.man)
		return n
	case f.IsInf(x):
		n.Kind = Inf
		return n
	case f.IsZero(x):
		return n
	}
	exp := int(mag >> l.man)
	n.Kind = Finite
	if exp == 0 && f != UE8M0 {
		z := bits.LeadingZeros64(frac)
		n.Hi = frac << (z - 1)
		n.Exp = 1 - int(l.bias) - int(l.man) + 63 - z
		return n
	}
	n.Hi = (frac | 1<<l.man) << (62 - l.man)
	n.Exp = exp - int(l.bias)
	return n
}

// shiftRightJam shifts a 128-bit word right and keeps a sticky last bit.
func shiftRightJam(hi, lo uint64, n int) (uint64, uint64) {
	var lost uint64
	switch {
	case n <= 0:
		return hi, lo
	case n < 64:
		lost = lo << (64 - n)
		hi, lo = hi>>n, hi<<(64-n)|lo>>n
	case n < 128:
		n -= 64
		lost = lo | hi<<(63-n)<<1
		hi, lo = 0, hi>>n
	default:
		lost = hi | lo
		hi, lo = 0, 0
	}
	if lost != 0 {
		lo |= 1
	}
	return hi, lo
}

func shiftLeft(hi, lo uint64, n int) (uint64, uint64) {
	if n >= 64 {
		return lo << (n - 64), 0
	}
	return hi<<n | lo>>1>>(63-n), lo << n
}

// normal builds a finite number (or a positive zero) from a significand with
// its first bit anywhere and the weight 2^(exp-126) of its unit.
func normal(neg bool, exp int, hi, lo uint64) Num {
	if hi|lo == 0 {
		return Num{}
	}
	z := bits.LeadingZeros64(hi)
	if hi == 0 {
		z = 64 + bits.LeadingZeros64(lo)
	}
	n := Num{Kind: Finite, Neg: neg}
	if z == 0 {
		n.Hi, n.Lo = shiftRightJam(hi, lo, 1)
	} else {
		n.Hi, n.Lo = shiftLeft(hi, lo, z-1)
	}
	n.Exp = exp + 1 - z
	return n
}

// FromUint returns the number v, negated if neg.
func FromUint(v uint64, neg bool) Num {
	if v == 0 {
		return Num{}
	}
	return normal(neg, top, 0, v)
}

// add returns a+b of finite or zero numbers; a sum of exactly zero takes the
// sign IEEE 754 gives it under the rounding r.
func add(a, b Num, r Round) Num {
	switch {
	case a.Kind == Zero && b.Kind == Zero:
		if a.Neg != b.Neg {
			a.Neg = r == RM
		}
		return a
	case a.Kind == Zero:
		return b
	case b.Kind == Zero:
		return a
	}
	if a.Exp < b.Exp || a.Exp == b.Exp && (a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo) {
		a, b = b, a
	}
	bh, bl := shiftRightJam(b.Hi, b.Lo, a.Exp-b.Exp)
	if a.Neg == b.Neg {
		lo, c := bits.Add64(a.Lo, bl, 0)
		hi, _ := bits.Add64(a.Hi, bh, c)
		return normal(a.Neg, a.Exp, hi, lo)
	}
	lo, c := bits.Sub64(a.Lo, bl, 0)
	hi, _ := bits.Sub64(a.Hi, bh, c)
	if hi|lo == 0 {
		return Num{Neg: r == RM}
	}
	return normal(a.Neg, a.Exp, hi, lo)
}

// mul returns the exact product of two finite numbers whose significands
// fit in Hi, as those of every format do.
func mul(a, b Num) Num {
	hi, lo := bits.Mul64(a.Hi, b.Hi)
	return normal(a.Neg != b.Neg, a.Exp+b.Exp+2, hi, lo)
}

// div returns a/b of finite numbers with 64 bits and a sticky one.
func div(a, b Num) Num {
	ah, exp := a.Hi, a.Exp-b.Exp-1
	if ah >= b.Hi {
		ah >>= 1 // exact: every format leaves low bits free
		exp++
	}
	q, rem := bits.Div64(ah, 0, b.Hi)
	lo := q << 63
	if rem != 0 {
		lo |= 1
	}
	return Num{Kind: Finite, Neg: a.Neg != b.Neg, Exp: exp, Hi: q >> 1, Lo: lo}
}

// sqrt returns the root of a positive finite number with 64 bits and a
// sticky one.
func sqrt(a Num) Num {
	hi, lo, e := a.Hi, a.Lo, a.Exp
	if e&1 != 0 {
		hi, lo = shiftLeft(hi, lo, 1)
		e--
	}
	q := isqrt(hi, lo)
	sh, sl := bits.Mul64(q, q)
	l := q << 63
	if sh != hi || sl != lo {
		l |= 1
	}
	return Num{Kind: Finite, Exp: e / 2, Hi: q >> 1, Lo: l}
}

// isqrt returns the integer root of a number of at least 2^126, bit by bit:
// the root has its first bit at 63.
func isqrt(hi, lo uint64) uint64 {
	var q uint64
	for bit := uint64(1) << 63; bit != 0; bit >>= 1 {
		t := q | bit
		sh, sl := bits.Mul64(t, t)
		if sh < hi || sh == hi && sl <= lo {
			q = t
		}
	}
	return q
}
