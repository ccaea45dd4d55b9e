package profile

import (
	"math/rand/v2"
	"testing"
)

// TestProfile compares the tree with a plain list.
func TestProfile(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	asked := 0
	var p Profile
	for round := range 200 {
		n := 1 + r.IntN(70)
		step, want := make([]int32, n), make([]int32, n)
		sum := int32(0)
		for k := range step {
			step[k] = int32(r.IntN(9) - 4)
			sum += step[k]
			want[k] = sum
		}
		p.Reset(n)
		p.Fill(step)
		for range 100 {
			from := int32(r.IntN(n))
			to := from + int32(r.IntN(n-int(from)+1))
			if r.IntN(2) == 0 {
				x := int32(r.IntN(7) - 3)
				p.Add(from, to, x)
				for k := from; k < to; k++ {
					want[k] += x
				}
				continue
			}
			most := int32(-1 << 30)
			for k := from; k < to; k++ {
				most = max(most, want[k])
			}
			if got := p.Max(from, to); got != most {
				t.Fatalf("round %d: most of [%d,%d) is %d, want %d", round, from, to, got, most)
			}
			asked++
		}
	}
	t.Logf("%d questions", asked)
}
