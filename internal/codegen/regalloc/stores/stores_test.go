package stores

import (
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
)

// TestDropStores: of two stores to a place without a load between them the
// first goes, also where the second stands in the next block; what is loaded
// on some path stays.
func TestDropStores(t *testing.T) {
	use := func(v int32) regalloc.Operand { return regalloc.Operand{V: v, N: 2, Role: regalloc.Use} }
	p := &regalloc.Problem{
		Ops: []regalloc.Operand{use(0), use(0), use(0), {V: 1, N: 2, Role: regalloc.Def}, use(0), use(0)},
		Insts: []regalloc.Inst{
			{Kind: regalloc.Spill, Slot: 0, First: 0, N: 1}, // overwritten by the next
			{Kind: regalloc.Spill, Slot: 0, First: 1, N: 1}, // loaded in block 2, half of it
			{Kind: regalloc.Spill, Slot: 4, First: 2, N: 1}, // overwritten in both blocks behind
			{Kind: regalloc.Reload, Slot: 1, First: 3, N: 1},
			{Kind: regalloc.Spill, Slot: 4, First: 4, N: 1},
			{Kind: regalloc.Spill, Slot: 4, First: 5, N: 1}, // never loaded
		},
		Blocks: []regalloc.Block{{First: 0, N: 3, Succs: []int32{1, 2}}, {First: 3, N: 0}, {First: 3, N: 3}},
	}
	s := &regalloc.Solution{Problem: p, Slots: 8, Spills: 5}
	Drop(s)
	if got := len(s.Problem.Insts); got != 2 || s.Spills != 1 {
		t.Fatalf("%d instructions and %d stores are left: %v", got, s.Spills, s.Problem.Insts)
	}
	if i := s.Problem.Insts[0]; i.Kind != regalloc.Spill || i.First != 1 {
		t.Errorf("the first that is left is %v", i)
	}
	if b := s.Problem.Blocks[2]; b.First != 1 || b.N != 1 {
		t.Errorf("the last block is %v", b)
	}
}
