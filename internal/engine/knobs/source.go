package knobs

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// EnvName is the environment variable that holds assignments.
const EnvName = "GOPTXAS_KNOBS"

// UnknownError says that no knob has the name, and which come near.
type UnknownError struct {
	Name string
	Near []string
}

// Error returns the message with its suggestions.
func (e *UnknownError) Error() string {
	msg := fmt.Sprintf("unknown knob %q", e.Name)
	if len(e.Near) > 0 {
		msg += ", did you mean " + strings.Join(e.Near, " or ") + "?"
	}
	return msg
}

// ReadFile takes assignments from a knob file, one a line; blank lines and
// lines that begin with # are skipped. name is for messages. All lines are
// read; the first error is returned.
func (s *Set) ReadFile(name string, r io.Reader) error {
	var first error
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	line := 0
	for in.Scan() {
		line++
		text := strings.TrimSpace(in.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		if err := s.Assign(text); err != nil && first == nil {
			first = fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
	if err := in.Err(); err != nil && first == nil {
		first = fmt.Errorf("%s:%d: %w", name, line+1, err)
	}
	return first
}

// SetEnv takes assignments from the value of the environment variable: words
// separated by blanks; double quotes keep blanks inside a word.
func (s *Set) SetEnv(text string) error {
	var word strings.Builder
	quoted, any := false, false
	flush := func() error {
		if !any {
			return nil
		}
		w := word.String()
		word.Reset()
		any = false
		if err := s.Assign(w); err != nil {
			return fmt.Errorf("%s: %w", EnvName, err)
		}
		return nil
	}
	for _, c := range text {
		switch {
		case c == '"':
			quoted, any = !quoted, true
		case !quoted && (c == ' ' || c == '\t' || c == '\n'):
			if err := flush(); err != nil {
				return err
			}
		default:
			word.WriteRune(c)
			any = true
		}
	}
	if quoted {
		return fmt.Errorf("%s: missing \"", EnvName)
	}
	return flush()
}

// WriteList prints a line for each knob: name, type, default and what it does,
// sorted by name.
func (s *Set) WriteList(w io.Writer) error {
	rows := make([]*Knob, 0, len(s.table))
	width := 0
	for i := range s.table {
		if k := &s.table[i]; k.Kind != Unset {
			rows = append(rows, k)
			width = max(width, len(k.Name))
		}
	}
	slices.SortFunc(rows, func(a, b *Knob) int { return strings.Compare(a.Name, b.Name) })
	for _, k := range rows {
		def := k.Default
		if def == "" {
			def = "-"
		}
		if _, err := fmt.Fprintf(w, "%-*s  %-11s  %-8s  %s\n", width, k.Name, k.Kind, def, k.Doc); err != nil {
			return err
		}
	}
	return nil
}

// near returns up to three names close to name, nearest first.
func (s *Set) near(name string) []string {
	type guess struct {
		name string
		far  int
	}
	var all []guess
	low := strings.ToLower(name)
	for i := range s.table {
		if s.table[i].Kind == Unset {
			continue
		}
		known := strings.ToLower(s.table[i].Name)
		far := distance(low, known)
		if len(low) >= 3 && strings.Contains(known, low) {
			far = min(far, 1)
		}
		if far <= max(1, len(known)/3) {
			all = append(all, guess{s.table[i].Name, far})
		}
	}
	slices.SortFunc(all, func(a, b guess) int {
		if a.far != b.far {
			return a.far - b.far
		}
		return strings.Compare(a.name, b.name)
	})
	var out []string
	for _, g := range all[:min(3, len(all))] {
		out = append(out, g.name)
	}
	return out
}

// distance is the number of edits between a and b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, row[j]+1, diag+1)
		}
	}
	return row[len(b)]
}
