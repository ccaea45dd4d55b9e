package estimate

import "slices"

// Tight is how many registers beyond what is alive allocation takes at least, which it nearly always does with.
const Tight = 3

// Cliffs are register counts at which one block or warp fewer fits on a
// multiprocessor of 65,536 registers, for the usual block sizes.
var Cliffs = [...]int32{32, 40, 48, 56, 64, 72, 80, 96, 128, 168, 255}

// CliffOf is the number of registers that so many words alive are likely to do
// with before occupancy drops, or 0.
func CliffOf(words int32) int32 {
	for _, c := range Cliffs {
		if c >= words+Tight {
			return c
		}
	}
	return 0
}

// Below is how many words are likely to do with the registers of the step
// before a cliff.
func Below(cliff int32) int32 {
	n := slices.Index(Cliffs[:], cliff)
	return Cliffs[n-1] - Tight
}

// RoomOf is how many words may be alive where as many as limit are wanted: the
// same number of registers does for them.
func RoomOf(limit int32) int32 { return max(limit, CliffOf(limit)-Tight) }

// StepBelow is the number of registers at the end of the step of occupancy
// before the one that so many words are alive in, or 0 if there is none.
func StepBelow(words int32) int32 {
	c := CliffOf(words)
	if c == 0 {
		return Cliffs[len(Cliffs)-1]
	}
	if k := slices.Index(Cliffs[:], c); k > 0 {
		return Cliffs[k-1]
	}
	return 0
}
