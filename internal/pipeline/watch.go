package pipeline

import (
	"github.com/goptxas/goptxas/internal/engine/phase"
	"github.com/goptxas/goptxas/internal/ori"
)

// Watcher sees functions on their way through the phases: as they were
// lowered, with the empty name, and after every phase. It may be called from
// many goroutines at once, and must not change or keep the function.
type Watcher interface {
	Phase(kernel, name string, f *ori.Func)
}

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
