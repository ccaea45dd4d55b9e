package driver

import (
	"bytes"
	"slices"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
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
		ours, theirs := reportLines(log.String()), reportLines(c.Stderr)
		sameExit := ok == (c.Exit == 0)
		exit += count(sameExit)
		same := slices.Equal(ours, theirs)
		whole += count(same)
		first += count(same || len(ours) > 0 && len(theirs) > 0 && ours[0] == theirs[0])
		if !sameExit {
			t.Logf("%s %q: accepted %v, reference exit %d\n%s", c.Name, c.Args, ok, c.Exit, log.String())
		}
	}
	n := len(list)
	t.Logf("%d cases: exit code equal in %d, first line in %d, all of stderr in %d", n, exit, first, whole)
	if exit < n-10 || first < n-25 || whole < n-29 {
		t.Errorf("more cases differ than did")
	}
}
