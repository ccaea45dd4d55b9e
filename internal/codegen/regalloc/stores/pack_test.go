package stores

import (
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
)

// move is an instruction that moves words between a register and memory.
type move struct {
	kind regalloc.Kind
	slot int32
	n    uint8
}

// moves is a solution with blocks of such instructions; each block goes on to
// the next, and the last but one to itself, too.
func moves(words int, blocks ...[]move) *regalloc.Solution {
	p := &regalloc.Problem{}
	for b, list := range blocks {
		blk := regalloc.Block{First: int32(len(p.Insts)), N: int32(len(list))}
		if b+1 < len(blocks) {
			blk.Succs = []int32{int32(b + 1)}
		}
		if b == len(blocks)-2 {
			blk.Succs = append(blk.Succs, int32(b))
		}
		for _, m := range list {
			role := regalloc.Use
			if m.kind == regalloc.Reload {
				role = regalloc.Def
			}
			p.Insts = append(p.Insts, regalloc.Inst{Kind: m.kind, Slot: m.slot, First: int32(len(p.Ops)), N: 1})
			p.Ops = append(p.Ops, regalloc.Operand{N: m.n, Role: role})
		}
		p.Blocks = append(p.Blocks, blk)
	}
	return &regalloc.Solution{Problem: p, Slots: words, Spills: len(p.Insts)}
}

// TestPack: words that are never needed at the same time get one place, what a
// loop brings around does not, and words that one instruction moves stay
// together and aligned.
func TestPack(t *testing.T) {
	const store, load = regalloc.Spill, regalloc.Reload
	for _, c := range []struct {
		name  string
		words int
		list  [][]move
		want  int
	}{
		{"one behind the other", 4, [][]move{{{store, 0, 1}, {load, 0, 1}, {store, 3, 1}, {load, 3, 1}}, {}}, 1},
		{"side by side", 4, [][]move{{{store, 0, 1}, {store, 3, 1}, {load, 0, 1}, {load, 3, 1}}, {}}, 2},
		{"around a loop", 8, [][]move{{{store, 0, 1}}, {{load, 0, 1}, {store, 4, 1}, {load, 4, 1}, {store, 0, 1}}, {{load, 0, 1}}}, 1},
		{"through a loop", 8, [][]move{{{store, 0, 1}}, {{store, 4, 1}, {load, 4, 1}}, {{load, 0, 1}}}, 2},
		{"four at once", 12, [][]move{{{store, 1, 1}, {store, 8, 4}, {load, 8, 2}, {load, 10, 2}, {load, 1, 1}}, {}}, 5},
		{"of three the first was never stored", 12, [][]move{{{store, 9, 3}, {load, 9, 1}, {load, 10, 2}}, {}}, 4},
	} {
		s := moves(c.words, c.list...)
		Drop(s)
		if s.Slots != c.want {
			t.Errorf("%s: %d words, want %d", c.name, s.Slots, c.want)
		}
		for n := range s.Problem.Insts {
			if i := &s.Problem.Insts[n]; s.Problem.Ops[i.First].N == 4 && i.Slot%4 != 0 || s.Problem.Ops[i.First].N == 2 && i.Slot%2 != 0 {
				t.Errorf("%s: words from %d on are moved at once", c.name, i.Slot)
			}
		}
	}
}
