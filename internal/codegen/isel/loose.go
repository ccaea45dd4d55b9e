package isel

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// LooseGroups frees the warp-group matrix operations of blocks whose source waits
// for all of them in the middle of the block: it takes away the arrivals,
// groups and waits of the source, so that the schedulers may move the
// operations, and what their results do not concern past them, like any
// other instruction. GroupWaits puts arrivals and waits where they are
// needed when the order and the registers are known.
//
// Where a loop keeps groups pending over its waits, the source has made a
// pipeline of its own: such blocks stay as they are. What the source does not
// wait for in its block is open: it may still run while threads meet, memory
// changes and the next round of a loop begins, as it may in the source.
//
// Where the results of a block's operations do not find place in the registers
// that there are, some of them are in memory between operations, and whatever
// the source keeps pending is waited for: such a block is freed, too.
func LooseGroups(f *ori.Func, registers int) bool {
	if !flow.HasGroups(f) {
		return false
	}
	loose := make([]bool, f.NumBlocks())
	changed := false
	for _, b := range f.Blocks {
		loose[b.ID] = loosens(b, registers)
		changed = changed || loose[b.ID]
	}
	if !changed {
		return false
	}
	open, pending := waitsForAll(f), pendingAt(f, loose)
	for _, b := range f.Blocks {
		if loose[b.ID] {
			loosen(f, b, open, pending[b.ID])
		}
	}
	return f.Touched(true)
}

// waitsForAll reports whether no wait of f leaves groups pending: then it does
// not matter how many groups operations are put into.
func waitsForAll(f *ori.Func) bool {
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if isGroupWait(i) && i.Args[len(i.Args)-1].Imm != 0 {
				return false
			}
		}
	}
	return true
}

func isGroupWait(i *ori.Instr) bool { return i.Op == op.WARPGROUP && i.Mods.Has(op.MDEPBAR) }

// pendingAt finds the blocks at whose start operations of blocks that keep
// their order may be pending, by ID. Loose blocks wait for those.
func pendingAt(f *ori.Func, loose []bool) []bool {
	in := make([]bool, f.NumBlocks())
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			out := in[b.ID]
			for i := b.First(); i != nil; i = i.Next() {
				if isGroupWait(i) && i.Args[len(i.Args)-1].Imm == 0 {
					out = false
				}
				out = out || i.IsGroupMMA()
			}
			if !out || loose[b.ID] {
				continue
			}
			for _, t := range b.Succs {
				changed = changed || !in[t.ID]
				in[t.ID] = true
			}
		}
	}
	return in
}

// loosens reports whether a block waits for all operations before it, all
// its waits are such, and operations with a matrix in registers, which
// something in the block must have computed, stand behind one; or whether so
// many results are made from nothing that they had better not be there at once,
// or all results do not find place in the registers.
func loosens(b *ori.Block, registers int) bool {
	waits, behind, fresh, some := false, false, 0, false
	for i := b.First(); i != nil; i = i.Next() {
		switch {
		case isGroupWait(i):
			some = some || i.Args[len(i.Args)-1].Imm != 0
			waits = true
		case i.IsGroupMMA() && i.Guard.Kind != ori.KNone:
			return false
		case i.IsGroupMMA() && waits && readsMatrix(i):
			behind = true
		case isFresh(i):
			fresh += int(i.Args[0].N)
		}
	}
	return !some && (behind || waits && fresh > mostFresh) || resultWords(b) > registers
}

// resultWords counts the words of all results that operations of b write.
func resultWords(b *ori.Block) (words int) {
	seen := map[ori.Reg]bool{}
	for i := b.First(); i != nil; i = i.Next() {
		if i.IsGroupMMA() && i.Args[0].Kind == ori.KReg && !seen[i.Args[0].Reg] {
			seen[i.Args[0].Reg] = true
			words += int(i.Args[0].N)
		}
	}
	return words
}

// mostFresh is how many words of results that nothing was added to before may
// be made at once.
const mostFresh = 128

// isFresh reports whether i is an operation that adds to nothing.
func isFresh(i *ori.Instr) bool {
	if !i.IsGroupMMA() || i.Args[0].Kind != ori.KReg {
		return false
	}
	for _, s := range i.Srcs() {
		if s.Kind == ori.KReg && s.Reg == i.Args[0].Reg {
			return false
		}
	}
	return true
}

// readsMatrix reports whether i reads a matrix from general registers.
func readsMatrix(i *ori.Instr) bool {
	for _, s := range i.Srcs() {
		if s.Kind == ori.KReg && s.Class == ori.R && s.Reg != i.Args[0].Reg {
			return true
		}
	}
	return false
}

// entryWait returns the wait of b that stands before all operations of the block, if
// that is the only one which says that those of other blocks are over before shared memory
// may change: where that is waited for that the block itself has begun, these are over too.
func entryWait(b *ori.Block) *ori.Instr {
	i := b.First()
	for ; i != nil && !isGroupWait(i); i = i.Next() {
		if i.IsGroupMMA() {
			return nil
		}
	}
	wait := i
	for begun := false; i != nil; i = i.Next() {
		switch {
		case i.IsGroupMMA():
			begun = true
		case isGroupWait(i) && begun:
			return nil
		case i.Op != op.WARPGROUP && !begun && changesShared(i):
			return wait
		}
	}
	return wait
}

// loosen takes away what orders the operations of b. With open, those behind
// its last wait may go on when it ends; with pending, others may be pending
// when it begins.
func loosen(f *ori.Func, b *ori.Block, open, pending bool) {
	w, kept := &warpGroups{f: f}, entryWait(b)
	for i := b.Last(); i != nil; {
		prev := i.Prev()
		open = open && !isGroupWait(i)
		switch {
		case i == kept:
		case i.Op == op.WARPGROUP, i.IsGroupMMA() && i.Args[0].Kind != ori.KReg: // the latter only ends a group
			i.Remove()
		case i.IsGroupMMA():
			if i.Commits() {
				f.SetArgs(i, i.Dsts(), i.Srcs()[:len(i.Srcs())-1])
			}
			i.Mods = i.Mods.With(op.MLOOSE)
			if open {
				i.Mods = i.Mods.With(op.MOPEN)
			}
		}
		i = prev
	}
	if pending {
		w.add(b.First(), false, op.M(op.MDEPBAR, op.MLE), ori.Special(op.SRGroup0), ori.Imm(0))
	}
}
