package opt

import "github.com/goptxas/goptxas/internal/ori"

// maxRounds bounds how often the phases that find work for each other run.
const maxRounds = 8

// Simplify repeats the phases that carry constants and copies forward until
// none of them finds more: each makes what the next can use.
func Simplify(f *ori.Func) bool {
	changed := false
	for range maxRounds {
		again := CopyProp(f)
		again = Fold(f) || again
		again = Canonical(f) || again
		again = Predicates(f) || again
		if !again {
			break
		}
		changed = true
	}
	return changed
}
