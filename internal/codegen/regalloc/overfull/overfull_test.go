package overfull

import (
	"math/rand/v2"
	"testing"
)

// TestPoints takes words away from random runs of points and compares with
// counting each point.
func TestPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	steps := 0
	for range 200 {
		n := 1 + r.IntN(400)
		words, room := make([]int32, n), make([]int32, n)
		for k := range words {
			words[k], room[k] = int32(r.IntN(40)), int32(10+r.IntN(5))
		}
		e := New(words, room)
		for range 60 {
			from := r.IntN(n)
			to := from + 1 + r.IntN(n-from)
			e.Less(int32(from), int32(to))
			want := 0
			for k := range words {
				if from <= k && k < to {
					words[k]--
				}
				if words[k] > room[k] {
					want++
				}
				if e.Set.Has(k) != (words[k] > room[k]) {
					t.Fatalf("point %d of %d: %d words, room %d, overfull %v", k, n, words[k], room[k], e.Set.Has(k))
				}
			}
			if got := e.Set.CountIn(0, int32(n)); got != want {
				t.Fatalf("%d overfull points, want %d", got, want)
			}
			steps++
		}
	}
	t.Logf("%d steps", steps)
}
