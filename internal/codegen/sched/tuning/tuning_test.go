package tuning

import "testing"

// TestBorder: below the border an order is better, above it is not, and with
// fewer warps the border is lower.
func TestBorder(t *testing.T) {
	u := Usual()
	now := Cost{Latency: 4000, Issue: 100, Warps: 8}
	last := now.Latency
	for _, warps := range []float64{8, 7, 5, 2} {
		at := u.Border(now, warps)
		if !u.IsBetter(Cost{at - 2, now.Issue, warps}, now) || u.IsBetter(Cost{at + 2, now.Issue, warps}, now) || at >= last {
			t.Errorf("%v warps: %v", warps, at)
		}
		last = at
	}
}
