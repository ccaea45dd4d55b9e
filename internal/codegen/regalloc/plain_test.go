package regalloc_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/check"
)

// TestPlain: what takes the first place that fits passes the checker, with spill
// code and without.
func TestPlain(t *testing.T) {
	solved, spills := 0, 0
	for seed := range uint64(300) {
		for _, budget := range []int{16, 32, 255} {
			p := randomProblem(rand.New(rand.NewPCG(seed, uint64(budget)+1)), budget)
			s, err := regalloc.Solve(p, regalloc.Options{Plain: true, Once: true, NoSplit: true, Trials: 1})
			if o := (*regalloc.Overflow)(nil); errors.As(err, &o) {
				continue
			}
			if err != nil {
				t.Fatalf("seed %d budget %d: %v", seed, budget, err)
			}
			if err := check.Check(p, s); err != nil {
				t.Fatalf("seed %d budget %d: %v", seed, budget, err)
			}
			solved++
			spills += s.Spills
		}
	}
	if solved < 800 || spills == 0 {
		t.Errorf("%d of 900 programs are allocated, with %d spills", solved, spills)
	}
}
