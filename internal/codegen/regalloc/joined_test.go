package regalloc_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/check"
)

// TestTuplesInTurns: of two wide accumulators only one has room; each is
// advanced several times before the other one. It stays in its registers
// meanwhile: two loads a turn, not one before each step.
func TestTuplesInTurns(t *testing.T) {
	const wide, steps = 32, 6
	s := newScene(48, 0)
	for range 2 {
		s.p.VRegs = append(s.p.VRegs, regalloc.VReg{Width: wide, Align: 8, Fixed: -1, Remat: -1})
	}
	advance := func(v int32, role regalloc.Role) {
		s.inst(-1)
		k := len(s.p.Insts) - 1
		s.p.Insts[k].N = 1
		s.p.Ops = append(s.p.Ops, regalloc.Operand{V: v, N: wide, Role: role})
	}
	s.block(0, 1)
	advance(0, regalloc.Def)
	advance(1, regalloc.Def)
	s.block(1, 1, 2)
	for v := range int32(2) {
		for range steps {
			advance(v, regalloc.UseDef)
		}
	}
	s.end(-1)
	s.block(0)
	advance(0, regalloc.Use)
	advance(1, regalloc.Use)
	s.end(-1)
	sol, err := regalloc.Solve(s.p, regalloc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := check.Check(s.p, sol); err != nil {
		t.Fatal(err)
	}
	loads := 0
	for b := range sol.Problem.Blocks[1:2] {
		blk := sol.Problem.Blocks[1+b]
		for _, i := range sol.Problem.Insts[blk.First : blk.First+blk.N] {
			if i.Kind == regalloc.Reload {
				loads++
			}
		}
	}
	if loads > 2 {
		t.Errorf("%d loads a turn, want 2", loads)
	}
}
