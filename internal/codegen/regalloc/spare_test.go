package regalloc_test

import (
	"math/rand/v2"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/check"
)

// TestSpare: a register that spills are addressed from is given out where
// nothing is spilled, and to nobody where something is; the checker knows.
func TestSpare(t *testing.T) {
	const spare = 1
	for seed := range uint64(20) {
		p := fullProblem(rand.New(rand.NewPCG(seed, 9)), 26)
		r := &p.Files[0]
		r.Spare = []int{spare}
		for _, r.Budget = range []int{100, 20} {
			s, err := regalloc.Solve(p, regalloc.Options{})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if err := check.Check(p, s); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			used := false
			for v, at := range s.Phys {
				used = used || at >= 0 && at <= spare && spare < at+int16(s.Problem.VRegs[v].Width)
			}
			if memory := r.Budget == 20; memory != (s.Slots > 0) || memory == used {
				t.Fatalf("seed %d: %d registers, %d words in memory, register %d is used: %t", seed, r.Budget, s.Slots, spare, used)
			}
			if s.Slots == 0 {
				s.Slots = 1
				if check.Check(p, s) == nil {
					t.Fatalf("seed %d: the checker lets a word be in memory whose address has no register", seed)
				}
			}
		}
	}
}
