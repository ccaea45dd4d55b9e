package phase

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"goptxas/internal/engine/pool"
)

// Log is an Observer that writes a line before and after every phase, as the
// reference's executor does.
type Log[F any] struct {
	mu sync.Mutex
	W  io.Writer
}

// Before writes "Before <phase>".
func (l *Log[F]) Before(_ F, e *Event) { l.line("Before", e) }

// After writes "After <phase>".
func (l *Log[F]) After(_ F, e *Event) { l.line("After", e) }

func (l *Log[F]) line(when string, e *Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// A log that cannot be written must not end the compile.
	_, _ = fmt.Fprintf(l.W, "%s %s: %s\n", when, e.Phase, e.Func)
}

// Profile is an Observer that adds up time and memory by phase, over all
// functions and goroutines.
type Profile[F any] struct {
	mu   sync.Mutex
	rows []ProfileRow
}

// ProfileRow is the sum for one phase.
type ProfileRow struct {
	Phase string
	Runs  int
	Time  time.Duration
	Mem   pool.Delta
}

// Before does nothing.
func (p *Profile[F]) Before(F, *Event) {}

// After adds the event to its phase.
func (p *Profile[F]) After(_ F, e *Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.rows, func(r ProfileRow) bool { return r.Phase == e.Phase })
	if i < 0 {
		i = len(p.rows)
		p.rows = append(p.rows, ProfileRow{Phase: e.Phase})
	}
	r := &p.rows[i]
	r.Runs++
	r.Time += e.Time
	r.Mem.Total += e.Mem.Total
	r.Mem.Freeable += e.Mem.Freeable
	r.Mem.Leaked += e.Mem.Leaked
	r.Mem.Reserved += e.Mem.Reserved
}

// Rows returns the sums, in the order of names in table order when given, else
// by falling time.
func (p *Profile[F]) Rows(order []string) []ProfileRow {
	p.mu.Lock()
	defer p.mu.Unlock()
	rows := slices.Clone(p.rows)
	place := func(r ProfileRow) int { return slices.Index(order, r.Phase) }
	slices.SortStableFunc(rows, func(a, b ProfileRow) int {
		if order != nil {
			return cmp.Compare(place(a), place(b))
		}
		return cmp.Or(cmp.Compare(b.Time, a.Time), strings.Compare(a.Phase, b.Phase))
	})
	return rows
}

// WriteTimes prints a line with the time of each phase.
func (p *Profile[F]) WriteTimes(w io.Writer, order []string) error {
	rows := p.Rows(order)
	var total time.Duration
	for _, r := range rows {
		total += r.Time
	}
	for _, r := range rows {
		share := 0.0
		if total > 0 {
			share = 100 * float64(r.Time) / float64(total)
		}
		if _, err := fmt.Fprintf(w, "  %-32s  %10.3f ms (%5.2f%%)  %d runs\n", r.Phase, float64(r.Time)/1e6, share, r.Runs); err != nil {
			return err
		}
	}
	return nil
}

// WriteMemory prints the memory line of each phase.
func (p *Profile[F]) WriteMemory(w io.Writer, order []string) error {
	for _, r := range p.Rows(order) {
		if _, err := fmt.Fprintln(w, r.Mem.PhaseLine(r.Phase)); err != nil {
			return err
		}
	}
	return nil
}

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
