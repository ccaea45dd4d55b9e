package sched

import (
	"math"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// scant is a judge for whom only one order is good within a limit.
type scant struct {
	limits  []int
	asked   int
	good    int  // how often is asked before an order fits; -1 = none does
	unlucky bool // what is kept needs memory
}

func (j *scant) Guess(float64) (cost, memory float64) {
	j.asked++
	if j.asked-1 == j.good {
		return 0, 0
	}
	return 1, 1
}

func (j *scant) Price(float64) (cost float64, memory bool) { return 0, false }

func (j *scant) Dry(most float64) (cost float64) { return dried(j.Price(most)) }

func (j *scant) Keep() bool { return !j.unlucky }

func (j *scant) Takes() (int, bool) { return 0, true }

func (j *scant) Places() bool { return true }

func (j *scant) Within(n int) int {
	j.limits = append(j.limits, n)
	return n
}

// dried is what a judge says of an order that may not need memory.
func dried(cost float64, memory bool) float64 {
	if memory {
		return math.Inf(1)
	}
	return cost
}

// modest is a judge for whom every order costs a little, and more within a limit.
type modest struct {
	scant
	free, more float64
	limited    bool
	asked      int
	kept       int
}

func (j *modest) Guess(float64) (cost, memory float64) { return 1, 0 }

func (j *modest) Price(float64) (cost float64, memory bool) {
	j.asked++
	if j.limited {
		return j.free + j.more, false
	}
	return j.free, false
}

func (j *modest) Within(n int) int {
	j.limited = n > 0
	return j.scant.Within(n)
}

func (j *modest) Keep() bool {
	j.kept++
	return !j.unlucky
}

// stepped is a function whose registers decide how many blocks run together.
func stepped(t *testing.T) (*ori.Func, *analysis) {
	t.Helper()
	m, err := ori.Parse(sums(24))
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	f.Props.ReqNTid = [3]int32{256, 1, 1}
	tune := Usual()
	s := analyse(f, target.Find("sm_90a"), &tune)
	return f, s
}

// TestCheapStep: an order of little cost is kept for a block more, and none
// where the code has hardly any time to lose; one that needs memory if all do. What it costs with all registers is
// no matter, and little more than that is better than another order.
func TestCheapStep(t *testing.T) {
	for _, c := range []struct {
		latency, free, more float64
		unlucky             bool
		kept, asked         int // asked: 0 = more than three times
	}{
		{10000, 0, 2, false, 1, 0}, {10, 0, 2, false, 0, 0}, {10, 5, 0, false, 1, 2}, {10000, 5, 1, false, 1, 2}, {10, 5, 1, false, 0, 0}, {10000, 0, 2, true, 1, 0}, {10000, 0, 0, true, 2, 0},
	} {
		f, s := stepped(t)
		j := &modest{scant: scant{unlucky: c.unlucky}, free: c.free, more: c.more}
		s.keepStep(f, 128, tuning.Cost{Latency: c.latency, Issue: c.latency / 10, Warps: 4}, f.Order(), false, j)
		if j.kept != c.kept || j.limited != (c.kept > 0) || (j.asked == 2) != (c.asked == 2) {
			t.Errorf("%+v: kept %d times, asked %d, limits %v", c, j.kept, j.asked, j.limits)
		}
	}
}

// nosy is a judge who notes which orders within a limit it was asked the price
// of, and by what bound.
type nosy struct {
	modest
	f      *ori.Func
	orders map[string]int
	bounds []float64
}

func (j *nosy) Price(most float64) (cost float64, memory bool) {
	if j.limited {
		j.orders[j.f.String()]++
		j.bounds = append(j.bounds, most)
	}
	return j.modest.Price(most)
}

// TestSameOrder: the price of an order is asked once, and always with a bound:
// without one allocation spills on though nothing may be paid.
func TestSameOrder(t *testing.T) {
	f, s := stepped(t)
	j := &nosy{modest: modest{more: 1e6}, f: f, orders: map[string]int{}}
	s.keepStep(f, 128, tuning.Cost{Latency: 10000, Issue: 1000, Warps: 4}, f.Order(), false, j)
	if len(j.orders) < 2 {
		t.Errorf("only %d orders are priced", len(j.orders))
	}
	for _, n := range j.orders {
		if n > 1 {
			t.Errorf("the price of an order is asked %d times", n)
		}
	}
	for _, most := range j.bounds {
		if most <= 0 {
			t.Errorf("bounds %v: some price has none", j.bounds)
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
		s.keepStep(f, 40, tuning.Cost{}, source, false, j)
		last := j.limits[len(j.limits)-1]
		switch {
		case good == 0 && (f.String() != before || j.asked != 1):
			t.Errorf("an order that fits is changed, or %d were asked about", j.asked)
		case good > 0 && (j.asked != good+1 || last != 40):
			t.Errorf("%d orders asked about, limits %v", j.asked, j.limits)
		case good < 0 && (f.String() != before || last != 0):
			t.Errorf("nothing fits: limits %v\n%s", j.limits, f)
		}
	}
}

// TestStepOfWords: the step that is asked for is the last in which all words find room, also where
// the few registers beyond them reach over its end.
func TestStepOfWords(t *testing.T) {
	m, err := ori.Parse(betweenProducts())
	if err != nil {
		t.Fatal(err)
	}
	f, tune := m.Funcs[0], Usual()
	f.Props.ReqNTid = [3]int32{128, 1, 1}
	p := analyse(f, target.Find("sm_90a"), &tune).preScheduler(Budget{Most: 255}, strategy{})
	for _, c := range []struct {
		peak, limit int32
		want        int
	}{{100, 122, 128}, {125, 125, 128}, {126, 162, 168}, {125, 162, 168}} {
		if p.peak, p.limit[general] = c.peak, c.limit; p.step(f) != c.want {
			t.Errorf("%d words, at most %d: step %d instead of %d", c.peak, c.limit, p.step(f), c.want)
		}
	}
}

// ample is a judge for whom allocation without a bound takes so many registers.
type ample struct {
	modest
	takes int
}

func (j *ample) Takes() (int, bool) { return j.takes, false }

// TestStepTaken: nothing else is tried where allocation comes to the registers of the step by
// itself, or where an order hides copies and enough warps are left with a block less.
func TestStepTaken(t *testing.T) {
	for _, c := range []struct {
		takes      int
		hides      bool
		step, open int
		kept       int
	}{
		{129, false, 128, 106, 1}, {128, false, 128, 106, 0}, {129, true, 128, 106, 1}, {129, true, 80, 106, 0}, {129, true, 80, 0, 1}, {129, false, 80, 106, 1},
	} {
		f, s := stepped(t)
		s.tune.Steps.Open = c.open
		j := &ample{modest{free: 5, more: 1}, c.takes}
		s.keepStep(f, c.step, tuning.Cost{Latency: 10000, Issue: 1000, Warps: estimate.Warps(f, int32(c.step))}, f.Order(), c.hides, j)
		if j.kept != c.kept || j.limited != (c.kept > 0) {
			t.Errorf("%+v: kept %d times, limits %v", c, j.kept, j.limits)
		}
	}
}
