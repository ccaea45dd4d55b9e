package regalloc_test

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/check"
)

// TestSpreadLess: where registers spread as far as they should leave no place
// for vectors, they are spread less.
func TestSpreadLess(t *testing.T) {
	less := regexp.MustCompile(`spread, failed, step (\d+)\n.*spread, used \d+, step (\d+)\n`)
	found := 0
	for seed := range uint64(400) {
		p := randomProblem(rand.New(rand.NewPCG(seed, 7)), 64)
		var trace bytes.Buffer
		s, err := regalloc.Solve(p, regalloc.Options{Trace: &trace})
		if err != nil {
			continue
		}
		if m := less.FindSubmatch(trace.Bytes()); m != nil && bytes.Equal(m[1], m[2]) {
			found++
			if err := check.Check(p, s); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
	if found == 0 {
		t.Error("nothing is spread less")
	}
	t.Logf("%d of 400 programs", found)
}
