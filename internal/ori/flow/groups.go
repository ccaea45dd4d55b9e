package flow

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// GroupCell is what warp-group matrix operations that are not known to be
// over have to do with a register.
type GroupCell struct {
	Age   uint8 // 0 = nothing; 1 = their group is open, n+1 = n groups were committed since
	Acc   bool  // they write it; else they only read it
	Base  int32 // first cell of the accumulator it is part of
	Width uint8 // and its width, 0 = several
}

// maxGroupAge is when counting stops: WARPGROUP.DEPBAR leaves at most seven
// groups pending.
const maxGroupAge = 9

// Groups follows warp-group matrix operations through a function: which
// registers are theirs at every place. Registers are named by cells.
type Groups struct {
	cells func(o ori.Operand) (first, n int)
	start [][]GroupCell // by block ID, nil = not reached
	moves Moves
}

// Moves says what copies do with what is pending.
type Moves uint8

// What copies do.
const (
	Stay   Moves = iota // nothing
	Take                // they take it along: whoever assigns the same register to both sides makes it true
	Spread              // what they write is pending, too
)

// HasGroups reports whether f has warp-group matrix operations.
func HasGroups(f *ori.Func) bool {
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if i.IsGroupMMA() {
				return true
			}
		}
	}
	return false
}

// GroupsOf analyses f. cells tells which of size cells an operand of file R
// is.
func GroupsOf(f *ori.Func, size int, moves Moves, cells func(o ori.Operand) (first, n int)) *Groups {
	g := &Groups{cells: cells, start: make([][]GroupCell, f.NumBlocks()), moves: moves}
	g.start[f.Blocks[0].ID] = make([]GroupCell, size)
	cur := make([]GroupCell, size)
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			s := g.start[b.ID]
			if s == nil {
				continue
			}
			copy(cur, s)
			for i := b.First(); i != nil; i = i.Next() {
				g.Step(cur, i)
			}
			for _, t := range b.Succs {
				changed = g.merge(t, cur) || changed
			}
		}
	}
	return g
}

// Start fills s with what is true at the start of b.
func (g *Groups) Start(s []GroupCell, b *ori.Block) {
	clear(s)
	copy(s, g.start[b.ID])
}

// merge adds a state to what is true at the start of b, and reports whether
// anything is new.
func (g *Groups) merge(b *ori.Block, s []GroupCell) bool {
	t := g.start[b.ID]
	if t == nil {
		g.start[b.ID] = append([]GroupCell(nil), s...)
		return true
	}
	changed := false
	for n := range s {
		x, y := s[n], t[n]
		switch {
		case x.Age == 0:
			continue
		case y.Age == 0:
			y = x
		default:
			y.Age = min(y.Age, x.Age)
			switch {
			case !y.Acc:
				y.Acc, y.Base, y.Width = x.Acc, x.Base, x.Width
			case x.Acc && (x.Base != y.Base || x.Width != y.Width):
				y.Width = 0
			}
		}
		if y != t[n] {
			t[n] = y
			changed = true
		}
	}
	return changed
}

// Step makes s what is true behind i.
func (g *Groups) Step(s []GroupCell, i *ori.Instr) {
	switch {
	case i.IsGroupMMA() && i.Mods.Has(op.MLOOSE): // waits for it are not placed
	case i.IsGroupMMA():
		for k, o := range i.Args {
			if o.Kind != ori.KReg || o.Class != ori.R {
				continue
			}
			first, n := g.cells(o)
			for c := first; c < first+n; c++ {
				if k < int(i.NDst) {
					s[c] = GroupCell{Age: 1, Acc: true, Base: int32(first), Width: uint8(n)}
				} else {
					s[c].Age = 1
				}
			}
		}
		if i.Commits() {
			for c := range s {
				if s[c].Age > 0 && s[c].Age < maxGroupAge {
					s[c].Age++
				}
			}
		}
	case g.moves != Stay && i.Op == op.COPY && i.Args[1].Kind == ori.KReg && i.Args[1].Class == ori.R:
		first, n := g.cells(i.Args[1])
		if g.moves == Take {
			clear(s[first : first+n])
		} else if to, words := g.cells(i.Args[0]); n > 0 {
			copy(s[to:to+words], s[first:first+n])
		}
	case i.Op == op.WARPGROUP && i.Mods.Has(op.MDEPBAR):
		left := i.Args[len(i.Args)-1].Imm
		for c := range s {
			if int64(s[c].Age) > left+1 {
				s[c] = GroupCell{}
			}
		}
	}
}
