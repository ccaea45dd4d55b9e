package target

import "testing"

// TestOccupancy compares with numbers worked out by hand from the limits in
// the CUDA programming guide.
func TestOccupancy(t *testing.T) {
	for _, c := range []struct {
		arch                       string
		threads, registers, shared int
		warps                      int
		bound                      string
	}{
		{"sm_90", 256, 32, 0, 64, "warps"},
		{"sm_90", 256, 33, 0, 48, "registers"},
		{"sm_90", 1024, 64, 0, 32, "registers"},
		{"sm_90", 128, 16, 100 * 1024, 8, "shared memory"},
		{"sm_80", 32, 16, 0, 32, "blocks"},
		{"sm_86", 256, 40, 0, 48, "warps"},
		{"sm_75", 1024, 64, 0, 32, "warps"},
	} {
		if warps, bound := Occupancy(Find(c.arch), c.threads, c.registers, c.shared); warps != c.warps || bound != c.bound {
			t.Errorf("%+v: %d warps bound by %s", c, warps, bound)
		}
	}
	steps := RegisterSteps(Find("sm_90"))
	if steps[0] != (RegisterStep{255, 8}) || steps[len(steps)-1] != (RegisterStep{32, 64}) {
		t.Errorf("steps %v", steps)
	}
}
