package branch

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// PlaceBlocks puts blocks behind those that jump to them, where nothing falls
// through to them from where they stand: sources write the arms of a choice far
// from where they are chosen, and every way to one costs a jump.
//
//	@p BRA b2           @p BRA b2
//	BRA b7         b7:  …
//	…                   BRA b3
//	b7: …               …
//	BRA b3
//
// Runs of blocks that follow each other stay whole, so that no jump is added. Of
// several that jump to one run the one in the deepest loop gets it.
func PlaceBlocks(f *ori.Func) bool {
	runs, at := runsOf(f)
	if len(runs) < 3 {
		return false
	}
	var jumps []link
	for n, r := range runs {
		if t := goesTo(r[len(r)-1]); t != nil && at[t.ID] > 0 && at[t.ID] != n && runs[at[t.ID]][0] == t {
			jumps = append(jumps, link{n, at[t.ID], 0})
		}
	}
	if len(jumps) > 1 {
		loops := flow.LoopsOf(f, flow.DomOf(f))
		for n := range jumps {
			r := runs[jumps[n].from]
			jumps[n].depth = loops.Depth(r[len(r)-1])
		}
		slices.SortStableFunc(jumps, func(a, b link) int { return cmp.Compare(b.depth, a.depth) })
	}
	next, first := make([]int, len(runs)), make([]int, len(runs)) // of each run: who follows, and where its row of runs begins
	led := make([]bool, len(runs))
	for n := range runs {
		next[n], first[n] = -1, n
	}
	changed := false
	for _, j := range jumps {
		if led[j.to] || first[j.from] == j.to || !mayFollow(f, runs[j.from]) {
			continue
		}
		next[j.from], led[j.to], changed = j.to, true, true
		for n, head := j.to, first[j.from]; n >= 0; n = next[n] {
			first[n] = head
		}
	}
	if !changed {
		return false
	}
	order := make([]*ori.Block, 0, len(f.Blocks))
	for n := range runs {
		for k := n; k >= 0 && !led[n]; k = next[k] {
			order = append(order, runs[k]...)
		}
	}
	f.SetBlocks(order)
	dropJumps(f)
	return f.Touched(true)
}

// link is a jump from the end of a run to the start of another.
type link struct{ from, to, depth int }

// mayFollow asks whether the run that r jumps to may stand behind it.
func mayFollow(f *ori.Func, r []*ori.Block) bool {
	i := r[len(r)-1].Last()
	return i == nil || f.Should("place", i)
}

// runsOf parts the blocks of f where no block leads to the one behind it, and tells, by
// the numbers of blocks, in which run each is.
func runsOf(f *ori.Func) (runs [][]*ori.Block, at []int) {
	at = make([]int, f.NumBlocks())
	begin := 0
	for n, b := range f.Blocks {
		at[b.ID] = len(runs)
		if n+1 == len(f.Blocks) || goesTo(b) != f.Blocks[n+1] {
			runs = append(runs, f.Blocks[begin:n+1:n+1])
			begin = n + 1
		}
	}
	return runs, at
}

// goesTo is where the end of b leads if no guarded jump there is taken, nil if
// nowhere or where nobody knows.
func goesTo(b *ori.Block) *ori.Block {
	switch last := b.Last(); {
	case len(b.Succs) == 0:
		return nil
	case isJump(last):
		return Target(b, last)
	case last == nil || !last.Op.Has(op.Terminator) || last.Guard.Kind != ori.KNone:
		return b.Succs[len(b.Succs)-1]
	}
	return nil
}

// dropJumps drops jumps to the block that follows anyway.
func dropJumps(f *ori.Func) (changed bool) {
	for n, b := range f.Blocks[:len(f.Blocks)-1] {
		if last := b.Last(); len(b.Succs) > 0 && b.Succs[len(b.Succs)-1] == f.Blocks[n+1] && isJump(last) && Target(b, last) == f.Blocks[n+1] {
			last.Remove()
			changed = true
		}
	}
	return changed
}
