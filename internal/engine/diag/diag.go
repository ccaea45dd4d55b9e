// Package diag carries messages to the user: what is wrong, how badly and
// where. A Sink belongs to one compilation; units of work (a module's
// declarations, one function body, one kernel's code generation) report
// into their own Unit, possibly at the same time, and the Sink shows the
// units in the order they were opened, whatever order they finish in.
package diag

import (
	"fmt"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/src"
)

// Severity says what a message does to the compilation.
type Severity uint8

// The severities, mildest first. Two of them show as "info" and two as
// "error": the second info is advice about the generated code, the second
// error marks a fault that stops its own function alone.
const (
	Ignored Severity = iota
	Info
	Advice
	Warning
	Error
	ErrorStar
	Fatal
)

// words are padded to eight columns, as hosts that parse messages expect.
var words = [...]string{
	Ignored: "", Info: "info    ", Advice: "info    ", Warning: "warning ",
	Error: "error   ", ErrorStar: "error*  ", Fatal: "fatal   ",
}

// String returns the severity's word without padding.
func (s Severity) String() string {
	return [...]string{"ignored", "info", "info", "warning", "error", "error*", "fatal"}[s]
}

// Message is one finished diagnostic.
type Message struct {
	Severity Severity
	File     string // "" when the message has no place
	Line     int
	Text     string

	Code  string   // stable name of the kind of message, "" where it has none
	Notes []string // what else helps: the name that was perhaps meant
	Facts any      // the numbers of a report, for JSON

	// Echo is set where the message repeats what was said of the same place:
	// it is left out behind an error of the same file. One without text is not
	// shown. Mark is one of Sink.Marks where it is not left out.
	Echo bool
	Mark string

	source *src.File // where the message points
	pos    src.Pos
}

// Source returns the text and the place in it that the message is about; nil
// where it is about none.
func (m *Message) Source() (*src.File, src.Pos) { return m.source, m.pos }

// Place returns the line of the text that the message is about and the
// columns of the word it means; ok is false where it is about no place.
func (m *Message) Place() (p src.Place, ok bool) {
	if m.source == nil {
		return src.Place{}, false
	}
	return m.source.Place(m.pos, m.Quoted()), true
}

// Quoted returns the first word of the text between quotation marks.
func (m *Message) Quoted() string {
	_, rest, _ := strings.Cut(m.Text, "'")
	word, _, _ := strings.Cut(rest, "'")
	return word
}

// Append appends m in the form tools print it, without a newline:
// "ptxas in.ptx, line 6; error   : text".
func (m *Message) Append(dst []byte) []byte { return m.AppendAs(dst, "ptxas") }

// AppendAs is Append with another name than ptxas at the head.
func (m *Message) AppendAs(dst []byte, tool string) []byte {
	dst = append(append(dst, tool...), ' ')
	if m.File != "" {
		dst = fmt.Appendf(dst, "%s, line %d; ", m.File, m.Line)
	}
	dst = append(dst, words[m.Severity]...)
	dst = append(dst, ": "...)
	return append(dst, m.Text...)
}

// Unit collects the messages of one piece of work in the order they are
// found. It has one owner at a time; Close hands it to the Sink.
type Unit struct {
	sink   *Sink
	file   *src.File
	msgs   []Message
	errors int
	raised int // warnings that count as errors
	fatal  bool
	closed bool
	last   bool // shown whatever came before
}

// Report adds a message about position p of the unit's file; with
// src.NoPos the message has no place.
func (u *Unit) Report(sev Severity, p src.Pos, text string) {
	u.at(p, Message{Severity: sev, Text: text})
}

// Repeat adds an echo of a message about position p, with a mark for who asks
// the sink.
func (u *Unit) Repeat(sev Severity, p src.Pos, text, mark string) {
	if u.errors == 0 {
		u.at(p, Message{Severity: sev, Text: text, Echo: true, Mark: mark})
	}
}

func (u *Unit) at(p src.Pos, m Message) {
	if p != src.NoPos && u.file != nil {
		m.File, m.Line = u.file.Line(p)
		m.source, m.pos = u.file, p
	}
	u.Add(m)
}

// Add adds a finished message, after the sink's -w and -Werror rules.
func (u *Unit) Add(m Message) {
	if m.Severity == Warning {
		switch {
		case u.sink.opts.WarningsAreErrors:
			m.Severity = Error
			u.raised++
		case u.sink.opts.NoWarnings:
			return
		}
	}
	switch m.Severity {
	case Ignored:
		return
	case Error, ErrorStar:
		u.errors++
	case Fatal:
		u.errors++
		u.fatal = true
	}
	u.msgs = append(u.msgs, m)
}

// Errors returns how many errors and fatal faults the unit holds.
func (u *Unit) Errors() int { return u.errors }

// Fatal reports whether a fatal fault was reported: the unit's owner
// should stop.
func (u *Unit) Fatal() bool { return u.fatal }
