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
	for round := range 400 {
		n := 1 + r.IntN(70)
		step, want := make([]int32, n), make([]int32, n)
		sum := int32(0)
		for k := range step {
			step[k] = int32(r.IntN(9) - 4)
			sum += step[k]
			want[k] = sum
		}
		p.Fill(step)
		at := 0 // where the walk stands
		for range 100 {
			to := at + 1 + r.IntN(n-at)
			switch r.IntN(4) {
			case 0:
				if at+1 < n {
					p.Pass(int32(at))
					at++
				}
				continue
			case 1:
				x := int32(r.IntN(7) - 3)
				p.Add(int32(to), x)
				for k := at; k < to; k++ {
					want[k] += x
				}
				continue
			}
			most, all := int32(gone), int32(gone)
			for k := at; k < n; k++ {
				if all = max(all, want[k]); k < to {
					most = max(most, want[k])
				}
			}
			if got := p.Max(int32(to)); got != most {
				t.Fatalf("round %d: most of [%d,%d) is %d, want %d", round, at, to, got, most)
			}
			if got := p.Most(); got != all {
				t.Fatalf("round %d: most from %d on is %d, want %d", round, at, got, all)
			}
			asked++
		}
	}
	t.Logf("%d questions", asked)
}
