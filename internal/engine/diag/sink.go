package diag

import (
	"encoding/json"
	"io"
	"slices"
	"sync"

	"github.com/goptxas/goptxas/internal/engine/src"
)

// Options are the user's wishes about messages.
type Options struct {
	NoWarnings        bool    // -w
	WarningsAreErrors bool    // -Werror
	Form              Form    // how messages look
	Colour            bool    // in Pretty: with the colours of a terminal
	Tool              *string // replaces "ptxas" at the head of messages
	// Explain fills in the code and the notes of a message before it is
	// shown; nil leaves them empty.
	Explain func(*Message)
	// Take gets every message as it is shown; nil: nobody else wants them.
	Take func(*Message)
}

// Form is how messages look.
type Form uint8

// The forms: the reference's one line, the same with the source under it, and
// one JSON object a line.
const (
	Plain Form = iota
	Pretty
	JSON
)

// Sink is where the messages of one compilation go. All methods are safe
// for concurrent use.
type Sink struct {
	opts Options

	mu     sync.Mutex
	out    io.Writer
	units  []*Unit // opened and not yet shown, in order
	errors int
	raised int
	fatal  bool
	dead   *src.File // file whose later units are dropped after a fatal fault
	failed *src.File // the last file with an error
	marks  []string  // of the echoes that were not left out, each once
	buf    []byte
}

// NewSink returns a Sink that writes to out.
func NewSink(out io.Writer, opts Options) *Sink { return &Sink{out: out, opts: opts} }

// Form returns how messages look.
func (s *Sink) Form() Form { return s.opts.Form }

// Open opens the next unit in output order. A fatal fault in one unit of
// a file silences the later units of the same file; units without a file
// are never silenced.
func (s *Sink) Open(f *src.File) *Unit {
	u := &Unit{sink: s, file: f}
	s.mu.Lock()
	s.units = append(s.units, u)
	s.mu.Unlock()
	return u
}

// Reopen opens a unit about a file that is shown even behind a fatal fault in
// it.
func (s *Sink) Reopen(f *src.File) *Unit {
	u := s.Open(f)
	u.last = true
	return u
}

// Close gives the unit back. Its messages are shown as soon as every unit
// opened before it is closed.
func (u *Unit) Close() {
	s := u.sink
	s.mu.Lock()
	defer s.mu.Unlock()
	u.closed = true
	n := 0
	for n < len(s.units) && s.units[n].closed {
		s.show(s.units[n])
		n++
	}
	s.units = s.units[n:]
}

// show prints one unit. The caller holds the lock.
func (s *Sink) show(u *Unit) {
	if u.file != nil && u.file == s.dead && !u.last {
		return
	}
	silent := u.file != nil && u.file == s.failed
	if u.errors > 0 {
		s.failed = u.file
	}
	s.errors += u.errors
	s.raised += u.raised
	s.fatal = s.fatal || u.fatal
	if u.fatal {
		s.dead = u.file
	}
	s.buf = s.buf[:0]
	for i := range u.msgs {
		m := &u.msgs[i]
		if m.Echo && silent {
			continue
		}
		if m.Mark != "" && !slices.Contains(s.marks, m.Mark) {
			s.marks = append(s.marks, m.Mark)
		}
		if m.Text != "" {
			s.buf = s.append(s.buf, m)
		}
	}
	if len(s.buf) > 0 {
		s.out.Write(s.buf) //nolint:errcheck // a closed stderr must not stop the compilation
	}
}

func (s *Sink) append(dst []byte, m *Message) []byte {
	if s.opts.Explain != nil && (s.opts.Form != Plain || s.opts.Take != nil) {
		s.opts.Explain(m)
	}
	if s.opts.Take != nil {
		s.opts.Take(m)
	}
	switch {
	case s.opts.Form == JSON:
		if b, err := json.Marshal(m); err == nil {
			return append(append(dst, b...), '\n')
		}
	case s.opts.Form == Pretty:
		return m.AppendPretty(dst, s.opts.Colour)
	case s.opts.Tool != nil:
		return append(m.AppendAs(dst, *s.opts.Tool), '\n')
	}
	return append(m.Append(dst), '\n')
}

// Errors returns the number of errors shown so far.
func (s *Sink) Errors() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.errors
}

// Marks returns the marks of all echoes that were not left out, each once.
func (s *Sink) Marks() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.marks)
}

// Raised returns how many of the errors are warnings that -Werror raised.
func (s *Sink) Raised() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raised
}

// Fatal reports whether a fatal fault was shown.
func (s *Sink) Fatal() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fatal
}

// Say shows one message outside any file, in its own unit.
func (s *Sink) Say(sev Severity, text string) { s.SayWith(sev, text, nil) }

// SayWith does so with numbers for programs beside the text.
func (s *Sink) SayWith(sev Severity, text string, facts any) {
	u := s.Open(nil)
	u.Add(Message{Severity: sev, Text: text, Facts: facts})
	u.Close()
}
