package regalloc_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/check"
)

// TestFree: in a file whose number of registers is no matter the first plan that
// fits is the last.
func TestFree(t *testing.T) {
	spared := 0
	for seed := range uint64(200) {
		var plans [2]int
		for n := range plans {
			p := randomProblem(rand.New(rand.NewPCG(seed, 11)), 64)
			p.Files[0].Free, p.Files[1].Free = n > 0, n > 0
			var trace bytes.Buffer
			s, err := regalloc.Solve(p, regalloc.Options{Trace: &trace})
			if err != nil {
				continue
			}
			if err := check.Check(p, s); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			plans[n] = strings.Count(trace.String(), "no fewer than")
			if n > 0 && strings.Contains(trace.String(), "-CLASS P NOSPILL REGALLOC: attemp 1, no fewer") {
				t.Errorf("seed %d: tried again\n%s", seed, trace.String())
			}
		}
		if plans[1] < plans[0] {
			spared++
		}
	}
	if spared < 10 {
		t.Errorf("%d programs have fewer plans", spared)
	}
}
