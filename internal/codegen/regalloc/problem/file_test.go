package problem

import "testing"

// TestSpreadTo checks how many registers are given where n are needed.
func TestSpreadTo(t *testing.T) {
	steps := []int{30, 38, 46, 62}
	for _, c := range []struct {
		steps   []int
		n, want int
	}{
		{steps, 10, 12},
		{steps, 24, 27},
		{steps, 29, 30}, // not over a step
		{steps, 31, 34},
		{steps, 60, 62},
		{steps, 80, 80}, // above all steps
		{[]int{63}, 10, 63},
	} {
		f := File{Budget: 255, Steps: c.steps}
		if got := f.SpreadTo(c.n); got != c.want {
			t.Errorf("steps %v: %d where %d are needed, want %d", c.steps, got, c.n, c.want)
		}
	}
}
