package flow

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// One thread gives the orders of a warp: the one that ELECT names, which is
// the same every time where all threads of the warp ask. Behind a branch that
// it takes alone nobody parts from it, whatever the predicates of further
// branches are made of.

// aloneIn lists the blocks, by ID, to which the elected thread of a warp comes
// at most: all ways there begin at such a branch. nil: there are none.
func aloneIn(f *ori.Func) []bool {
	leads := leaders(f)
	if leads == nil {
		return nil
	}
	alone := make([]bool, f.NumBlocks())
	for _, b := range f.Blocks[1:] { // until others are known to come
		alone[b.ID] = true
	}
	for work := []*ori.Block{f.Blocks[0]}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for n, s := range b.Succs {
			if alone[s.ID] && !leads.takes(b, n) {
				alone[s.ID] = false
				work = append(work, s)
			}
		}
	}
	return alone
}

// elections are the predicates that hold for the elected thread of a warp
// alone, by register.
type elections []bool

// leaders finds them: what ELECTs write in which the text names all threads,
// if nothing else does.
func leaders(f *ori.Func) elections {
	if !slices.ContainsFunc(f.Syncs, func(s ori.Sync) bool { return s.Full }) {
		return nil
	}
	var list elections
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if elects(f, i) && i.Args[0].HasReg() {
				if list == nil {
					list = make(elections, len(f.Regs))
				}
				list[i.Args[0].Reg] = true
			}
		}
	}
	if list == nil {
		return nil
	}
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			for _, d := range i.Dsts() {
				if d.HasReg() && list[d.Reg] && !elects(f, i) {
					list[d.Reg] = false
				}
			}
		}
	}
	return list
}

// elects reports whether i names one thread of all of a warp.
func elects(f *ori.Func, i *ori.Instr) bool {
	if i.Op != op.ELECT || i.Guard.Kind != ori.KNone {
		return false
	}
	found := false
	for k := range f.Syncs {
		if s := &f.Syncs[k]; s.Pos == i.Line {
			if !s.Full {
				return false
			}
			found = true
		}
	}
	return found
}

// Elections are the predicates of a function that hold for the elected thread of
// a warp alone.
type Elections struct{ list elections }

// ElectionsOf finds them; false: there are none.
func ElectionsOf(f *ori.Func) (Elections, bool) {
	list := leaders(f)
	return Elections{list}, list != nil
}

// Names reports whether p holds for the elected thread alone.
func (e Elections) Names(p ori.Reg) bool { return int(p) < len(e.list) && e.list[p] }

// Takes tells of a block and the number of an edge whether the elected thread
// of a warp alone follows it, of all that come to the block.
func (e Elections) Takes(b *ori.Block, n int) bool { return e.list.takes(b, n) }

// takes reports whether of all threads that come to b the elected one alone
// follows its edge n: it does by a jump first, or all others have left then.
func (e elections) takes(b *ori.Block, n int) bool {
	i := b.Tail()
	if i == nil || i.Op == op.CALL || !i.Guard.HasReg() || int(i.Guard.Reg) >= len(e) || !e[i.Guard.Reg] {
		return false
	}
	others, to := i.Guard.Flags&ori.Inv != 0, b.Succs[n]
	switch i.Op {
	case op.BRA:
		t := i.Srcs()[0]
		jumps := t.Kind == ori.KLabel && int32(t.Reg) == to.ID
		return t.Kind == ori.KLabel && jumps != others && countOf(b.Succs, to) == 1
	case op.EXIT:
		return others
	}
	return false
}

func countOf(list []*ori.Block, b *ori.Block) (n int) {
	for _, x := range list {
		if x == b {
			n++
		}
	}
	return n
}
