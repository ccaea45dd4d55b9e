package driver

import (
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// judgeTarget honours ".target …, debug", which asks for what --device-debug
// asks for: code that follows the text step by step. It returns false if the
// command line wants something else. Such code has all kernels, in the order
// of the text, whichever --entry names.
func (j *Job) judgeTarget(m *sema.Module) bool {
	if !m.Debug && !j.Settings.Debug {
		return true
	}
	s := *j.Settings
	if !s.Debug {
		if f := s.ForDebug(s.Line, j.warnf); f != nil {
			j.Sink.Say(diag.Fatal, f.Text)
			return false
		}
		s.Debug = true
	}
	s.Entries, m.Opts.AllKernels, m.Opts.InOrder = nil, true, true
	j.Settings = &s
	return true
}
