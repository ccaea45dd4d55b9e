package overfull

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestQueue: candidates come by gain for cost and then by number, also if the
// gain of the first falls meanwhile.
func TestQueue(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var q Queue
		for v := range int32(rnd.IntN(40)) {
			q = append(q, Candidate{V: v, Cost: float64(1 + rnd.IntN(4)), Gain: float64(1 + rnd.IntN(8))})
		}
		left := slices.Clone(q)
		q.Order()
		for len(q) > 0 {
			best := slices.MinFunc(left, func(x, y Candidate) int {
				if a, b := x.Gain/x.Cost, y.Gain/y.Cost; a != b {
					return int(8 * (b - a) * 9)
				}
				return int(x.V - y.V)
			})
			if q[0].V != best.V {
				t.Fatalf("%d comes first, want %d", q[0].V, best.V)
			}
			at := slices.IndexFunc(left, func(x Candidate) bool { return x.V == best.V })
			if q[0].Gain > 1 && rnd.IntN(2) == 0 {
				q[0].Gain--
				left[at].Gain--
				q.Worse()
				continue
			}
			q.Drop()
			left = slices.Delete(left, at, at+1)
		}
	}
}
