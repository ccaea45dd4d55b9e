package machine

import "testing"

// TestReconverge: lanes go on from a convergence barrier when all of it wait; lanes
// that wait elsewhere then are left behind.
func TestReconverge(t *testing.T) {
	for _, c := range [...]struct {
		name      string
		set       uint32
		here      uint32 // wait at its BSYNC
		elsewhere uint32 // wait at another one of this barrier
		deeper    uint32 // wait at another barrier
		release   uint32
		behind    uint32
	}{
		{"alone", 0b0110, 0b0110, 0, 0, 0b0110, 0},
		{"one missing", 0b1110, 0b0110, 0, 0, 0, 0},
		{"another set beside it", 0b0110, 0b0110, 0b1001, 0, 0b0110, 0},
		{"one at another place", 0b1110, 0b0110, 0b1000, 0, 0b0110, 0b1000},
		{"one at another barrier", 0b1110, 0b0110, 0, 0b1000, 0b0110, 0b1000},
		{"one missing, one at another place", 0b11110, 0b00110, 0b01000, 0, 0, 0},
	} {
		w := Warp{m: &machine{}, last: c.here}
		w.conv[3] = c.set
		w.bwait[3], w.bwait[4] = c.here|c.elsewhere, c.deeper
		for k := c.elsewhere | c.deeper; k != 0; k &= k - 1 {
			w.lpc[Lane(k)] = 7
		}
		w.meet(3, 0, false)
		if got := (c.here | c.elsewhere) &^ w.bwait[3]; got != c.release || w.behind != c.behind {
			t.Errorf("%s: %b go on, %b are left behind, want %b and %b", c.name, got, w.behind, c.release, c.behind)
		}
	}
}
