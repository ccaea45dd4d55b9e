package isel

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Gathers lists the instructions that bring all threads of a warp together
// for the warp operation behind them, in blocks that all threads run
// together anyway. apart tells in which they may not.
//
// One that stands for itself stays: it also orders memory.
func Gathers(f *ori.Func, apart func(*ori.Block) bool) []*ori.Instr {
	var list []*ori.Instr
	for _, b := range f.Blocks {
		if apart(b) {
			continue
		}
		for i := range b.Instrs {
			if flow.WaitsForAll(i) && isGathered(i.Next()) {
				list = append(list, i)
			}
		}
	}
	return list
}

// isGathered reports whether i, or what it prepares, is an operation of the
// whole warp that asks for its threads to be together, and touches no
// memory.
func isGathered(i *ori.Instr) bool {
	for i != nil && !i.Op.Has(op.Reads|op.Writes|op.Effect|op.Terminator|op.Convergent) {
		i = i.Next()
	}
	return i != nil && i.Op.Has(op.Gathered|op.Group)
}

// GatherBarriers brings the threads of a warp together before each barrier
// of the block or cluster that stands where they may be apart. The machine counts
// warps: the first threads of a warp that come count as all of them, and
// alone they are what a reduction sees of it. All come, since the barrier is
// aligned or the source asks for the same. It returns what it adds.
func GatherBarriers(f *ori.Func, apart func(*ori.Block) bool) (added []*ori.Instr) {
	for _, b := range f.Blocks {
		if !apart(b) {
			continue
		}
		for i := range b.Instrs {
			if i.Op != op.BAR && i.Op != op.UCGABAR_ARV && i.Op != op.UCGABAR_WAIT || gathered(i) {
				continue
			}
			added = append(added, gatherBefore(f, i))
		}
	}
	return added
}

// gatherBefore brings the threads of a warp together before i.
func gatherBefore(f *ori.Func, i *ori.Instr) *ori.Instr {
	w := f.NewInstr(op.WARPSYNC, op.M(op.MALL), nil, nil)
	w.Guard, w.Line, w.Loc = i.Guard, i.Line, i.Loc
	i.Block().InsertBefore(w, i)
	return w
}

// GatherAligned brings the threads of a warp together before the first
// operation of the whole warp, such as a matrix product, of each run of them
// that stands where threads may be apart: they may have come back from a call
// one after the other. All come, since the operation is aligned. It returns
// what it adds.
func GatherAligned(f *ori.Func, apart func(*ori.Block) bool) (added []*ori.Instr) {
	for _, b := range f.Blocks {
		if !apart(b) {
			continue
		}
		together := false
		for i := range b.Instrs {
			switch {
			case i.Op == op.WARPSYNC:
				together = i.Mods == op.M(op.MALL) && i.Guard.Kind == ori.KNone
			case i.Op == op.CALL || i.Op == op.NANOSLEEP || i.Op == op.YIELD:
				together = false
			case i.Op.Has(op.Aligned) && !together:
				added = append(added, gatherBefore(f, i))
				together = i.Guard.Kind == ori.KNone
			}
		}
	}
	return added
}

// gathered reports whether the threads of a warp come together before i and
// nothing parts them until then.
func gathered(i *ori.Instr) bool {
	for i = i.Prev(); i != nil && !i.Op.Has(op.Effect|op.Convergent|op.Terminator); i = i.Prev() {
		continue
	}
	return i != nil && flow.WaitsForAll(i)
}

// SplitGathered ends blocks in which threads may be apart behind the place
// where all threads of the warp wait for each other: what follows runs with all
// of them. It reports whether there were any.
func SplitGathered(f *ori.Func, apart func(*ori.Block) bool) bool {
	changed := false
	for _, b := range slices.Clone(f.Blocks) {
		if !apart(b) {
			continue
		}
		for i := b.First(); i != nil && i.Next() != nil; i = i.Next() {
			if flow.WaitsForAll(i) && !i.Next().Op.Has(op.Terminator) {
				splitBehind(f, b, i)
				changed = true
				break
			}
		}
	}
	return f.Touched(changed)
}

// splitBehind puts what follows i in b into a block of its own.
func splitBehind(f *ori.Func, b *ori.Block, i *ori.Instr) {
	n := f.NewBlock()
	last := len(f.Blocks) - 1
	at := slices.Index(f.Blocks, b) + 1
	f.SetBlocks(slices.Insert(f.Blocks[:last:last], at, n))
	for j := i.Next(); j != nil; {
		next := j.Next()
		j.Remove()
		n.Append(j)
		j = next
	}
	for _, s := range slices.Clone(b.Succs) {
		b.RemoveEdge(s)
		n.AddEdge(s)
	}
	b.AddEdge(n)
}

// Ungather takes those of the instructions that bring threads together away
// that stand where the others do: threads that were apart are together there.
// Blocks that SplitGathered ended there go on.
func Ungather(f *ori.Func, added []*ori.Instr, apart func(*ori.Block) bool) {
	changed := false
	for _, w := range added {
		b := w.Block()
		if apart(b) {
			continue
		}
		last := b.Last() == w
		w.Remove()
		if last && len(b.Succs) == 1 && len(b.Succs[0].Preds) == 1 {
			rejoin(f, b, b.Succs[0])
		}
		changed = true
	}
	f.Touched(changed)
}

// rejoin puts what n holds, to which b alone leads, at the end of b.
func rejoin(f *ori.Func, b, n *ori.Block) {
	for j := n.First(); j != nil; {
		next := j.Next()
		j.Remove()
		b.Append(j)
		j = next
	}
	b.RemoveEdge(n)
	for _, s := range slices.Clone(n.Succs) {
		n.RemoveEdge(s)
		b.AddEdge(s)
	}
	at := slices.Index(f.Blocks, n)
	f.SetBlocks(slices.Delete(slices.Clone(f.Blocks), at, at+1))
}
