package driver

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"goptxas/internal/witness/cases"
)

// TestDiagnosticCases runs every diagnostic and accept case the way the
// command does, in this process: accepted or refused, and in which words.
func TestDiagnosticCases(t *testing.T) {
	list := slices.Concat(cases.Diag(t), cases.Accept(t))
	exit, first, whole := 0, 0, 0
	for i := range list {
		c := &list[i]
		var log bytes.Buffer
		_, ok := CompileTexts(t.Context(), c.Args, []Text{{"in.ptx", c.Input}}, &log)
		got, _, blocked := strings.Cut(cases.Normalise(log.String()), "ptxas fatal   : "+noCode)
		want := c.Stderr
		sameExit := (ok || blocked) == (c.Exit == 0)
		exit += count(sameExit)
		same := got == want || blocked && strings.HasPrefix(want, got)
		whole += count(same)
		a, _, _ := strings.Cut(got, "\n")
		b, _, _ := strings.Cut(want, "\n")
		first += count(same || a == b)
		if !sameExit {
			t.Logf("%s %q: accepted %v, reference exit %d", c.Name, c.Args, ok || blocked, c.Exit)
		}
	}
	n := len(list)
	t.Logf("%d cases: exit code equal in %d, first line in %d, all of stderr in %d", n, exit, first, whole)
	if exit*100 < n*97 || first*100 < n*94 || whole*100 < n*90 {
		t.Errorf("too many cases differ")
	}
}
