package regalloc

import "math/bits"

// bitset is a dense set of small numbers.
type bitset []uint64

func newBitset(n int) bitset    { return make(bitset, (n+63)/64) }
func (s bitset) add(n int32)    { s[n>>6] |= 1 << (uint(n) & 63) }
func (s bitset) remove(n int32) { s[n>>6] &^= 1 << (uint(n) & 63) }

// any reports whether the set has a member.
func (s bitset) any() bool {
	for _, x := range s {
		if x != 0 {
			return true
		}
	}
	return false
}

// ends returns the first and last word of [from, to), which is not empty,
// with the masks of the numbers inside them.
func ends(from, to int32) (lo, hi int32, first, last uint64) {
	return from >> 6, (to - 1) >> 6, ^uint64(0) << (uint(from) & 63), ^uint64(0) >> (63 - uint(to-1)&63)
}

// setRange adds the numbers of [from, to).
func (s bitset) setRange(from, to int32) {
	lo, hi, first, last := ends(from, to)
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

// clearRange removes the numbers of [from, to).
func (s bitset) clearRange(from, to int32) {
	lo, hi, first, last := ends(from, to)
	if lo == hi {
		s[lo] &^= first & last
		return
	}
	s[lo] &^= first
	clear(s[lo+1 : hi])
	s[hi] &^= last
}

// count returns how many numbers of [from, to) are in the set.
func (s bitset) count(from, to int32) int {
	lo, hi, first, last := ends(from, to)
	if lo == hi {
		return bits.OnesCount64(s[lo] & first & last)
	}
	c := bits.OnesCount64(s[lo]&first) + bits.OnesCount64(s[hi]&last)
	for _, w := range s[lo+1 : hi] {
		c += bits.OnesCount64(w)
	}
	return c
}

// anyIn reports whether a number in [from, to) is in the set.
func (s bitset) anyIn(from, to int32) bool {
	lo, hi, first, last := ends(from, to)
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
