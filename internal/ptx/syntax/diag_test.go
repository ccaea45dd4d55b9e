package syntax

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/witness/cases"
)

// syntaxWords mark the messages that the grammar alone decides.
var syntaxWords = []string{
	"Parsing error near", "Missing .version directive", "Missing .target directive",
	"Unexpected non-ASCII", "Unexpected EOF",
}

func isSyntax(line string) bool {
	for _, w := range syntaxWords {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

// shown returns the error as it is printed.
func shown(file *src.File, e *Error) string {
	m := diag.Message{Severity: diag.Fatal, Text: e.Msg}
	if e.Pos != src.NoPos {
		m.File, m.Line = file.Line(e.Pos)
	}
	return string(m.Append(nil))
}

// judge compares the parser's verdict on a text with the lines the
// reference printed. Another fatal message of the reference ends the file
// before a syntax error of ours could.
func judge(text []byte, stderr string) (got, want string, ok bool) {
	m, _, err := parseAll(text)
	if err != nil {
		got = shown(m.File, err)
	}
	fatal := false
	for line := range strings.Lines(stderr) {
		line = strings.TrimRight(line, "\n")
		if isSyntax(line) && !strings.HasPrefix(line, "ptxas <builtin>") { // that is the reference's own text
			want = line
		}
		if strings.Contains(line, "fatal   :") && !strings.Contains(line, "Ptx assembly aborted") {
			fatal = true
		}
	}
	// A string with line ends in it makes a message of several lines.
	if got != "" && strings.Contains(stderr, got+"\n") {
		want = got
	}
	return got, want, got == want || want == "" && fatal
}

// TestDiagCases checks the verdict on every observed input, accepted or not.
func TestDiagCases(t *testing.T) {
	list := append(cases.Diag(t), cases.Accept(t)...)
	errors := 0
	for _, c := range list {
		got, want, ok := judge(c.Input, c.Stderr)
		if !ok {
			t.Errorf("%s:\n got %s\nwant %s", c.Name, got, want)
		}
		if want != "" {
			errors++
		}
	}
	t.Logf("%d inputs judged as the reference does, %d of them syntax errors", len(list), errors)
}
