// Package textpos finds the places in a text at which the reference notices
// faults.
package textpos

import (
	"bytes"

	"github.com/goptxas/goptxas/internal/engine/src"
)

// The reference notices a fault when its parser reduces a rule, which is
// often one token later than the fault itself. Statements stand on one line
// in practice, so these places are found only when something is reported,
// by looking at the text again.

// After returns the place of the token that follows the one at p.
func After(text []byte, p src.Pos) src.Pos {
	if int64(p) >= int64(len(text)) {
		return p
	}
	return SkipBlank(text, p+src.Pos(tokenLen(text[p:])))
}

// SkipBlank returns the first place at or after p that is neither blank nor
// inside a comment.
func SkipBlank(text []byte, p src.Pos) src.Pos {
	i := int(p)
	for i < len(text) {
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			i++
		case c == '/' && i+1 < len(text) && text[i+1] == '/':
			n := bytes.IndexByte(text[i:], '\n')
			if n < 0 {
				return src.Pos(len(text))
			}
			i += n
		case c == '/' && i+1 < len(text) && text[i+1] == '*':
			n := bytes.Index(text[i+2:], []byte("*/"))
			if n < 0 {
				return src.Pos(len(text))
			}
			i += n + 4
		default:
			return src.Pos(i)
		}
	}
	return src.Pos(len(text))
}

// tokenLen returns the length of the word, dotted word, string or single
// character at the start of b.
func tokenLen(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	if b[0] == '"' {
		if n := bytes.IndexByte(b[1:], '"'); n >= 0 {
			return n + 2
		}
		return 1
	}
	n := 1
	if b[0] >= '0' && b[0] <= '9' || b[0] == '.' && len(b) > 1 && b[1] >= '0' && b[1] <= '9' {
		return numLen(b)
	}
	if !isWord(b[0]) && b[0] != '.' && b[0] != '%' {
		return 1
	}
	for n < len(b) && (isWord(b[n]) || b[n] == ':' && n+1 < len(b) && b[n+1] == ':') {
		if b[n] == ':' {
			n++
		}
		n++
	}
	return n
}

// numLen returns the length of the number at the start of b.
func numLen(b []byte) int {
	n := 1
	for n < len(b) {
		c := b[n]
		sign := (c == '+' || c == '-') && (b[n-1] == 'e' || b[n-1] == 'E') && !bytes.HasPrefix(b, []byte("0x"))
		if !isWord(c) && c != '.' && !sign {
			break
		}
		n++
	}
	return n
}

// Closing returns the place of the brace that closes the one at p.
func Closing(text []byte, p src.Pos) src.Pos {
	for depth := 0; int(p) < len(text); p = After(text, p) {
		switch text[p] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return p
			}
		}
	}
	return p
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}
