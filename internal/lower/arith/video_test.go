package arith

import "testing"

// TestMergeSelectors holds which bytes a video instruction merges.
func TestMergeSelectors(t *testing.T) {
	for _, c := range []struct {
		first, bits int
		want        int64
	}{{0, 32, 0x3210}, {0, 8, 0x7650}, {8, 8, 0x7604}, {24, 8, 0x0654}, {0, 16, 0x7610}, {16, 16, 0x1054}} {
		if got := merge(c.first, c.bits); got != c.want {
			t.Errorf("%d bits at %d: got %#x want %#x", c.bits, c.first, got, c.want)
		}
	}
}
