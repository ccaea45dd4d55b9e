package driver

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/pipeline"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// spans notes which worker did what when, for a trace. A nil one has none.
type spans struct {
	m *sema.Module

	mu      sync.Mutex
	kernels []span
	phases  []span
	out     *pipeline.Output
}

// span is one piece of work.
type span struct {
	what, name string
	worker     int
	begun      time.Time
	took       time.Duration
}

// shortSpan is what a phase must take to be shown: a trace of a large module
// is long enough without the others.
const shortSpan = 20 * time.Microsecond

// Begin notes what there will be.
func (s *spans) Begin(out *pipeline.Output, _ []int64) { s.out = out }

// Phase notes a phase.
func (s *spans) Phase(worker int, fn, phase string, opened time.Time, took time.Duration) {
	if took < shortSpan {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phases = append(s.phases, span{phase, fn, worker, opened, took})
}

// Done notes a kernel.
func (s *spans) Done(worker, n int, k *link.Kernel) {
	if k == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kernels = append(s.kernels, span{"Optimizing compilation unit", s.m.Funcs[s.out.Funcs[n]].Name, worker, time.Now().Add(-k.Time), k.Time})
}

// events returns what was noted as events of a trace: each worker has a line
// of its own, kernels and their phases lie on it.
func (s *spans) events(from origin, begun time.Time) (list []json.RawMessage) {
	if s == nil {
		return nil
	}
	for _, part := range [...][]span{s.kernels, s.phases} {
		for _, x := range part {
			o := from
			o.tid += int64(x.worker)
			list = append(list, o.event(x.what, x.name, x.begun.Sub(begun), x.took))
		}
	}
	return list
}

// end returns how long after the start the last kernel was done.
func (s *spans) end(begun time.Time) (at time.Duration) {
	if s == nil {
		return 0
	}
	for _, x := range s.kernels {
		at = max(at, x.begun.Add(x.took).Sub(begun))
	}
	return at
}
