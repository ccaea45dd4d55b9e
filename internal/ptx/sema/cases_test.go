package sema_test

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
)

func firstLine(s string) string {
	l, _, _ := strings.Cut(s, "\n")
	return l
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
