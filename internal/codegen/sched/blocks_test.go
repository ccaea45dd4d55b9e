package sched

import (
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
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

func (j *scant) Keep() {}

func (j *scant) Places() bool { return true }

func (j *scant) Within(n int) int {
	j.limits = append(j.limits, n)
	return n
}

// modest is a judge for whom every order within a limit costs a little.
type modest struct {
	scant
	kept int
}

func (j *modest) Guess(float64) (cost, memory float64)      { return 1, 0 }
func (j *modest) Price(float64) (cost float64, memory bool) { return 2, false }
func (j *modest) Keep()                                     { j.kept++ }

// TestCheapStep: an order of little cost is kept for a block more, and none
// where the code has hardly any time to lose.
func TestCheapStep(t *testing.T) {
	for latency, kept := range map[float64]int{10000: 1, 10: 0} {
		m, err := ori.Parse(sums(24))
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		f.Props.ReqNTid = [3]int32{256, 1, 1}
		tune := Usual()
		s := analyse(f, target.Find("sm_90a"), &tune)
		j := &modest{}
		s.keepStep(f, 128, tuning.Cost{Latency: latency, Issue: latency / 10, Warps: 4}, f.Order(), j)
		if j.kept != kept || (j.limits[len(j.limits)-1] == 0) == (kept == 1) {
			t.Errorf("latency %v: kept %d times, limits %v", latency, j.kept, j.limits)
		}
	}
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
		s := analyse(f, target.Find("sm_90a"), &tune)
		source, before := f.Order(), f.String()
		j := &scant{good: good}
		s.keepStep(f, 40, tuning.Cost{}, source, j)
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
