package heap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestHeap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	less := func(a, b *int) bool { return *a < *b }
	for range 100 {
		var h, in, out []int
		for range r.IntN(40) {
			x := r.IntN(20)
			in = append(in, x)
			h = append(h, x)
			Up(h, less)
		}
		for len(h) > 0 {
			out = append(out, Pop(&h, less))
		}
		if slices.Sort(in); !slices.Equal(in, out) {
			t.Fatalf("%v, want %v", out, in)
		}
	}
}
