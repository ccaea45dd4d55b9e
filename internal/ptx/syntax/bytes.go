package syntax

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/src"
)

// Constants of the eight-bytes-at-a-time loops.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	most  = 0x7F7F7F7F7F7F7F7F
)

// checkBytes looks for the bytes that end a file before anything else is
// said about it: zero and everything beyond ASCII, comments included.
func checkBytes(text []byte) *Error {
	i := 0
	for ; i+64 <= len(text); i += 64 {
		b := text[i : i+64 : i+64]
		any, all := uint64(0), ^uint64(0)
		for j := 0; j < 64; j += 8 {
			v := binary.LittleEndian.Uint64(b[j:])
			// Adding 0x7F sets the high bit of every byte but zero; a byte
			// that carries over is caught by any.
			any |= v
			all &= v + most
		}
		if (any|^all)&highs != 0 {
			break
		}
	}
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == 0:
			return &Error{src.NoPos, fmt.Sprintf("Unexpected EOF encountered on line %d", lineAt(text, i))}
		case c >= 0x80:
			return &Error{src.NoPos, fmt.Sprintf("Unexpected non-ASCII character encountered on line %d", lineAt(text, i))}
		}
	}
	return nil
}

func lineAt(text []byte, i int) int {
	n := 1
	for _, c := range text[:i] {
		if c == '\n' {
			n++
		}
	}
	return n
}

// skipBody returns the place of the '}' that matches the '{' at open, or
// the size of the text when there is none. All bytes are ASCII. Only
// braces, comments, strings and line markers matter here; markers go to add.
func skipBody(text []byte, open int, add *[]src.Marker) int {
	depth := 0
	for i := open; ; {
		i = nextMark(text, i)
		if i >= len(text) {
			return len(text)
		}
		switch text[i] {
		case '{':
			depth++
			i++
		case '}':
			depth--
			if depth == 0 {
				return i
			}
			i++
		case '/':
			j, ok := skipComment(text, i)
			if !ok {
				return len(text)
			}
			i = max(j, i+1)
		case '"':
			l := lexer{text: text, pos: i}
			l.string()
			i = l.end
		case '#':
			m, j := marker(text, i)
			if j > i {
				*add = append(*add, m)
			}
			i = max(j, i+1)
		default:
			i++
		}
	}
}

// nextMark returns the first place from i on that may hold one of { } / " #.
// The test of a byte is exact but for 'y' and 0x7F, which differ from the
// braces in the bits the test leaves out.
func nextMark(text []byte, i int) int {
	for ; i+32 <= len(text); i += 32 {
		b := text[i : i+32 : i+32]
		m0, m1 := marks(binary.LittleEndian.Uint64(b)), marks(binary.LittleEndian.Uint64(b[8:]))
		m2, m3 := marks(binary.LittleEndian.Uint64(b[16:])), marks(binary.LittleEndian.Uint64(b[24:]))
		if m0&m1&m2&m3 == highs {
			continue
		}
		for _, m := range [4]uint64{m0, m1, m2, m3} {
			if m != highs {
				return i + bits.TrailingZeros64(m^highs)/8
			}
			i += 8
		}
	}
	for ; i < len(text); i++ {
		switch text[i] {
		case '{', '}', '/', '"', '#':
			return i
		}
	}
	return i
}

// marks returns the high bits of the bytes of v that are no mark. Each sum
// clears the high bit of the bytes that are what it looks for: the quote and
// the hash, which differ in bit 0; the slash; the braces, which differ in
// bits 1 and 2.
func marks(v uint64) uint64 {
	quote := (v&^ones ^ 0x22*ones) + most
	slash := (v ^ 0x2F*ones) + most
	brace := (v | 0x06*ones ^ 0x7F*ones) + most
	return quote & slash & brace & highs
}

// marker reads a line marker at i: # or #line, a number, a file name and
// flags, up to the end of the line. Anything else there is no marker, and
// the place returned is i.
func marker(text []byte, i int) (m src.Marker, end int) {
	j := blanks(text, i+1)
	if j+4 <= len(text) && string(text[j:j+4]) == "line" {
		j = blanks(text, j+4)
	}
	num := j
	if j = digits(text, j); j == num {
		return m, i
	}
	// The reference keeps the number in 32 bits.
	line := int32(0)
	for _, c := range text[num:j] {
		line = line*10 + int32(c-'0')
	}
	k := blanks(text, j)
	if k == j || k >= len(text) || text[k] != '"' {
		return m, i
	}
	name := text[k+1:]
	n := bytes.IndexByte(name, '"')
	if n < 0 || bytes.IndexByte(name[:n], '\n') >= 0 {
		return m, i
	}
	name = name[:n]
	j = k + n + 2
	first := byte(0)
	for {
		k = blanks(text, j)
		if k == j || k >= len(text) || class[text[k]] != clsDigit {
			break
		}
		if first == 0 {
			first = text[k]
		}
		j = k + 1
	}
	if k >= len(text) || text[k] != '\n' {
		return m, i
	}
	m = src.Marker{Start: src.Pos(k + 1), Line: int(line)}
	// Flags 3 and 4 alone say something about the file, not its name.
	if first == 0 || first == '1' || first == '2' {
		m.Name = string(name)
	}
	return m, k + 1
}

// blanks returns the place after the blanks of one line.
func blanks(text []byte, i int) int {
	for i < len(text) && class[text[i]] == clsSpace && text[i] != '\n' {
		i++
	}
	return i
}
