package tuning

import "math"

// Likely is how much the guess about an order may be that is given registers,
// if the least is so much: some words more are no more than chance.
func Likely(least float64) float64 { return 1.1*least + 4 }

// Alike reports whether guesses differ by no more than chance.
func Alike(x, y float64) bool { return math.Abs(x-y) <= x/64 }
