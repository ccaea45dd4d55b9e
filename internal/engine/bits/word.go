// Package bits holds the small bit-level containers every layer shares:
// 128-bit words with fields, dense sets and sparse sets.
package bits

// Word is a 128-bit value; bit 0 is the lowest bit of Lo. A machine
// instruction is one Word, stored little-endian, Lo first.
type Word struct{ Lo, Hi uint64 }

// Field returns the n bits of w that start at bit lo, n at most 64. The
// field may straddle the two halves.
func (w Word) Field(lo, n uint) uint64 {
	var v uint64
	switch {
	case lo >= 64:
		v = w.Hi >> (lo - 64)
	case lo == 0:
		v = w.Lo
	default:
		v = w.Lo>>lo | w.Hi<<(64-lo)
	}
	return v & mask(n)
}

// With returns w with the n bits that start at bit lo replaced by the low
// n bits of v.
func (w Word) With(lo, n uint, v uint64) Word {
	m := mask(n)
	v &= m
	if lo >= 64 {
		w.Hi = w.Hi&^(m<<(lo-64)) | v<<(lo-64)
		return w
	}
	w.Lo = w.Lo&^(m<<lo) | v<<lo
	if lo+n > 64 {
		w.Hi = w.Hi&^(m>>(64-lo)) | v>>(64-lo)
	}
	return w
}

// Bit reports whether bit n of w is set.
func (w Word) Bit(n uint) bool { return w.Field(n, 1) != 0 }

// And returns the bitwise and of w and x.
func (w Word) And(x Word) Word { return Word{w.Lo & x.Lo, w.Hi & x.Hi} }

// Or returns the bitwise or of w and x.
func (w Word) Or(x Word) Word { return Word{w.Lo | x.Lo, w.Hi | x.Hi} }

func mask(n uint) uint64 { return ^uint64(0) >> (64 - n) }
