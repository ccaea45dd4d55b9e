package problem

import "math"

// What spill code costs beside a word that goes to or from memory: moving it
// between register files, and making it again.
const (
	MoveCost  = 0.5
	RematCost = 0.25
)

// Traffic is what moving words between registers and memory costs, in moves
// of one: the unit takes four words with one instruction, but moves each.
func Traffic(words uint8) float64 {
	n := float64(max(1, words))
	return (math.Ceil(n/4) + n) / 2
}
