package bits

import (
	"iter"
	"math/bits"
)

// Set is a dense set of small numbers, one bit each. Operations between sets
// take the shorter one as if padded with zeros. The zero Set is empty.
type Set []uint64

// NewSet returns an empty set with room for numbers below n.
func NewSet(n int) Set { return make(Set, Words(n)) }

// Words returns the number of words of a Set for numbers below n, for callers
// that take the words from a pool.
func Words(n int) int { return (n + 63) / 64 }

// Has reports whether i is in s.
func (s Set) Has(i int) bool {
	w := i >> 6
	return w < len(s) && s[w]>>(uint(i)&63)&1 != 0
}

// Add puts i, which s must have room for, into s.
func (s Set) Add(i int) { s[i>>6] |= 1 << (uint(i) & 63) }

// Del takes i out of s.
func (s Set) Del(i int) {
	if w := i >> 6; w < len(s) {
		s[w] &^= 1 << (uint(i) & 63)
	}
}

// Clear empties s.
func (s Set) Clear() { clear(s) }

// Grow returns s with room for numbers below n.
func (s Set) Grow(n int) Set {
	if w := Words(n); w > len(s) {
		return append(s, make(Set, w-len(s))...)
	}
	return s
}

// Clone returns a copy of s.
func (s Set) Clone() Set { return append(Set(nil), s...) }

// Or adds all of t, which must not be longer than s, and reports whether s grew:
// the step of every dataflow fixed point.
func (s Set) Or(t Set) (grew bool) {
	s = s[:len(t)]
	var diff uint64
	for i, w := range t {
		diff |= w &^ s[i]
		s[i] |= w
	}
	return diff != 0
}

// OrDiff adds t without u, as live-in gains live-out without what a block
// defines, and reports whether s grew. The three must have one length.
func (s Set) OrDiff(t, u Set) (grew bool) {
	s, u = s[:len(t)], u[:len(t)]
	var diff uint64
	for i, w := range t {
		w &^= u[i]
		diff |= w &^ s[i]
		s[i] |= w
	}
	return diff != 0
}

// And keeps what is also in t.
func (s Set) And(t Set) {
	n := min(len(s), len(t))
	for i := range n {
		s[i] &= t[i]
	}
	clear(s[n:])
}

// AndNot takes all of t out of s.
func (s Set) AndNot(t Set) {
	for i := range min(len(s), len(t)) {
		s[i] &^= t[i]
	}
}

// Intersects reports whether s and t share a number.
func (s Set) Intersects(t Set) bool {
	for i := range min(len(s), len(t)) {
		if s[i]&t[i] != 0 {
			return true
		}
	}
	return false
}

// Equal reports whether s and t hold the same numbers.
func (s Set) Equal(t Set) bool {
	if len(s) > len(t) {
		s, t = t, s
	}
	for i := range s {
		if s[i] != t[i] {
			return false
		}
	}
	return t[len(s):].IsEmpty()
}

// IsEmpty reports whether s holds nothing.
func (s Set) IsEmpty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}

// Len returns how many numbers s holds.
func (s Set) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Next returns the smallest number in s that is at least i, or -1.
func (s Set) Next(i int) int {
	w := i >> 6
	if w >= len(s) {
		return -1
	}
	if x := s[w] >> (uint(i) & 63); x != 0 {
		return i + bits.TrailingZeros64(x)
	}
	for w++; w < len(s); w++ {
		if s[w] != 0 {
			return w<<6 + bits.TrailingZeros64(s[w])
		}
	}
	return -1
}

// All yields the numbers in s, rising. What is added meanwhile may be missed.
func (s Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(i<<6 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}
