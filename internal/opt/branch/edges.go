package branch

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// What phases do that change edges, with what the edges bring to PHIs.

// CutEdge takes the edge from b to s away, with what it brought to PHIs.
func CutEdge(b, s *ori.Block) {
	for i := range flow.PhiSources(b, s) {
		i.Remove()
	}
	b.RemoveEdge(s)
}

// AtEnd puts i at the end of b, before its jumps.
func AtEnd(b *ori.Block, i *ori.Instr) {
	if at := b.Tail(); at != nil {
		b.InsertBefore(i, at)
	} else {
		b.Append(i)
	}
}

// SourceOf returns what b brings to a PHI of its successor s.
func SourceOf(b, s *ori.Block, phi *ori.Instr) *ori.Instr {
	for i := range flow.PhiSources(b, s) {
		if i.Args[1] == phi.Args[1] {
			return i
		}
	}
	return nil
}

// bring lets b bring to the PHIs of t what the block before t does on the way
// from via, which only leads there. It is false if there are any and b forks:
// on an edge of its own nothing could be copied.
func bring(b, via, t *ori.Block) bool {
	for via.Succs[0] != t {
		via = via.Succs[0]
	}
	first := t.First()
	if first == nil || first.Op != op.PHI {
		return true
	}
	if len(b.Succs) > 1 {
		return false
	}
	for i := first; i != nil && i.Op == op.PHI; i = i.Next() {
		AtEnd(b, b.Func().NewInstr(op.PHISRC, op.Mods{}, nil, SourceOf(via, t, i).Srcs()))
	}
	return true
}

// met makes the PHIs of t, which only b leads to, what b brings to them.
func met(b, t *ori.Block) {
	for i := range t.Instrs {
		if i.Op != op.PHI {
			break
		}
		x := SourceOf(b, t, i)
		c := b.Func().NewInstr(op.UNDEF, op.Mods{}, i.Dsts(), nil)
		if x.Args[2].Kind != ori.KNone {
			c = b.Func().NewInstr(op.COPY, op.Mods{}, i.Dsts(), x.Args[2:])
		}
		c.Line, c.Loc = i.Line, i.Loc
		b.Append(c)
		x.Remove()
		i.Remove()
	}
}

// Unreachable removes blocks that no path from the entry reaches.
func Unreachable(f *ori.Func) bool {
	seen := make([]bool, f.NumBlocks())
	work := []*ori.Block{f.Blocks[0]}
	seen[f.Blocks[0].ID] = true
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range b.Succs {
			if !seen[s.ID] {
				seen[s.ID] = true
				work = append(work, s)
			}
		}
	}
	var keep []*ori.Block
	for _, b := range f.Blocks {
		if seen[b.ID] {
			keep = append(keep, b)
			continue
		}
		for len(b.Succs) > 0 {
			b.RemoveEdge(b.Succs[0])
		}
	}
	if len(keep) == len(f.Blocks) {
		return false
	}
	f.SetBlocks(keep)
	return true
}
