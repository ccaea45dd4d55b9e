package pipeline

import "github.com/goptxas/goptxas/internal/engine/phase"

// watching shows functions to a Watcher.
type watching struct{ to Watcher }

// Before shows a function that no phase has seen yet.
func (w watching) Before(u *unit, e *phase.Event) {
	if e.Seq == 0 {
		w.to.Phase(e.Func, "", u.f)
	}
}

// After shows a function as a phase left it.
func (w watching) After(u *unit, e *phase.Event) {
	if e.Err == nil {
		w.to.Phase(e.Func, e.Phase, u.f)
	}
}
