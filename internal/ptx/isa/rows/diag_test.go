package rows

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
)

var (
	caseLine    = regexp.MustCompile(`in\.ptx, line (\d+); (error|fatal)\s*: (.*)$`)
	caseVersion = regexp.MustCompile(`\.version (\S+)`)
	caseTarget  = regexp.MustCompile(`\.target (sm_\w+)`)
)

// laterWork tells messages that name resolution and parsing give, not the
// instruction table.
func laterWork(msg string) bool {
	for _, s := range []string{"Unknown symbol", "Parsing error", "Constant", "Integer constant", "Call to", "Unknown video selector", "input parameter", "Immediate addresses", "Illegal to use symbol", "Illegal operand type"} {
		if strings.Contains(msg, s) {
			return true
		}
	}
	return false
}

// TestDiagCases runs the single instructions of the diagnostic cases.
func TestDiagCases(t *testing.T) {
	total, equal := 0, 0
	for _, c := range cases.Diag(t) {
		text := string(c.Input)
		switch c.Kind() {
		case "opcode", "type", "typing", "operand", "imm":
		default:
			continue
		}
		want := map[int][]string{}
		skip := false
		for line := range strings.Lines(c.Stderr) {
			if m := caseLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				n, _ := strconv.Atoi(m[1])
				want[n] = append(want[n], m[3])
				skip = skip || laterWork(m[3])
			}
		}
		v, tg := caseVersion.FindStringSubmatch(text), caseTarget.FindStringSubmatch(text)
		if skip || v == nil || tg == nil {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, ".") || strings.ContainsAny(line, "(:") || strings.Count(line, ";") != 1 || line[0] == '}' {
				continue
			}
			form := strings.ReplaceAll(strings.TrimSuffix(line, ";"), ", ", ",")
			msgs, _, parsed := checkForm(t, testContext(v[1], tg[1]), form)
			if !parsed {
				continue
			}
			total++
			for k := range msgs {
				msgs[k] = strings.TrimPrefix(msgs[k], "fatal: ")
			}
			if g, w := strings.Join(msgs, " // "), strings.Join(want[i+1], " // "); g == w {
				equal++
			} else {
				t.Logf("%s: %s: got %q want %q", c.Name, form, g, w)
			}
		}
	}
	t.Logf("%d instructions of the diagnostic cases, %d with the same messages (%.1f%%)", total, equal, 100*float64(equal)/float64(total))
}
