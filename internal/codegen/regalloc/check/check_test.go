package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
)

// problem writes two registers and reads both: they need different places.
func problem() *regalloc.Problem {
	p := &regalloc.Problem{Files: []regalloc.File{{Name: "R", Size: 8, Budget: 8, SpillTo: regalloc.Memory}}, Loops: []int32{0}}
	for range 2 {
		p.VRegs = append(p.VRegs, regalloc.VReg{Width: 1, Align: 1, Fixed: -1, Remat: -1})
	}
	inst := func(ops ...regalloc.Operand) {
		p.Insts = append(p.Insts, regalloc.Inst{First: int32(len(p.Ops)), N: int32(len(ops)), Orig: int32(len(p.Insts)), Slot: -1})
		p.Ops = append(p.Ops, ops...)
	}
	inst(regalloc.Operand{V: 0, N: 1, Role: regalloc.Def})
	inst(regalloc.Operand{V: 1, N: 1, Role: regalloc.Def})
	inst(regalloc.Operand{V: 0, N: 1, Role: regalloc.Use}, regalloc.Operand{V: 1, N: 1, Role: regalloc.Use})
	p.Blocks = []regalloc.Block{{First: 0, N: int32(len(p.Insts))}}
	return p
}

// TestCheck accepts the allocator's answer and refuses ones that lose a value.
func TestCheck(t *testing.T) {
	p := problem()
	s, err := regalloc.Solve(p, regalloc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(p, s); err != nil {
		t.Error(err)
	}
	was := s.Phys[0]
	s.Phys[0] = s.Phys[1]
	if Check(p, s) == nil {
		t.Error("both values in one register")
	}
	s.Phys[0] = 8
	if Check(p, s) == nil {
		t.Error("a register that does not exist")
	}
	s.Phys[0] = was
	gone := *s.Problem
	gone.Insts, gone.Blocks = gone.Insts[:2], []regalloc.Block{{N: 2}}
	s.Problem = &gone
	if Check(p, s) == nil {
		t.Error("the reader is gone")
	}
}

// TestInPlace refuses an instruction that writes its result elsewhere than
// where it reads the words it adds to, though all words are where they should
// be.
func TestInPlace(t *testing.T) {
	p := problem()
	p.Insts = append(p.Insts, regalloc.Inst{First: int32(len(p.Ops)), N: 2, Orig: 3, Slot: -1})
	p.Ops = append(p.Ops, regalloc.Operand{V: 0, N: 1, Role: regalloc.UseDef}, regalloc.Operand{V: 0, N: 1, Role: regalloc.Use})
	p.Blocks[0].N++
	s, err := regalloc.Solve(p, regalloc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(p, s); err != nil {
		t.Error(err)
	}
	// a copy in another register, which the instruction reads
	other := *s.Problem
	other.VRegs = append(slices.Clone(other.VRegs), regalloc.VReg{Width: 1, Align: 1, Fixed: -1, Remat: -1, Of: 0})
	n := int32(len(other.Ops))
	other.Ops = append(slices.Clone(other.Ops),
		regalloc.Operand{V: 0, N: 1, Role: regalloc.Use}, regalloc.Operand{V: 2, N: 1, Role: regalloc.Def},
		regalloc.Operand{V: 0, N: 1, Role: regalloc.UseDef}, regalloc.Operand{V: 2, N: 1, Role: regalloc.Use})
	other.Insts = slices.Insert(slices.Clone(other.Insts), 3,
		regalloc.Inst{Kind: regalloc.Spill, First: n, N: 1, Orig: -1, Slot: 0}, regalloc.Inst{Kind: regalloc.Reload, First: n + 1, N: 1, Orig: -1, Slot: 0})
	other.Insts[5].First = n + 2
	other.Blocks = []regalloc.Block{{N: 6}}
	s.Problem, s.Phys, s.Used, s.Slots = &other, append(slices.Clone(s.Phys), 5), []int{6}, 1
	if err := Check(p, s); err == nil || !strings.Contains(err.Error(), "not written where") {
		t.Errorf("a result beside what it adds to: %v", err)
	}
}
