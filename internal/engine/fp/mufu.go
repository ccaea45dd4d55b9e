package fp

import "math/bits"

// The multi-function unit evaluates every function the same way: the high bits
// of a fixed-point argument choose a row of a table, the low bits t are put
// into c0 + c1·t + c2·t², and the sum, kept to 2^-40, is normalised and cut. Only
// the squarer is not exact: partial products below a column are left out. The
// rows and the biases of the sums (mufu_gen.go) were fitted to results of an
// H200, all of which they give exactly; docs/fp.md tells how.

// row is one piece of a function: c0 in units of 2^-26, c1 and c2 in the
// units of its curve.
type row struct{ c0, c1, c2 int32 }

// curve is a function of a fixed-point argument.
type curve struct {
	rows   []row
	low    uint  // bits of t
	cut    uint  // columns of the square that are left out
	s1, s2 uint  // c1 and c2 are in units of 2^(s-40)
	bias   int64 // added to every c0, in units of 2^-40
}

// fraction is the number of fraction bits of sums.
const fraction = 40

// at returns the value for argument k in units of 2^-40.
func (c *curve) at(k uint32) int64 {
	r := &c.rows[k>>c.low]
	t := k & (1<<c.low - 1)
	return int64(r.c0)<<(fraction-26) + c.bias + int64(r.c1)*int64(t)<<c.s1 + int64(r.c2)*square(t, c.cut)<<c.s2
}

// square is t²>>cut as the unit computes it: bit i of t stands in column 2i,
// the product of bits i and j in column i+j+1, and columns below cut are
// missing.
func square(t uint32, cut uint) int64 {
	var sum uint64
	for m := t; m != 0; m &= m - 1 {
		i := uint(bits.TrailingZeros32(m))
		if 2*i >= cut {
			sum += 1 << (2 * i)
		}
		first := i + 1
		if i+1+first < cut {
			first = cut - 1 - i
		}
		sum += uint64(t>>first) << (first + i + 1)
	}
	return int64(sum >> cut)
}

// pack cuts a positive sum, times 2^exp, to an f32.
func pack(v int64, exp int) uint32 {
	n := bits.Len64(uint64(v)) - 1
	m := uint32(uint64(v) << (63 - n) >> 40)
	return uint32(n-fraction+exp+bias32)<<23 + m - 1<<23
}

const bias32 = 127

// Mufu is the machine's own operation on f32: subnormal arguments count as
// zeros and subnormal results are flushed, except by TanhFn.
func Mufu(fn Func, x uint32) uint32 {
	if fn != TanhFn && x&inf32 == 0 {
		x &= neg32
	}
	if r, ok := special(fn, x); ok {
		return r
	}
	return table(fn, x)
}

// special gives the results that do not come from tables: NaN, zeros,
// infinities, negative arguments of functions that have no value there, and
// exponents out of range.
func special(fn Func, x uint32) (uint32, bool) {
	mag, sign := x&^neg32, x&neg32
	switch {
	case mag > inf32:
		return nan32, true
	case mag == 0:
		return atZero(fn, sign), true
	case sign != 0 && (fn == RsqFn || fn == SqrtFn || fn == Lg2Fn):
		return nan32, true
	case mag == inf32:
		return atInf(fn, sign), true
	case fn == RcpFn && mag > 0x7e800000: // above 2^126 the result is subnormal
		return sign, true
	case fn == Ex2Fn && sign == 0 && mag >= 0x43000000: // from 128 on
		return inf32, true
	case fn == Ex2Fn && sign != 0 && mag >= 0x43160000: // from -150 on
		return 0, true
	}
	return 0, false
}

func atZero(fn Func, sign uint32) uint32 {
	switch fn {
	case RcpFn, RsqFn:
		return inf32 | sign
	case Lg2Fn:
		return inf32 | neg32
	case Ex2Fn, CosFn:
		return one32
	}
	return sign
}

func atInf(fn Func, sign uint32) uint32 {
	switch fn {
	case RcpFn:
		return sign
	case RsqFn:
		return 0
	case SqrtFn, Lg2Fn:
		return inf32
	case Ex2Fn:
		if sign != 0 {
			return 0
		}
		return inf32
	case TanhFn:
		return one32 | sign
	}
	return nan32
}

// table is the unit on a normal f32 that special does not cover. Exponents of
// rsqrt and sqrt are halved, so their arguments are two binades.
func table(fn Func, x uint32) uint32 {
	sign, m := x&neg32, x&(1<<23-1)
	e := int(x&^neg32>>23) - bias32
	switch fn {
	case RcpFn:
		return sign | pack(rcpCurve.at(m), -e)
	case RsqFn:
		if m == 0 && e&1 == 0 { // powers of four are exact
			return uint32(bias32-e/2) << 23
		}
		return pack(rsqCurve.at(m|uint32(e&1)<<23), -(e >> 1))
	case SqrtFn:
		return pack(sqrtCurve.at(m|uint32(e&1)<<23), e>>1)
	case Ex2Fn:
		return ex2(m|1<<23, e, sign != 0)
	case Lg2Fn:
		return lg2(m, e)
	case SinFn:
		return sine(turns(m|1<<23, e), sign)
	case CosFn:
		return sine(turns(m|1<<23, e)+1<<23, 0)
	}
	return sign | tanh(m, e)
}

// turns is an angle in turns, modulo one, in units of 2^-25.
func turns(m uint32, e int) uint32 {
	const turn = 1<<25 - 1
	if e >= -2 {
		return m << min(uint(e+2), 31) & turn
	}
	return m >> min(uint(-e)-2, 31)
}

// sine is the sine of an angle in units of 2^-25 turns. Falling quarters are
// the rising ones read backwards.
func sine(k, sign uint32) uint32 {
	const quarter = 1<<23 - 1
	if k>>24&1 != 0 {
		sign ^= neg32
	}
	f := k & quarter
	if k>>23&1 != 0 {
		f ^= quarter
	}
	v := sinCurve.at(f)
	if v == 0 {
		return sign
	}
	return sign | pack(v, 0)
}

// ex2 is 2^(±m·2^(e-23)). Fractions of negative arguments are complemented, not
// negated.
func ex2(m uint32, e int, neg bool) uint32 {
	var k int32 // in units of 2^-23
	if e >= 0 {
		k = int32(m) << e
	} else {
		k = int32(m >> min(uint(-e), 31))
	}
	const part = 1<<23 - 1
	switch {
	case neg && k&part == 0:
		k = -k
	case neg:
		k = ^k
	}
	exp := int(k >> 23)
	if exp < 1-bias32 {
		return 0
	}
	return pack(ex2Curve.at(uint32(k&part)), exp)
}

// lg2 is the logarithm of (1+m·2^-23)·2^e, cut to 2^-36; negative ones are the
// complement.
func lg2(m uint32, e int) uint32 {
	const lost = 1<<(fraction-36) - 1
	if m == 0 && e == 0 {
		return 0
	}
	v := int64(e)<<fraction + lg2Curve.at(m)
	if v < 0 {
		return neg32 | pack(^v&^lost, 0)
	}
	return pack(v&^lost, 0)
}

// tanhPiece says where the rows of one binade begin and how many low bits of
// the mantissa do not count.
type tanhPiece struct{ first, drop uint32 }

// tanhPieces are the binades from 2^-8 on. Below them the result is the
// argument, above them one.
var tanhPieces = [...]tanhPiece{{0, 6}, {1, 6}, {2, 6}, {3, 5}, {5, 5}, {7, 4}, {11, 4}, {15, 4}, {19, 3}, {27, 2}, {43, 3}}

const tanhFirst = -8

// tanh is the hyperbolic tangent of (1+m·2^-23)·2^e.
func tanh(m uint32, e int) uint32 {
	n := e - tanhFirst
	switch {
	case n < 0:
		return uint32(e+bias32)<<23 | m
	case n >= len(tanhPieces):
		return one32
	}
	p := tanhPieces[n]
	return pack(tanhCurve.at(p.first<<tanhCurve.low+m>>p.drop), min(e+1, 0))
}
