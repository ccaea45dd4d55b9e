package regalloc_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
)

// TestFork: where no round asks a strategy what to spill, as all words find room
// at every point, there is only one.
func TestFork(t *testing.T) {
	alone := 0
	for seed := range uint64(400) {
		p := randomProblem(rand.New(rand.NewPCG(seed, 11)), 12)
		var trace bytes.Buffer
		if _, err := regalloc.Solve(p, regalloc.Options{Trace: &trace}); err == nil && bytes.Count(trace.Bytes(), []byte(": strategy ")) == 1 {
			alone++
		}
	}
	if alone == 0 {
		t.Error("several strategies are tried for all of 400 problems")
	}
}
