package diag

import (
	"fmt"
	"runtime/debug"
)

// Recovery has three nested levels. The innermost guard that is armed catches
// a panic; what it returns is an ordinary error to the level above, which
// decides how much of the compile that ends.
//
//	module    the whole input: the last resort; no output
//	kernel    one entry or function: its memory is given back, the next is compiled
//	pipeline  the phases of one kernel: knows the phase and can write a reproducer

// Level is one of the nested recovery levels.
type Level uint8

// The levels, outermost first.
const (
	Module Level = iota
	Kernel
	Pipeline
)

// String returns the level's name.
func (l Level) String() string {
	return [...]string{"module", "kernel", "pipeline"}[l]
}

// Where says what was being compiled when a Bug was caught.
type Where struct{ Phase, Func, Pos string }

// Guard catches what goes wrong inside one recovery level.
type Guard struct {
	Level Level
	// Where is asked, after the panic, what was being compiled. May be nil.
	Where func() Where
	// Repro writes a reproducer for the bug and returns its path. May be nil.
	// What it panics with is dropped: the bug at hand is the one to report.
	Repro func(*Bug) string
	// After runs whenever the guarded work ended with an error of any kind,
	// before Run returns: the place to destroy the work's pool. May be nil.
	After func(error)
}

// Run calls f and returns its error, or the Bug it panicked with.
func (g *Guard) Run(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = g.caught(r)
		}
		if err != nil && g.After != nil {
			g.After(err)
		}
	}()
	return f()
}

// Stopped is what work panics with that somebody outside has ended: no bug.
type Stopped struct{ Err error }

// Error returns why.
func (s *Stopped) Error() string { return s.Err.Error() }

// Unwrap returns why.
func (s *Stopped) Unwrap() error { return s.Err }

func (g *Guard) caught(r any) error {
	if s, ok := r.(*Stopped); ok {
		return s
	}
	var at Where
	if g.Where != nil {
		at = g.where()
	}
	b, ok := r.(*Bug)
	if !ok {
		b = &Bug{Msg: fmt.Sprint(r)}
	}
	// The deferred call runs on the panicking stack, so this shows its frames.
	if b.Stack == nil {
		b.Stack = debug.Stack()
	}
	b.Level = g.Level
	fill(&b.Phase, at.Phase)
	fill(&b.Func, at.Func)
	fill(&b.Pos, at.Pos)
	if g.Repro != nil {
		fill(&b.Repro, g.reproducer(b))
	}
	return b
}

func fill(s *string, v string) {
	if *s == "" {
		*s = v
	}
}

func (g *Guard) where() (at Where) {
	defer func() { _ = recover() }()
	return g.Where()
}

func (g *Guard) reproducer(b *Bug) (path string) {
	defer func() { _ = recover() }()
	return g.Repro(b)
}
