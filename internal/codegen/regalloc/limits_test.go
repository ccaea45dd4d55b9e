package regalloc_test

import (
	"math/rand/v2"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/check"
)

// TestLimits: ten values for a block with many registers and three for one
// with few live at once before both. None need go to memory, and those for
// the few registers are among them.
func TestLimits(t *testing.T) {
	p := &regalloc.Problem{Files: []regalloc.File{{Name: "R", Size: 64, Budget: 24, SpillTo: regalloc.Memory, Limits: []int16{16, 4, 24}}}}
	def := func(v int32, role regalloc.Role) {
		p.Insts = append(p.Insts, regalloc.Inst{First: int32(len(p.Ops)), N: 1})
		p.Ops = append(p.Ops, regalloc.Operand{V: v, N: 1, Role: role})
	}
	for range 13 {
		p.VRegs = append(p.VRegs, regalloc.VReg{Width: 1, Fixed: -1, Remat: -1})
	}
	block := func(succs []int32, role regalloc.Role, from, to int32) {
		b := regalloc.Block{First: int32(len(p.Insts)), Succs: succs}
		for v := from; v < to; v++ {
			def(v, role)
		}
		b.N = int32(len(p.Insts)) - b.First
		p.Blocks = append(p.Blocks, b)
	}
	block([]int32{1, 2}, regalloc.Def, 0, 13)
	block(nil, regalloc.Use, 10, 13)
	block(nil, regalloc.Use, 0, 10)
	s, err := regalloc.Solve(p, regalloc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Slots != 0 {
		t.Errorf("%d words in memory", s.Slots)
	}
	for v := 10; v < 13; v++ {
		if s.Phys[v] >= 4 {
			t.Errorf("v%d is in register %d, of 4", v, s.Phys[v])
		}
	}
	if err := check.Check(p, s); err != nil {
		t.Error(err)
	}
	s.Phys[10] = 15
	if check.Check(p, s) == nil {
		t.Error("a register that is not there is not seen")
	}
}

// TestRandomLimits allocates random programs with another number of registers
// in every block; the replay must agree, and must see values that are put
// where there is no register for them.
func TestRandomLimits(t *testing.T) {
	done, split, caught := 0, 0, 0
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 21))
		p := randomProblem(r, 40)
		f := &p.Files[2]
		for range p.Blocks {
			f.Limits = append(f.Limits, int16(14+r.IntN(27)))
		}
		s, err := regalloc.Solve(p, regalloc.Options{Once: seed%4 == 0})
		if err != nil {
			continue
		}
		done++
		if s.Slots > 0 {
			split++
		}
		if err := check.Check(p, s); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		caught += misplaced(t, seed, p, s)
	}
	t.Logf("%d programs, %d with spills, %d faults seen", done, split, caught)
	if done < 300 || split < 100 || caught < 1000 {
		t.Errorf("%d programs, %d with spills, %d faults seen", done, split, caught)
	}
}

// misplaced puts each operand's register just beyond what its block has.
func misplaced(t *testing.T, seed uint64, p *regalloc.Problem, s *regalloc.Solution) (caught int) {
	for b := range s.Problem.Blocks {
		blk := &s.Problem.Blocks[b]
		for n := blk.First; n < blk.First+blk.N; n++ {
			for _, o := range s.Problem.Operands(int(n)) {
				if s.Problem.VRegs[o.V].Class != 2 || o.N == 0 {
					continue
				}
				old, used := s.Phys[o.V], s.Used[2]
				s.Phys[o.V], s.Used[2] = p.Files[2].Limits[b]-int16(o.Sub), 255
				if check.Check(p, s) == nil && reached(p, b) {
					t.Fatalf("seed %d: instruction %d in a register that is not there is not seen", seed, n)
				}
				s.Phys[o.V], s.Used[2] = old, used
				caught++
			}
			break // one an instruction's block is enough
		}
	}
	return caught
}

// reached reports whether some path leads to block b.
func reached(p *regalloc.Problem, b int) bool {
	seen := make([]bool, len(p.Blocks))
	var walk func(n int32)
	walk = func(n int32) {
		if !seen[n] {
			seen[n] = true
			for _, s := range p.Blocks[n].Succs {
				walk(s)
			}
		}
	}
	walk(0)
	return seen[b]
}
