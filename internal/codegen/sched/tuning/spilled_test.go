package tuning

import "testing"

// TestAffordable: spill code of the cost that is affordable takes the time that
// was given, and none is where the code itself takes longer.
func TestAffordable(t *testing.T) {
	u := Usual()
	x := Cost{Latency: 1000, Issue: 200, Warps: 2}
	for _, time := range []float64{x.Time() + 10, x.Time() + 200} {
		if got := u.Spilled(x, u.Affordable(x, time)); got > time || got < time-float64(u.Load)/spillLatency {
			t.Errorf("time for spill code until %v ends at %v", time, got)
		}
	}
	if n := u.Affordable(x, x.Time()/2); n != 0 {
		t.Errorf("spill code of %v is affordable in no time", n)
	}
}
