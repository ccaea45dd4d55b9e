package slots

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type life struct{ from, to int32 }

// TestFind: words are aligned, two that live at the same time share none, and
// others do.
func TestFind(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		base, many := r.IntN(7), seed%2 == 0
		f := &Finder[[]life]{Base: base, Many: many, Overlap: overlap, Union: func(a, b []life) []life { return append(slices.Clone(a), b...) }}
		lives := make([]life, 40)
		for k := range lives {
			from := int32(r.IntN(100))
			lives[k] = life{from, from + 1 + int32(r.IntN(30))}
		}
		slices.SortFunc(lives, func(a, b life) int { return int(a.from - b.from) })
		owners := map[int32][]life{}
		words := 0
		for _, x := range lives {
			n := 1 << r.IntN(4)
			words += n
			at := f.Find(n, []life{x}, x.from, x.to)
			if int(at) < base || int(at)%min(n, 4) != 0 {
				t.Fatalf("seed %d: %d words at %d from %d", seed, n, at, base)
			}
			for w := at; w < at+int32(n); w++ {
				if overlap(owners[w], []life{x}) {
					t.Fatalf("seed %d: word %d has two owners", seed, w)
				}
				owners[w] = append(owners[w], x)
			}
		}
		if len(owners) >= words {
			t.Errorf("seed %d: nobody shares", seed)
		}
	}
}

func overlap(a, b []life) bool {
	for _, x := range a {
		for _, y := range b {
			if x.from < y.to && y.from < x.to {
				return true
			}
		}
	}
	return false
}
