package diag

import (
	"encoding/json"
	"io"
	"sync"

	"github.com/goptxas/goptxas/internal/engine/src"
)

// Options are the user's wishes about messages.
type Options struct {
	NoWarnings        bool    // -w
	WarningsAreErrors bool    // -Werror
	JSON              bool    // one JSON object a line instead of text
	Tool              *string // replaces "ptxas" at the head of messages
}

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
	buf    []byte
}

// NewSink returns a Sink that writes to out.
func NewSink(out io.Writer, opts Options) *Sink { return &Sink{out: out, opts: opts} }

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
	if u.file != nil && u.file == s.dead {
		return
	}
	s.errors += u.errors
	s.raised += u.raised
	s.fatal = s.fatal || u.fatal
	if u.fatal {
		s.dead = u.file
	}
	s.buf = s.buf[:0]
	for i := range u.msgs {
		s.buf = s.append(s.buf, &u.msgs[i])
	}
	if len(s.buf) > 0 {
		s.out.Write(s.buf) //nolint:errcheck // a closed stderr must not stop the compilation
	}
}

func (s *Sink) append(dst []byte, m *Message) []byte {
	if !s.opts.JSON {
		if s.opts.Tool != nil {
			return append(m.AppendAs(dst, *s.opts.Tool), '\n')
		}
		return append(m.Append(dst), '\n')
	}
	b, err := json.Marshal(struct {
		Severity string `json:"severity"`
		File     string `json:"file,omitempty"`
		Line     int    `json:"line,omitempty"`
		Text     string `json:"message"`
	}{m.Severity.String(), m.File, m.Line, m.Text})
	if err != nil {
		return append(m.Append(dst), '\n')
	}
	return append(append(dst, b...), '\n')
}

// Errors returns the number of errors shown so far.
func (s *Sink) Errors() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.errors
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
func (s *Sink) Say(sev Severity, text string) {
	u := s.Open(nil)
	u.Report(sev, src.NoPos, text)
	u.Close()
}
