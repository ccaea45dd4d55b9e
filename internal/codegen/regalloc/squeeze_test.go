package regalloc_test

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/check"
)

// TestSqueeze: where the fattest point leaves room below a step and no plan
// stays below it, what found no place is placed earlier until all do.
func TestSqueeze(t *testing.T) {
	squeezed := regexp.MustCompile(`squeeze \d+, used`)
	found := 0
	for seed := range uint64(400) {
		p := randomProblem(rand.New(rand.NewPCG(seed, 7)), 64)
		var trace bytes.Buffer
		s, err := regalloc.Solve(p, regalloc.Options{Trace: &trace})
		if err != nil || !squeezed.Match(trace.Bytes()) {
			continue
		}
		found++
		if err := check.Check(p, s); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if found == 0 {
		t.Error("nothing is squeezed below a step")
	}
	t.Logf("%d of 400 programs", found)
}
