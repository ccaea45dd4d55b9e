package sema_test

import (
	"strings"
	"testing"

	"goptxas/internal/witness/cases"
)

func firstLine(s string) string {
	l, _, _ := strings.Cut(s, "\n")
	return l
}

// TestDiagnostics compares exit code, first line and whole of the messages
// with what the reference said.
func TestDiagnostics(t *testing.T) {
	list := cases.Diag(t)
	var exits, firsts, wholes int
	for i := range list {
		c := &list[i]
		got := check(c.Input, c.Args)
		want := c.Exit
		if want < 0 {
			want = 255
		}
		e := got.exit == want
		f := e && (c.Exit < 0 || firstLine(got.stderr) == firstLine(c.Stderr))
		w := f && (c.Exit < 0 || got.stderr == c.Stderr)
		exits += b2i(e)
		firsts += b2i(f)
		wholes += b2i(w)
		if !w {
			t.Logf("%s %v\n got %d %s\nwant %d %s", c.Name, c.Args, got.exit, got.stderr, c.Exit, c.Stderr)
		}
	}
	t.Logf("%d cases: exit %d, first line %d, whole %d", len(list), exits, firsts, wholes)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestAccept runs what the reference accepts.
func TestAccept(t *testing.T) {
	list := cases.Accept(t)
	n := 0
	for i := range list {
		c := &list[i]
		if got := check(c.Input, c.Args); got.exit != 0 {
			t.Errorf("%s: %s", c.Name, got.stderr)
		} else {
			n++
		}
	}
	t.Logf("%d of %d accepted", n, len(list))
}
