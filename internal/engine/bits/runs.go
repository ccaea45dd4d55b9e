package bits

import "math/bits"

// Runs of numbers, as the register allocator has them: points at which a
// register is taken.

// Ends returns the first and last word of [from, to), which is not empty,
// with the masks of the numbers inside them.
func Ends(from, to int32) (lo, hi int32, first, last uint64) {
	return from >> 6, (to - 1) >> 6, ^uint64(0) << (uint(from) & 63), ^uint64(0) >> (63 - uint(to-1)&63)
}

// AddRange adds the numbers of [from, to).
func (s Set) AddRange(from, to int32) {
	lo, hi, first, last := Ends(from, to)
	if lo == hi {
		s[lo] |= first & last
		return
	}
	s[lo] |= first
	for n := lo + 1; n < hi; n++ {
		s[n] = ^uint64(0)
	}
	s[hi] |= last
}

// DelRange removes the numbers of [from, to).
func (s Set) DelRange(from, to int32) {
	lo, hi, first, last := Ends(from, to)
	if lo == hi {
		s[lo] &^= first & last
		return
	}
	s[lo] &^= first
	clear(s[lo+1 : hi])
	s[hi] &^= last
}

// CountIn returns how many numbers of [from, to) are in the set.
func (s Set) CountIn(from, to int32) int {
	lo, hi, first, last := Ends(from, to)
	if lo == hi {
		return bits.OnesCount64(s[lo] & first & last)
	}
	c := bits.OnesCount64(s[lo]&first) + bits.OnesCount64(s[hi]&last)
	for _, w := range s[lo+1 : hi] {
		c += bits.OnesCount64(w)
	}
	return c
}

// AnyIn reports whether a number in [from, to) is in the set.
func (s Set) AnyIn(from, to int32) bool {
	lo, hi, first, last := Ends(from, to)
	if lo == hi {
		return s[lo]&first&last != 0
	}
	if s[lo]&first != 0 || s[hi]&last != 0 {
		return true
	}
	for _, w := range s[lo+1 : hi] {
		if w != 0 {
			return true
		}
	}
	return false
}

// NextIn returns the first member in [from, to), or -1.
func (s Set) NextIn(from, to int32) int32 {
	from = max(from, 0)
	for to = min(to, int32(64*len(s))); from < to; from = from&^63 + 64 {
		if x := s[from>>6] >> (uint(from) & 63); x != 0 {
			if n := from + int32(bits.TrailingZeros64(x)); n < to {
				return n
			}
			return -1
		}
	}
	return -1
}

// LastIn returns the last member in [from, to), or -1.
func (s Set) LastIn(from, to int32) int32 {
	from = max(from, 0)
	for to = min(to, int32(64*len(s))); from < to; to = (to - 1) &^ 63 {
		if x := s[(to-1)>>6] << (63 - uint(to-1)&63); x != 0 {
			if n := to - 1 - int32(bits.LeadingZeros64(x)); n >= from {
				return n
			}
			return -1
		}
	}
	return -1
}
