package regalloc

import (
	"math/rand/v2"
	"testing"
)

func (s bitset) has(n int32) bool { return s[n>>6]>>(uint(n)&63)&1 != 0 }

// TestBitsetNeighbours compares next and last with looking at every number.
func TestBitsetNeighbours(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		n := int32(1 + r.IntN(300))
		s := newBitset(int(n))
		for range r.IntN(6) {
			s.add(int32(r.IntN(int(n))))
		}
		from, to := int32(r.IntN(320))-10, int32(r.IntN(320))
		next, last := int32(-1), int32(-1)
		for k := max(0, from); k < min(n, to); k++ {
			if s.has(k) {
				last = k
				if next < 0 {
					next = k
				}
			}
		}
		if a, b := s.next(from, to), s.last(from, to); a != next || b != last {
			t.Fatalf("[%d,%d): next %d, last %d, want %d, %d", from, to, a, b, next, last)
		}
	}
}
