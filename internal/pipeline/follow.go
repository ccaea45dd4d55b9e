package pipeline

import "github.com/goptxas/goptxas/internal/engine/phase"

// following tells a Follower about phases.
type following struct{ to Follower }

// Before does nothing.
func (following) Before(*unit, *phase.Event) {}

// After tells what a phase took.
func (w following) After(u *unit, e *phase.Event) {
	w.to.Phase(u.o.worker, e.Func, e.Phase, e.Opened, e.Time)
}

// spare reports whether a phase of a function is left out, and notes it.
func spare(u *unit) bool {
	if u.o.Limits.Short() {
		u.o.spared = true
		return true
	}
	return false
}
