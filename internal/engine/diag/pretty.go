package diag

import (
	"encoding/json"
	"fmt"
	"strings"
)

// MarshalJSON gives the message its form for other programs.
func (m *Message) MarshalJSON() ([]byte, error) {
	x := struct {
		Severity string   `json:"severity"`
		Code     string   `json:"code,omitempty"`
		File     string   `json:"file,omitempty"`
		Line     int      `json:"line,omitempty"`
		Column   int      `json:"column,omitempty"`
		End      int      `json:"endColumn,omitempty"`
		Text     string   `json:"message"`
		Notes    []string `json:"notes,omitempty"`
		Facts    any      `json:"facts,omitempty"`
	}{Severity: m.Severity.String(), Code: m.Code, File: m.File, Line: m.Line, Text: m.Text, Notes: m.Notes, Facts: m.Facts}
	if p, ok := m.Place(); ok {
		x.Column, x.End = p.Col, p.End
	}
	return json.Marshal(x)
}

// Colours of a terminal.
const (
	plain  = "\x1b[0m"
	bold   = "\x1b[1m"
	faint  = "\x1b[2m"
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	cyan   = "\x1b[1;36m"
)

var colours = [...]string{Ignored: plain, Info: cyan, Advice: cyan, Warning: yellow, Error: red, ErrorStar: red, Fatal: red}

// maxLine is how much of a line is shown; the word of the message is always
// among it.
const maxLine = 120

// AppendPretty appends m for a reader: the place with its column, the message,
// the line of the text with the word marked, and the notes.
func (m *Message) AppendPretty(dst []byte, colour bool) []byte {
	paint := func(how, s string) {
		if colour {
			dst = append(append(append(dst, how...), s...), plain...)
			return
		}
		dst = append(dst, s...)
	}
	p, known := m.Place()
	if m.File != "" {
		where := fmt.Sprintf("%s:%d: ", m.File, m.Line)
		if known {
			where = fmt.Sprintf("%s:%d:%d: ", m.File, m.Line, p.Col)
		}
		paint(bold, where)
	}
	word := m.Severity.String()
	if m.Code != "" {
		word += "[" + m.Code + "]"
	}
	paint(colours[m.Severity], word+":")
	dst = append(append(append(dst, ' '), m.Text...), '\n')
	if known {
		line, col, end := window(string(p.Text), p.Col-1, p.End-1)
		number := fmt.Sprintf("%5d | ", m.Line)
		paint(faint, number)
		dst = append(append(dst, line...), '\n')
		paint(faint, strings.Repeat(" ", len(number)-2)+"| ")
		dst = append(dst, strings.Repeat(" ", col)...)
		paint(colours[m.Severity], "^"+strings.Repeat("~", max(0, end-col-1)))
		dst = append(dst, '\n')
	}
	for _, n := range m.Notes {
		paint(cyan, "      = ")
		dst = append(append(dst, n...), '\n')
	}
	return dst
}

// window cuts a line to what is shown, with blanks for tabs so that columns
// stay under each other, and moves the columns along.
func window(line string, col, end int) (string, int, int) {
	line = strings.ReplaceAll(line, "\t", " ")
	if len(line) <= maxLine {
		return line, col, end
	}
	from := max(0, min(col-maxLine/2, len(line)-maxLine))
	return line[from : from+maxLine], col - from, min(end-from, maxLine)
}
