package regalloc_test

import (
	"math/rand/v2"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/check"
)

// scene builds problems block by block; register v of each instruction is
// named by its number.
type scene struct{ p *regalloc.Problem }

func newScene(budget, regs int) *scene {
	s := &scene{&regalloc.Problem{Files: []regalloc.File{{Name: "R", Size: 255, Budget: budget, SpillTo: regalloc.Memory}}, Loops: []int32{0, 0}}}
	for range regs {
		s.p.VRegs = append(s.p.VRegs, regalloc.VReg{Width: 1, Fixed: -1, Remat: -1})
	}
	return s
}

func (s *scene) block(loop int32, succs ...int32) {
	s.p.Blocks = append(s.p.Blocks, regalloc.Block{First: int32(len(s.p.Insts)), Loop: loop, Depth: uint8(loop), Succs: succs})
}

// inst adds an instruction that writes def (none if negative) and reads uses.
func (s *scene) inst(def int32, uses ...int32) {
	i := regalloc.Inst{First: int32(len(s.p.Ops))}
	if def >= 0 {
		s.p.Ops = append(s.p.Ops, regalloc.Operand{V: def, Sub: 0, N: 1, Role: regalloc.Def})
	}
	for _, u := range uses {
		s.p.Ops = append(s.p.Ops, regalloc.Operand{V: u, Sub: 0, N: 1, Role: regalloc.Use})
	}
	i.N = int32(len(s.p.Ops)) - i.First
	s.p.Insts = append(s.p.Insts, i)
	s.p.Blocks[len(s.p.Blocks)-1].N++
}

// end closes the block with a branch that reads v, if there is one.
func (s *scene) end(v int32) {
	if v >= 0 {
		s.inst(-1, v)
	} else {
		s.inst(-1)
	}
	s.p.Insts[len(s.p.Insts)-1].Last = true
}

// solve allocates and checks, and counts the spill code inside and outside
// the loop.
func (s *scene) solve(t *testing.T, o regalloc.Options) (in, out int, sol *regalloc.Solution) {
	t.Helper()
	sol, err := regalloc.Solve(s.p, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := check.Check(s.p, sol); err != nil {
		t.Fatal(err)
	}
	for b := range sol.Problem.Blocks {
		blk := &sol.Problem.Blocks[b]
		for n := blk.First; n < blk.First+blk.N; n++ {
			if sol.Problem.Insts[n].Kind > regalloc.Move {
				if blk.Loop != 0 {
					in++
				} else {
					out++
				}
			}
		}
	}
	return in, out, sol
}

// crowd writes the given registers and then reads them all, one by one.
func (s *scene) crowd(regs ...int32) {
	for _, v := range regs {
		s.inst(v)
	}
	for _, v := range regs {
		s.inst(-1, v)
	}
}

// TestUsedInLoop spills a value where registers are short, before and behind
// a loop that reads it many times: it stays in a register inside. The loop is
// guarded, so that its exit edge and its entry are critical.
func TestUsedInLoop(t *testing.T) {
	build := func() *scene {
		s := newScene(4, 8) // 0: the value, 1: counter, 2 to 6: the crowd
		s.block(0, 1, 2)
		s.inst(0)
		s.inst(1)
		s.crowd(2, 3, 4, 5)
		s.end(1)
		s.block(1, 1, 2)
		for range 6 {
			s.inst(7, 0, 1)
			s.inst(-1, 7)
		}
		s.inst(1, 1)
		s.end(1)
		s.block(0)
		s.crowd(2, 3, 4, 5)
		s.inst(-1, 0)
		s.end(-1)
		return s
	}
	in, out, sol := build().solve(t, regalloc.Options{})
	if in != 0 || sol.Splits == 0 {
		t.Errorf("%d instructions of spill code in the loop, %d outside, %d splits", in, out, sol.Splits)
	}
	if in, _, _ := build().solve(t, regalloc.Options{NoSplit: true}); in == 0 {
		t.Error("nothing to show: without splitting the loop has no spill code either")
	}
}

// TestChangedInLoop does the same with a value that the loop changes: it is
// loaded before and stored behind.
func TestChangedInLoop(t *testing.T) {
	s := newScene(4, 8)
	s.block(0, 1, 2)
	s.inst(0)
	s.inst(1)
	s.crowd(2, 3, 4, 5)
	s.end(1)
	s.block(1, 1, 2)
	for range 6 {
		s.inst(0, 0, 1)
	}
	s.inst(1, 1)
	s.end(1)
	s.block(0)
	s.crowd(2, 3, 4, 5)
	s.inst(-1, 0)
	s.end(-1)
	in, out, sol := s.solve(t, regalloc.Options{})
	if in != 0 || sol.Splits == 0 {
		t.Errorf("%d instructions of spill code in the loop, %d outside, %d splits", in, out, sol.Splits)
	}
}

// TestLiveThrough keeps a value with many readers outside from being loaded
// for each of them because a loop it only passes is short of registers.
func TestLiveThrough(t *testing.T) {
	build := func() *scene {
		s := newScene(4, 8)
		s.block(0, 1)
		s.inst(0)
		s.inst(1)
		for range 8 { // more than a few instructions apart
			s.inst(-1, 0)
			for range 8 {
				s.inst(-1, 1)
			}
		}
		s.end(-1)
		s.block(1, 1, 2)
		s.crowd(2, 3, 4, 5)
		s.inst(1, 1)
		s.end(1)
		s.block(0)
		for range 8 {
			s.inst(-1, 0)
			for range 8 {
				s.inst(-1, 1)
			}
		}
		s.end(-1)
		return s
	}
	in, out, sol := build().solve(t, regalloc.Options{})
	if out > 4 {
		t.Errorf("%d instructions of spill code in the loop, %d outside, %d splits", in, out, sol.Splits)
	}
	if _, all, _ := build().solve(t, regalloc.Options{NoSplit: true}); all <= out {
		t.Errorf("%d outside without splitting, %d with it", all, out)
	}
}

// TestCheckerSeesSplitFaults damages the loads and stores of split registers:
// the wrong word, the wrong register, or none at all. Where the checker does
// not object, the damaged instruction must be one whose word nobody reads.
func TestCheckerSeesSplitFaults(t *testing.T) {
	caught, missed, needed := 0, 0, 0
	for seed := range uint64(800) {
		r := rand.New(rand.NewPCG(seed, 11))
		p := randomProblem(r, 16)
		s, err := regalloc.Solve(p, regalloc.Options{})
		if err != nil || s.Splits == 0 || s.Slots == 0 {
			continue
		}
		s.Slots += 256 // words that nothing is ever stored to
		for n := range s.Problem.Insts {
			i := &s.Problem.Insts[n]
			if i.Kind != regalloc.Reload || i.Slot < 0 {
				continue
			}
			old := i.Slot
			i.Slot = int32(s.Slots - 256)
			bad := check.Check(p, s) != nil
			i.Slot = old
			switch {
			case bad:
				caught++
			case readLater(s.Problem, n):
				needed++ // read, but on all ways of a word not written yet
				missed++
			}
		}
	}
	t.Logf("%d damaged loads caught, %d not seen", caught, missed)
	if caught < 1000 || missed*100 > caught {
		t.Errorf("checker missed %d of %d damaged loads (%d are read)", missed, caught+missed, needed)
	}
}

// readLater reports whether what load n fills is certainly read: in its own
// block, by one of the caller's instructions, as a word that the block has
// written before.
func readLater(p *regalloc.Problem, n int) bool {
	v := p.Ops[p.Insts[n].First].V
	for b := range p.Blocks {
		blk := &p.Blocks[b]
		if int32(n) < blk.First || int32(n) >= blk.First+blk.N {
			continue
		}
		wrote := false
		for k := blk.First; k < int32(n); k++ {
			for _, o := range p.Operands(int(k)) {
				wrote = wrote || o.Role == regalloc.Def && p.Insts[k].Kind <= regalloc.Move && regalloc.RootOf(p, o.V) == regalloc.RootOf(p, v)
			}
		}
		for k := int32(n) + 1; k < blk.First+blk.N && wrote; k++ {
			for _, o := range p.Operands(int(k)) {
				if o.V == v && p.Insts[k].Kind <= regalloc.Move {
					return o.Role.Reads() && o.Role != regalloc.Hold
				}
			}
		}
	}
	return false
}
