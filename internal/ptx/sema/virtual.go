package sema

import "github.com/goptxas/goptxas/internal/engine/diag"

// FitsTarget compares the module's target with the architecture asked for,
// which is all that is judged of the whole text when no code is generated.
func (m *Module) FitsTarget(sink *diag.Sink) bool {
	why := m.Target.mismatch(m.Opts.Arch)
	if why != "" {
		sink.Say(diag.Fatal, why)
	}
	return why == ""
}
