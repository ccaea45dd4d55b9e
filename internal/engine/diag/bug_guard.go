package diag

import (
	"errors"
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

// Aborter is an error that may be panicked with to end the guarded work
// without being a Bug, such as running out of a pool's memory.
type Aborter interface {
	error
	Abort()
}

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

// Run calls f and returns its error, the Bug it panicked with, or the Aborter
// it panicked with wrapped with where that happened.
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

func (g *Guard) caught(r any) error {
	var at Where
	if g.Where != nil {
		at = g.where()
	}
	if a, ok := r.(Aborter); ok {
		return &Aborted{Level: g.Level, Where: at, Err: a}
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

// Aborted is the error of work that an Aborter ended.
type Aborted struct {
	Level Level
	Where Where
	Err   Aborter
}

// Error returns the reason and the function it ended.
func (a *Aborted) Error() string {
	if a.Where.Func == "" {
		return a.Err.Error()
	}
	return fmt.Sprintf("%s, while compiling %s", a.Err, a.Where.Func)
}

// Unwrap returns the Aborter.
func (a *Aborted) Unwrap() error { return a.Err }

// AsBug returns the Bug in err's chain, if there is one.
func AsBug(err error) (*Bug, bool) {
	var b *Bug
	ok := errors.As(err, &b)
	return b, ok
}
