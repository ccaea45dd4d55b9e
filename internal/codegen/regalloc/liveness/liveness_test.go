package liveness

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/keyed"
)

// TestSolve compares with what paths say, for random graphs of blocks and more
// words than are followed at once.
func TestSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 9))
	var s Solver
	for range 200 {
		n, words := 1+r.IntN(9), 1+r.IntN(150)
		succs := make([][]int32, n)
		var edges []keyed.Pair
		for b := range n {
			for range r.IntN(3) {
				to := int32(r.IntN(n))
				if !slices.Contains(succs[b], to) {
					succs[b] = append(succs[b], to)
					edges = append(edges, keyed.Pair{Key: to, Item: int32(b)})
				}
			}
		}
		does := make([][]int32, words) // of each word and block
		global := make([]bool, words)
		var touches []keyed.Pair
		for w := range words {
			does[w] = make([]int32, n)
			for b := range n {
				if r.IntN(3) == 0 {
					does[w][b] = []int32{Exposed, Writes, Kills | Writes, Exposed | Writes, Exposed | Kills | Writes}[r.IntN(5)]
					touches = append(touches, keyed.Pair{Key: int32(w), Item: int32(b)<<Actions | does[w][b]})
					global[w] = global[w] || does[w][b]&Exposed != 0
				}
			}
		}
		preds := keyed.Collect(edges, n)
		ins, outs := s.Solve(keyed.Collect(touches, words), global, &preds, func(b int32) []int32 { return succs[b] })
		in, out := keyed.Collect(ins, n), keyed.Collect(outs, n)
		for b := range n {
			var wantIn, wantOut []int32
			for w := range words {
				if !global[w] {
					continue
				}
				top, end, wrote := byPaths(succs, does[w])
				if top[b] && wrote[b] {
					wantIn = append(wantIn, int32(w))
				}
				if end[b] && (wrote[b] || does[w][b]&Writes != 0) {
					wantOut = append(wantOut, int32(w))
				}
			}
			if !slices.Equal(in.Of(b), wantIn) || !slices.Equal(out.Of(b), wantOut) {
				t.Fatalf("block %d of %v: %v and %v, want %v and %v", b, succs, in.Of(b), out.Of(b), wantIn, wantOut)
			}
		}
	}
}

// byPaths goes over all blocks until nothing changes.
func byPaths(succs [][]int32, does []int32) (top, end, wrote []bool) {
	top, end, wrote = make([]bool, len(succs)), make([]bool, len(succs)), make([]bool, len(succs))
	for range 3 * len(succs) {
		for b := range succs {
			for _, s := range succs[b] {
				end[b] = end[b] || top[s]
			}
			top[b] = top[b] || does[b]&Exposed != 0 || end[b] && does[b]&Kills == 0
		}
	}
	for range 3 * len(succs) {
		for b := range succs {
			for _, s := range succs[b] {
				wrote[s] = wrote[s] || top[s] && end[b] && (wrote[b] || does[b]&Writes != 0)
			}
		}
	}
	return top, end, wrote
}
