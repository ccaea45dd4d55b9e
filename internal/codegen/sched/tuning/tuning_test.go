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
		if !u.IsBetter(Cost{Latency: at - 2, Issue: now.Issue, Warps: warps}, now) || u.IsBetter(Cost{Latency: at + 2, Issue: now.Issue, Warps: warps}, now) || at >= last {
			t.Errorf("%v warps: %v", warps, at)
		}
		last = at
	}
}

// TestLargeBlocks: a block of many warps hides latency on any grid, and what
// memory is busy with nobody hides, so there an order is no better for less latency.
func TestLargeBlocks(t *testing.T) {
	slow, quick := Cost{Latency: 8000, Issue: 1000, Warps: 8}, Cost{Latency: 3000, Issue: 1100, Warps: 8}
	if quick.Time() >= slow.Time() {
		t.Error("few warps are late for nothing")
	}
	slow.Block, quick.Block = 8, 8
	if quick.Time() <= slow.Time() {
		t.Error("eight warps of a block do not hide latency")
	}
	slow.Block, quick.Block, slow.Memory, quick.Memory = 0, 0, 5000, 5000
	if quick.Time() != slow.Time() {
		t.Error("memory is not what is waited for")
	}
}
