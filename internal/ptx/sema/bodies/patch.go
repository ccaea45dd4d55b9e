package bodies

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// barred reports whether code for instrumentation tools must not have an
// instruction: one that the reference has a routine for, or whose result can
// only stand in a uniform register.
func barred(o isa.Word, mods []isa.Word) bool {
	has := func(w isa.Word) bool { return slices.Contains(mods, w) }
	switch o {
	case isa.WRedux:
		return true
	case isa.WCp:
		return has(isa.WAsync) && !has(isa.WBulk)
	case isa.WMbarrier:
		switch {
		case has(isa.WInit), has(isa.WArriveDrop), has(isa.WPendingCount):
			return true
		case has(isa.WArrive):
			return !has(isa.WExpectTx)
		}
		return has(isa.WTestWait) && !has(isa.WParity)
	}
	return false
}
