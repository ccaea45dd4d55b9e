package heap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestHeap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		var h Ranked
		var in, out []Node
		for k := range int32(r.IntN(40)) {
			x := NodeOf(int32(r.IntN(20))-10, k)
			in = append(in, x)
			h.Push(x.Key(), x.Instr())
		}
		for len(h.Nodes) > 0 {
			out = append(out, h.Take())
		}
		if slices.Sort(in); !slices.Equal(in, out) {
			t.Fatalf("%v, want %v", out, in)
		}
	}
}
