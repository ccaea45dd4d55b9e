package opt

import "github.com/goptxas/goptxas/internal/ori"

// maxRounds bounds how often the phases that find work for each other run.
const maxRounds = 8

// simplifiers make what the next of them can use.
var simplifiers = [...]func(*ori.Func) bool{CopyProp, Fold, Canonical, Predicates}

// Simplify repeats the phases that carry constants and copies forward until
// each in turn has found nothing.
func Simplify(f *ori.Func) bool {
	changed := false
	quiet := 0 // phases since the last one that found something
	for n := 0; n < maxRounds*len(simplifiers) && quiet < len(simplifiers); n++ {
		quiet++
		if simplifiers[n%len(simplifiers)](f) {
			changed, quiet = true, 0
		}
	}
	return changed
}
