package phase

import (
	"fmt"
	"io"
	"slices"
	"sync"
)

// Reporter is an Observer that prints, for the phases whose options ask for it,
// a line with the time or the memory of each run.
type Reporter[F any] struct {
	mu  sync.Mutex
	W   io.Writer
	run *Runner[F]
}

// Report adds to r a Reporter that writes to w, if any option asks for time or
// memory.
func (r *Runner[F]) Report(w io.Writer) {
	if slices.ContainsFunc(r.plan, func(s step[F]) bool { return s.flag.time || s.flag.mem }) {
		r.observers = append(r.observers, &Reporter[F]{W: w, run: r})
	}
}

// Before does nothing.
func (p *Reporter[F]) Before(F, *Event) {}

// After prints the lines of the event.
func (p *Reporter[F]) After(_ F, e *Event) {
	var text string
	for i := range p.run.plan {
		s := &p.run.plan[i]
		if s.row.Name != e.Phase {
			continue
		}
		if s.flag.time {
			text += fmt.Sprintf("  %s  ::  %s  [Time %.3f ms]\n", e.Func, e.Phase, float64(e.Time)/1e6)
		}
		if s.flag.mem {
			text += e.Mem.PhaseLine(e.Phase) + "\n"
		}
		break
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	// A report that cannot be written must not end the compile.
	_, _ = io.WriteString(p.W, text)
}
