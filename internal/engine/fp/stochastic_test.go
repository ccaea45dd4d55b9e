package fp

import (
	"math"
	"testing"
)

// TestStochastic: of all random bits, as many round away from zero as the part
// that is cut off says.
func TestStochastic(t *testing.T) {
	for _, c := range []struct {
		to   Format
		n    int
		x    float32
		m    Mode
		down uint64
		ups  int // of 1<<n
	}{
		{F16, 13, 1, Mode{}, 0x3c00, 0},
		{F16, 13, 1 + 1.0/2048, Mode{}, 0x3c00, 1 << 12},
		{F16, 13, -1 - 3.0/4096, Mode{}, 0xbc00, 3 << 11},
		{F16, 13, 65504 + 8, Mode{}, 0x7bff, 1 << 11},
		{F16, 13, 65504 + 8, Mode{SatFinite: true}, 0x7bff, 0},
		{BF16, 16, 1 + 1.0/256, Mode{}, 0x3f80, 1 << 15},
		{E4M3, 16, 1 + 1.0/32, Mode{SatFinite: true}, 0x38, 1 << 14},
		{E4M3, 16, 1000, Mode{SatFinite: true}, 0x7e, 0},
		{E2M1, 8, 0.125, Mode{SatFinite: true}, 0, 64},
		{E2M1, 8, 7, Mode{SatFinite: true}, 7, 0},
		{E2M1, 8, -0.125, Mode{SatFinite: true, Relu: true}, 0, 0},
	} {
		ups := 0
		for r := range uint64(1) << c.n {
			switch v := Stochastic(c.to, uint64(math.Float32bits(c.x)), c.m, r, c.n); v {
			case c.down:
			case c.down + 1:
				ups++
			default:
				t.Fatalf("%v of %v: %#x", c.to, c.x, v)
			}
		}
		if ups != c.ups {
			t.Errorf("%v of %v: %d of %d go up, want %d", c.to, c.x, ups, 1<<c.n, c.ups)
		}
	}
}
