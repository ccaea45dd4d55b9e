package sched

import "github.com/goptxas/goptxas/internal/codegen/sched/tuning"

// How orders are found; see package tuning.
type (
	Tuning  = tuning.Tuning
	Turns   = tuning.Turns
	Slacks  = tuning.Slacks
	Derived = tuning.Derived
	Steps   = tuning.Steps
	Judge   = tuning.Judge
)

// Usual is what is used where nobody searches.
func Usual() Tuning { return tuning.Usual() }

// Manners is how many ways there are to look for orders.
const Manners = len(strategies)

// how is the way that the tuning asks for.
func how(t *Tuning) strategy {
	if t.Manner > 0 && t.Manner <= len(strategies) {
		return strategies[t.Manner-1]
	}
	return strategy{}
}
