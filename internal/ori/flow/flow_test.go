package flow

import (
	"math/rand/v2"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// randomGraph makes a function of n empty blocks with random edges.
func randomGraph(r *rand.Rand, n int) *ori.Func {
	f := (&ori.Module{}).NewFunc("f")
	for range n {
		f.NewBlock()
	}
	for k, b := range f.Blocks {
		if k+1 < n && r.IntN(8) > 0 {
			b.AddEdge(f.Blocks[k+1])
		}
		if r.IntN(2) == 0 {
			b.AddEdge(f.Blocks[r.IntN(n)])
		}
	}
	return f
}

// reaches reports whether to can be reached from from without avoid.
func reaches(from, to, avoid *ori.Block, next func(*ori.Block) []*ori.Block) bool {
	if from == avoid {
		return false
	}
	seen := map[*ori.Block]bool{from: true}
	work := []*ori.Block{from}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == to {
			return true
		}
		for _, s := range next(b) {
			if !seen[s] && s != avoid {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return false
}

func succs(b *ori.Block) []*ori.Block { return b.Succs }

// TestDominators compares with the definition: a dominates b when b cannot
// be reached once a is taken away.
func TestDominators(t *testing.T) {
	pairs := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		f := randomGraph(r, 1+r.IntN(14))
		d := DomOf(f)
		entry := f.Blocks[0]
		for _, a := range f.Blocks {
			for _, b := range f.Blocks {
				if !reaches(entry, b, nil, succs) || !reaches(entry, a, nil, succs) {
					continue
				}
				want := a == b || !reaches(entry, b, a, succs)
				if d.Dominates(a, b) != want {
					t.Fatalf("seed %d: b%d dominates b%d: %v", seed, a.ID, b.ID, !want)
				}
				pairs++
			}
		}
	}
	t.Logf("%d pairs of blocks", pairs)
}

// TestPostDominators compares each immediate post-dominator with the
// definition: all paths to an exit go through it, and through no other
// post-dominator before it. Where no exit is reached, paths end where turns
// of endless loops do.
func TestPostDominators(t *testing.T) {
	blocks := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		f := randomGraph(r, 1+r.IntN(12))
		d := PostDomOf(f)
		exits, turns := postEnds(f)
		post := func(a, b *ori.Block) bool { // a post-dominates b, a != b
			exit, ends := false, turns
			for e := range exits {
				if reaches(b, e, nil, succs) {
					ends = exits
				}
			}
			for _, e := range f.Blocks {
				if ends[e] {
					exit = exit || reaches(b, e, nil, succs)
					if e != a && reaches(b, e, a, succs) {
						return false
					}
				}
			}
			return exit
		}
		for _, b := range f.Blocks {
			var want *ori.Block
			for _, a := range f.Blocks {
				if a == b || !post(a, b) || !reaches(b, a, nil, succs) {
					continue
				}
				if want == nil || post(want, a) {
					want = a
				}
			}
			got := d.Ipdom[b.ID]
			if want == nil && got != -1 || want != nil && got != want.ID {
				t.Fatalf("seed %d: post-dominator of b%d is %d, want %v\n%s", seed, b.ID, got, want, f)
			}
			blocks++
		}
	}
	t.Logf("%d blocks", blocks)
}

// postEnds returns the exits of f, and of the blocks that reach none the last
// in reverse postorder, and again of those that do not reach that.
func postEnds(f *ori.Func) (exits, turns map[*ori.Block]bool) {
	exits, turns = map[*ori.Block]bool{}, map[*ori.Block]bool{}
	for _, b := range f.Blocks {
		if len(b.Succs) == 0 {
			exits[b] = true
		}
	}
	list := OrderOf(f).Blocks
	for n := len(list) - 1; n >= 0; n-- {
		open := true
		for _, ends := range []map[*ori.Block]bool{exits, turns} {
			for e := range ends {
				open = open && !reaches(list[n], e, nil, succs)
			}
		}
		if open {
			turns[list[n]] = true
		}
	}
	return exits, turns
}

// TestLoops checks that every block of a loop reaches the header inside
// the loop, is dominated by it, and that depths count the loops around.
func TestLoops(t *testing.T) {
	loops := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		f := randomGraph(r, 1+r.IntN(16))
		d := DomOf(f)
		l := LoopsOf(f, d)
		around := map[*ori.Block]int{}
		for _, x := range l.All {
			loops++
			for _, b := range x.Blocks {
				around[b]++
				if !d.Dominates(x.Header, b) {
					t.Fatalf("seed %d: b%d in the loop of b%d", seed, b.ID, x.Header.ID)
				}
			}
			if x.Parent != nil && x.Parent.Depth != x.Depth-1 {
				t.Fatalf("seed %d: depth %d in depth %d", seed, x.Depth, x.Parent.Depth)
			}
		}
		for _, b := range f.Blocks {
			if l.Depth(b) != around[b] {
				t.Fatalf("seed %d: b%d has depth %d, %d loops around it", seed, b.ID, l.Depth(b), around[b])
			}
		}
	}
	t.Logf("%d loops", loops)
}
