package syntax

import (
	"testing"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/witness/cases"
)

// seedText adds small texts of all kinds, accepted and not.
func seedText(f *testing.F) {
	for _, c := range append(cases.Accept(f), cases.Diag(f)...) {
		if len(c.Input) < 2000 {
			f.Add(c.Input)
		}
	}
}

// FuzzLexer checks that tokens cover the text in order and that the lexer
// always gets on.
func FuzzLexer(f *testing.F) {
	seedText(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		l := lexer{text: text, openComment: -1}
		for last := 0; ; last = l.end {
			l.next()
			if l.tok == tEOF || l.tok == tErr {
				return
			}
			if l.pos < last || l.end <= l.pos || l.end > len(text) {
				t.Fatalf("token %d at %d..%d after %d", l.tok, l.pos, l.end, last)
			}
		}
	})
}

// FuzzParser checks that no text makes the parser panic or hang, that every
// error has a place, and that recovery finds the first error first.
func FuzzParser(f *testing.F) {
	seedText(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<16 {
			return
		}
		_, _, err := parseAll(text)
		if err == nil {
			return
		}
		if err.Msg == "" || err.Pos != src.NoPos && int(err.Pos) > len(text) {
			t.Fatalf("error %q at %d", err.Msg, err.Pos)
		}
		m := ScanRecover(&src.File{Name: "in.ptx", Text: text})
		ps := &Parser{Recover: true}
		errs := len(m.Errs)
		for i := range m.Funcs {
			if m.Funcs[i].HasBody {
				errs += len(ps.ParseBody(m, &m.Funcs[i]).Errs)
			}
		}
		if errs == 0 {
			t.Fatalf("recovery lost %q", err.Msg)
		}
	})
}

// FuzzScan compares the fast skip over bodies with a walk token by token.
func FuzzScan(f *testing.F) {
	seedText(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		if checkBytes(text) != nil {
			return
		}
		for i, c := range text {
			if c != '{' {
				continue
			}
			var marks []src.Marker
			if got, want := skipBody(text, i, &marks), slowSkip(text, i); got != want {
				t.Fatalf("body at %d ends at %d, want %d", i, got, want)
			}
			if i > 200 {
				return
			}
		}
	})
}

func slowSkip(text []byte, open int) int {
	l := lexer{text: text, end: open, openComment: -1}
	for depth := 0; ; {
		l.next()
		switch l.tok {
		case tEOF, tErr:
			return len(text)
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return l.pos
			}
		}
	}
}
