package bits

import (
	"math/rand/v2"
	"testing"
)

// TestRunNeighbours compares NextIn and LastIn with looking at every number.
func TestRunNeighbours(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		n := int32(1 + r.IntN(300))
		s := NewSet(int(n))
		for range r.IntN(6) {
			s.Add(r.IntN(int(n)))
		}
		from, to := int32(r.IntN(320))-10, int32(r.IntN(320))
		next, last := int32(-1), int32(-1)
		for k := max(0, from); k < min(n, to); k++ {
			if s.Has(int(k)) {
				last = k
				if next < 0 {
					next = k
				}
			}
		}
		if a, b := s.NextIn(from, to), s.LastIn(from, to); a != next || b != last {
			t.Fatalf("[%d,%d): next %d, last %d, want %d, %d", from, to, a, b, next, last)
		}
	}
}
