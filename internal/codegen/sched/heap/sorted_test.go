package heap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSorted compares it with a plain list, for few and for many instructions.
func TestSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, most := range []int{3, 20, 100, 1000} {
		var s Sorted
		var want []Node // the best first
		looked := 0
		for range 20 * most {
			if r.IntN(2) == 0 && len(want) < most || len(want) == 0 {
				x := NodeOf(int32(r.IntN(50))-25, int32(r.IntN(most)))
				s.Push(x.Key(), x.Instr())
				at, _ := slices.BinarySearch(want, x)
				want = slices.Insert(want, at, x)
				continue
			}
			n := r.IntN(min(len(want), mostNear))
			for k := range n + 1 {
				looked++
				if x, ok := s.Look(k); !ok || x != want[k] {
					t.Fatalf("number %d is %v, %v, want %v", k, x, ok, want[k])
				}
			}
			s.Remove(n)
			want = slices.Delete(want, n, n+1)
			if s.Empty() != (len(want) == 0) || len(want) > 0 && s.First() != want[0] {
				t.Fatal("the first is wrong")
			}
		}
		t.Logf("%d at most: %d looks", most, looked)
	}
}
