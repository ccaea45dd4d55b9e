package regalloc_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/check"
)

// loads is a loop of two loads and a store, each from an address of its own:
// the result of the second load could have the first one's address register.
func loads(steps []int) *regalloc.Problem {
	p := &regalloc.Problem{Files: []regalloc.File{{Name: "R", Size: 255, Budget: 255, SpillTo: regalloc.Memory, Steps: steps}}}
	for range 6 {
		p.VRegs = append(p.VRegs, regalloc.VReg{Width: 1, Fixed: -1, Remat: -1})
	}
	p.VRegs[1].Width, p.VRegs[1].Align = 2, 2
	inst := func(late bool, ops ...regalloc.Operand) {
		i := regalloc.Inst{First: int32(len(p.Ops)), N: int32(len(ops))}
		if late {
			i.Late = 1
		}
		p.Insts = append(p.Insts, i)
		p.Ops = append(p.Ops, ops...)
	}
	def, use := func(v int32) regalloc.Operand { return regalloc.Operand{V: v, Sub: 0, N: 1, Role: regalloc.Def} }, func(v int32) regalloc.Operand { return regalloc.Operand{V: v, Sub: 0, N: 1, Role: regalloc.Use} }
	inst(false, def(0))
	inst(false, regalloc.Operand{V: 1, Sub: 0, N: 2, Role: regalloc.Def}, use(0))
	inst(false, def(2), use(0))
	inst(true, def(3), regalloc.Operand{V: 1, Sub: 0, N: 2, Role: regalloc.Use}) // load
	inst(true, def(4), use(2))                                                   // load
	inst(false, def(5), use(3), use(4))
	inst(true, use(2), use(5)) // store
	inst(false, use(0))
	p.Insts[7].Last = true
	p.Blocks = []regalloc.Block{{First: 0, N: 1, Succs: []int32{1}}, {First: 1, N: 7, Depth: 1, Succs: []int32{1}}}
	return p
}

// TestSpread checks that the second load's result does not take a register
// the first has yet to read where registers are free, and does otherwise.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		steps  []int
		behind bool
		shares bool
		most   int
	}{
		{nil, false, true, 5},
		{[]int{30, 62}, false, false, 30},
		{[]int{30, 62}, true, true, 30}, // loads read in order
		{[]int{3}, false, true, 5},      // no step is high enough
	} {
		p := loads(c.steps)
		if c.behind {
			for n := 3; n < 5; n++ {
				p.Insts[n].Queue, p.Insts[n].Behind = 1, 1
			}
		}
		s, err := regalloc.Solve(p, regalloc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Check(p, s); err != nil {
			t.Fatal(err)
		}
		if s.Used[0] > c.most {
			t.Errorf("steps %v: %d registers", c.steps, s.Used[0])
		}
		if shares := s.Phys[4] == s.Phys[1] || s.Phys[4] == s.Phys[1]+1; shares != c.shares {
			t.Errorf("steps %v, in order %v: first address in %d, second result in %d", c.steps, c.behind, s.Phys[1], s.Phys[4])
		}
		if len(c.steps) > 1 && (s.Phys[5] == s.Phys[1] || s.Phys[5] == s.Phys[2]) {
			t.Errorf("what the store reads is overwritten at once in the next round")
		}
	}
}
