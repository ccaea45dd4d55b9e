package textpos

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/src"
)

// TestAfter: the place of the next token, past blanks and comments.
func TestAfter(t *testing.T) {
	for _, c := range []struct{ text, from, want string }{
		{"add.s32 %r1, %r2;", ".s32", "%r1"},
		{"x /* y */ // z\n w", "x", "w"},
		{"a, b", "a", ", b"},
		{"last", "last", ""},
	} {
		at := After([]byte(c.text), src.Pos(strings.Index(c.text, c.from)))
		if got := c.text[at:]; !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q after %q: %q", c.text, c.from, got)
		}
	}
}

// TestClosing: braces nest, and comments do not count.
func TestClosing(t *testing.T) {
	const text = "{ a { b } /* } */ c } d"
	if at := Closing([]byte(text), 0); text[at:] != "} d" {
		t.Errorf("%q", text[at:])
	}
}
