package sched

import (
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
)

// TestInstead: what another order may cost grows with how far the guess of this one
// was off, three times at most, and does not where that was too much or says nothing.
func TestInstead(t *testing.T) {
	for _, c := range []struct{ guess, cost, times float64 }{
		{100, 140, 1.4}, {100, 90, 1}, {100, 700, mostOff}, {fewGuessed - 1, 100, 1}, {0, 0, 1},
	} {
		v := verdict{made: made{guess: c.guess}, cost: c.cost}
		if got, want := v.instead(1000), tuning.Likely(1000)*c.times; got != want {
			t.Errorf("guess %v, cost %v: %v, want %v", c.guess, c.cost, got, want)
		}
	}
}
