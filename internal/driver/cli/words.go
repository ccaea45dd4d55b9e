package cli

import (
	"os"
	"strconv"
	"strings"
)

// maxDepth bounds options files that name options files: the reference
// opens fifteen inside each other and refuses the next.
const maxDepth = 15

// splitFile cuts the text of an options file into words. Blanks, tabs and
// line ends separate them; "…" keeps them together; a backslash keeps the
// next character, whatever it is. A NUL ends its word.
func splitFile(text string) ([]string, *Fault) {
	var words []string
	var w []byte
	quoted, started := false, false
	flush := func() {
		if started {
			s, _, _ := strings.Cut(unquote(string(w)), "\x00")
			words = append(words, s)
		}
		w, started = w[:0], false
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\':
			if i++; i == len(text) {
				return nil, Faultf("Stray '' character")
			}
			w, started = append(w, text[i]), true
		case c == '"':
			quoted, started = !quoted, true
			w = append(w, c)
		case !quoted && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			flush()
		default:
			w, started = append(w, c), true
		}
	}
	if quoted {
		return nil, Faultf(`Stray '"' character`)
	}
	flush()
	return words, nil
}

// unquote drops quotation marks, except those behind a backslash.
func unquote(s string) string {
	if strings.IndexByte(s, '"') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		if s[i] != '"' || i > 0 && s[i-1] == '\\' {
			out = append(out, s[i])
		}
	}
	return string(out)
}

// splitList cuts a list value at its commas. Quotes protect commas, blanks
// around an item do not belong to it, empty items do not count.
func splitList(text string) ([]string, *Fault) {
	var items []string
	quoted, start := false, 0
	add := func(s string) {
		if s = strings.Trim(s, " \t\r\n"); s != "" {
			items = append(items, unquote(s))
		}
	}
	for i := range len(text) {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case text[i] == ',' && !quoted:
			add(text[start:i])
			start = i + 1
		}
	}
	if quoted {
		return nil, Faultf(`Stray '"' character`)
	}
	add(text[start:])
	return items, nil
}

// readOptionsFile returns the words of an options file. A folder reads as
// an empty file.
func readOptionsFile(name string) ([]string, *Fault) {
	data, err := os.ReadFile(name)
	if err != nil {
		if st, err2 := os.Stat(name); err2 == nil && st.IsDir() {
			return nil, nil
		}
		return nil, Faultf("Could not open options file '%s'", name)
	}
	return splitFile(string(data))
}

// number reads a C integer: blanks, sign, then decimal, 0x… or 0…; the
// empty text is 0. ok tells whether the whole text was a number; big that
// it does not fit 64 bits.
func number(s string) (n int64, ok, big bool) {
	if s == "" {
		return 0, true, false
	}
	t := strings.TrimLeft(s, " \t\n\v\f\r")
	neg := false
	if t != "" && (t[0] == '+' || t[0] == '-') {
		neg, t = t[0] == '-', t[1:]
	}
	base := 10
	switch {
	case len(t) > 2 && t[0] == '0' && t[1]|0x20 == 'x':
		base, t = 16, t[2:]
	case len(t) > 1 && t[0] == '0':
		base = 8
	}
	end := 0
	for end < len(t) && digit(t[end]) < base {
		end++
	}
	u, err := strconv.ParseUint(t[:end], base, 64)
	if end == 0 {
		return 0, false, false
	}
	big = err != nil || u > 1<<63-1 && (!neg || u != 1<<63)
	if n = int64(u); neg {
		n = -n
	}
	return n, end == len(t), big
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 99
}

// wrapped reads a number as the reference reads register counts: 64 bits
// unsigned, saturating, then cut to 32 bits.
func wrapped(s string) (int32, bool) {
	n, ok, big := number(s)
	if big {
		t := strings.TrimLeft(s, " \t\n\v\f\r+-")
		if u, err := strconv.ParseUint(t, 0, 64); err == nil {
			n = int64(u)
			if strings.Contains(s, "-") {
				n = -n
			}
		} else {
			n = -1
		}
	}
	return int32(n), ok
}
