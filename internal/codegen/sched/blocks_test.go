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

// TestKeepWarps: the same for the orders of other kernels, of which two are
// tried.
func TestKeepWarps(t *testing.T) {
	for _, good := range []int{0, 1, 2, -1} {
		m, err := ori.Parse(sums(24))
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		tune := Usual()
		s := newStudy(f, target.Find("sm_90a"), &tune)
		source, before := f.Order(), f.String()
		j := &scant{good: good}
		s.keepWarps(f, 40, source, j)
		switch {
		case good == 0 && (f.String() != before || j.asked != 1 || len(j.limits) != 1):
			t.Errorf("an order that fits is changed, or %d were asked about, limits %v", j.asked, j.limits)
		case good > 0 && (j.asked != good+1 || len(j.limits) != 1):
			t.Errorf("%d orders asked about, limits %v", j.asked, j.limits)
		case good < 0 && (f.String() != before || j.asked != 3 || len(j.limits) != 2 || j.limits[1] != 0):
			t.Errorf("nothing fits: %d asked about, limits %v\n%s", j.asked, j.limits, f)
		}
	}
}

// TestMade: orders are made for the number of registers at which occupancy
// drops, and it matters where fewer blocks fit beyond it.
func TestMade(t *testing.T) {
	m, err := ori.Parse(sums(24))
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	tune := Usual()
	p := newStudy(f, target.Find("sm_90a"), &tune).presser(Budget{Most: 255}, manner{})
	for _, c := range []struct{ threads, peak, want int32 }{{128, 28, 32}, {128, 30, 40}, {128, 60, 64}, {1024, 60, 64}, {1024, 66, 0}, {128, 253, 0}} {
		f.Props.ReqNTid, p.peak = [3]int32{c.threads, 1, 1}, c.peak
		if got := p.made(f); got != int(c.want) {
			t.Errorf("%d threads, %d words: %d registers, want %d", c.threads, c.peak, got, c.want)
		}
	}
}
