package machine

import "testing"

// TestMeet: lanes whose set is complete go on from a convergence barrier,
// whichever incomplete sets wait at it beside them.
func TestMeet(t *testing.T) {
	for _, c := range [...]struct {
		name    string
		sets    []uint32
		here    uint32
		release uint32
	}{
		{"alone", []uint32{0b0110}, 0b0110, 0b0110},
		{"one missing", []uint32{0b1110}, 0b0110, 0},
		{"behind lanes that wait on", []uint32{0b101010, 0b010100}, 0b011110, 0b010100},
		{"between them", []uint32{0b1000001, 0b0110000, 0b0001110}, 0b0111111, 0b0111110},
		{"two sets at once", []uint32{0b0011, 0b1100}, 0b1111, 0b1111},
	} {
		var w Warp
		for _, set := range c.sets {
			for k := set; k != 0; k &= k - 1 {
				w.conv[3][Lane(k)] = set
			}
		}
		w.bwait[3] = c.here
		w.meet(3)
		if got := c.here &^ w.bwait[3]; got != c.release {
			t.Errorf("%s: %b go on, want %b", c.name, got, c.release)
		}
	}
}
