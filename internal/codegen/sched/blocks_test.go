package sched

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// scant is a judge for whom only one order is good within a limit.
type scant struct {
	limits []int
	asked  int
	good   int // how often is asked before an order fits; -1 = none does
}

func (j *scant) Guess(float64) (cost, memory float64) {
	j.asked++
	if j.asked-1 == j.good {
		return 0, 0
	}
	return 1, 1
}

func (j *scant) Price(float64) (cost float64, memory bool) { return 0, false }

func (j *scant) Places() bool { return true }

func (j *scant) Within(n int) int {
	j.limits = append(j.limits, n)
	return n
}

// TestKeepStep: other orders are tried until one fits, and if none does the
// order is the one from before, with all registers.
func TestKeepStep(t *testing.T) {
	for _, good := range []int{0, 2, -1} {
		m, err := ori.Parse(sums(24))
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		tune := Usual()
		s := newStudy(f, target.Find("sm_90a"), &tune)
		source, before := f.Order(), f.String()
		j := &scant{good: good}
		s.keepStep(f, 40, source, j)
		switch {
		case good == 0 && (f.String() != before || j.asked != 1):
			t.Errorf("an order that fits is changed, or %d were asked about", j.asked)
		case good > 0 && (j.asked != good+1 || len(j.limits) != 1):
			t.Errorf("%d orders asked about, limits %v", j.asked, j.limits)
		case good < 0 && (f.String() != before || len(j.limits) != 2 || j.limits[1] != 0):
			t.Errorf("nothing fits: limits %v\n%s", j.limits, f)
		}
	}
}
