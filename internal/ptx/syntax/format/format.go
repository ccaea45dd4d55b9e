// Package format reads PTX word by word, without a tree, so that text with
// faults can be laid out and outlined too.
package format

import (
	"bytes"
	"strings"
)

// Source lays out PTX text anew: one statement a line, bodies indented,
// parameters below each other, one blank where words part. It changes white
// space alone and keeps comments, so text with faults can be formatted too;
// formatting the result again changes nothing. A
// text that ends inside a string or a comment stays as it is.
func Source(text []byte) []byte {
	f := &formatter{text: text, start: true}
	for f.next() {
		f.place()
	}
	if f.cut {
		return text
	}
	f.newline()
	return append(bytes.TrimRight(f.out, "\n \t"), '\n')
}

// formatter is the state of laying out one text.
type formatter struct {
	text []byte
	at   int
	out  []byte

	tok    []byte // the token at hand
	lines  int    // line ends before it
	spaced bool   // white space before it
	prev   []byte // the token before it on the line; nil at its start

	depth  int  // open blocks
	parens int  // open parentheses of a header
	inner  int  // open braces of a vector or an initial value
	start  bool // a statement begins
	head   word // what the statement begins with
	cut    bool // the text ends inside a token
	broken bool // the list of parameters goes over several lines
}

// word says how a statement ends and what its braces are.
type word uint8

const (
	plainWord   word = iota // ends with a semicolon
	lineWord                // ends with its line: .version, .target, .file, .loc
	headerWord              // .entry, .func: parameters and a body
	sectionWord             // .section: its block is data
)

// next reads a token: a comment, a string, a run of letters, digits, dots and
// the like, or one other character. Lines for other programs are tokens whole.
func (f *formatter) next() bool {
	f.lines, f.spaced = 0, false
	for f.at < len(f.text) && strings.IndexByte(" \t\r\n\f\v", f.text[f.at]) >= 0 {
		if f.text[f.at] == '\n' {
			f.lines++
		}
		f.spaced = true
		f.at++
	}
	if f.at == len(f.text) {
		return false
	}
	rest := f.text[f.at:]
	n := 1
	switch c := rest[0]; {
	case c == '#' || bytes.HasPrefix(rest, []byte("@@")) || bytes.HasPrefix(rest, []byte("//")):
		if n = bytes.IndexByte(rest, '\n'); n < 0 {
			n = len(rest)
		}
		n = len(bytes.TrimRight(rest[:n], " \t\r"))
	case bytes.HasPrefix(rest, []byte("/*")):
		if n = bytes.Index(rest[2:], []byte("*/")) + 4; n < 4 {
			n, f.cut = len(rest), true
		}
	case c == '"':
		for n < len(rest) && rest[n] != '"' {
			if rest[n] == '\\' {
				n++
			}
			n++
		}
		if n++; n > len(rest) {
			n, f.cut = len(rest), true
		}
	case isNameByte(c):
		for n < len(rest) && isNameByte(rest[n]) {
			n++
		}
	}
	f.tok = rest[:n]
	f.at += n
	return true
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '%' || c == '.' || c >= 0x80
}

// place writes the token at hand where it belongs.
func (f *formatter) place() {
	if f.lines > 0 && !f.start && f.head == lineWord {
		f.end()
	}
	if f.lines > 1 && len(f.out) > 0 && f.start {
		f.blank()
	}
	t := string(f.tok)
	switch {
	case strings.HasPrefix(t, "//") || strings.HasPrefix(t, "/*"):
		f.comment(t)
	case t[0] == '#' || strings.HasPrefix(t, "@@"):
		f.newline()
		f.out = append(append(f.out, t...), '\n')
		f.start = true
	case t == "{" && f.opens():
		f.open()
	case t == "}" && f.inner == 0:
		f.depth = max(0, f.depth-1)
		f.newline()
		f.write(t)
		f.end()
	default:
		f.word(t)
	}
}

// opens reports whether a brace opens a block and no vector.
func (f *formatter) opens() bool {
	return f.inner == 0 && (f.start || f.parens == 0 && (f.head == headerWord || f.head == sectionWord))
}

func (f *formatter) open() {
	f.newline()
	f.write("{")
	f.newline()
	f.depth++
	f.start, f.head, f.broken = true, plainWord, false
}

// comment keeps a comment behind what it stood behind, or on its own line.
func (f *formatter) comment(t string) {
	if f.lines == 0 && len(f.out) > 0 && f.out[len(f.out)-1] == '\n' && f.start {
		f.out = bytes.TrimRight(f.out, "\n") // behind a statement that is written
		f.out = append(append(f.out, ' '), t...)
		f.out = append(f.out, '\n')
		return
	}
	if f.start {
		f.newline()
	}
	f.write(t)
	if strings.HasPrefix(t, "//") || f.start {
		f.newline()
	}
}

// word writes any other token and sees what it begins or ends.
func (f *formatter) word(t string) {
	if f.start {
		f.begin(t)
	}
	switch {
	case t == "(" && f.head == headerWord:
		f.parens++
	case t == ")" && f.head == headerWord:
		f.parens--
		if f.parens == 0 && f.broken {
			f.newline()
			f.broken = false
		}
	case f.head == headerWord && f.parens == 0 && len(f.prev) > 0 && f.prev[0] == ')' && t[0] == '.':
		f.newline() // .maxntid and others stand below the parameters
	case f.head == headerWord && f.lines > 0 && f.parens == 0 && t[0] == '.' && f.prev != nil:
		f.newline()
	case t == "{":
		f.inner++
	case t == "}":
		f.inner--
	}
	f.write(t)
	switch {
	case t == ";" && f.inner == 0:
		f.end()
	case t == ":" && f.head == plainWord && f.depth > 0 && f.label():
		f.end()
	case f.head == headerWord && f.parens == 1 && (t == "," || t == "(" && f.several()):
		f.broken = true
		f.newline()
	}
}

// begin looks at the first word of a statement. Words that stand before
// .entry and .func say nothing.
func (f *formatter) begin(t string) {
	f.start = false
	f.head = plainWord
	rest := f.text[f.at-len(t):]
	for _, x := range [...]struct {
		words string
		head  word
	}{
		{".version .target .address_size .file .loc", lineWord},
		{".entry .func", headerWord},
		{".section", sectionWord},
	} {
		if hasField(x.words, t) || x.head == headerWord && hasField(".visible .extern .weak .common", t) && hasField(x.words, second(rest)) {
			f.head = x.head
		}
	}
}

func hasField(words, w string) bool {
	for x := range strings.FieldsSeq(words) {
		if x == w {
			return true
		}
	}
	return false
}

// second returns the second word of a text.
func second(text []byte) string {
	words := bytes.Fields(text[:min(len(text), 200)])
	if len(words) < 2 {
		return ""
	}
	return string(words[1])
}

// several reports whether a list of parameters that was just opened holds more
// than one, and belongs to the name and not to the results.
func (f *formatter) several() bool {
	end := bytes.IndexByte(f.text[f.at:], ')')
	return end >= 0 && bytes.IndexByte(f.text[f.at:f.at+end], ',') >= 0
}

// label reports whether the line holds a name and a colon alone, so that the
// statement behind it may go to the next.
func (f *formatter) label() bool {
	line := f.out[bytes.LastIndexByte(f.out, '\n')+1:]
	name := bytes.TrimSpace(line)
	if len(name) < 2 || bytes.ContainsAny(name[:len(name)-1], " \t\"@,([") || name[0] == '.' {
		return false
	}
	rest := bytes.TrimLeft(f.text[f.at:], " \t\r\n")
	if bytes.HasPrefix(rest, []byte(".branchtargets")) || bytes.HasPrefix(rest, []byte(".calltargets")) || bytes.HasPrefix(rest, []byte(".callprototype")) {
		return false // the label names the table
	}
	out := append(f.out[:len(f.out)-len(line)], name...) // labels stand at the left
	f.out = out
	return true
}

// end ends a statement.
func (f *formatter) end() {
	f.newline()
	f.start, f.head, f.parens, f.inner, f.broken = true, plainWord, 0, 0, false
}

// newline ends the line, if anything stands on it.
func (f *formatter) newline() {
	f.prev = nil
	if n := len(f.out); n > 0 && f.out[n-1] != '\n' {
		f.out = append(bytes.TrimRight(f.out, " \t"), '\n')
	}
}

// blank leaves one empty line, but none behind an opening brace.
func (f *formatter) blank() {
	f.newline()
	if !bytes.HasSuffix(f.out, []byte("\n\n")) && !bytes.HasSuffix(f.out, []byte("{\n")) {
		f.out = append(f.out, '\n')
	}
}

// write appends a token with the white space that belongs before it.
func (f *formatter) write(t string) {
	if n := len(f.out); n == 0 || f.out[n-1] == '\n' {
		for range f.depth {
			f.out = append(f.out, '\t')
		}
		if f.parens > 0 && f.broken && t != ")" || !f.start && f.prev == nil && f.head == plainWord && n > 0 && t != "{" && f.continued() {
			f.out = append(f.out, '\t')
		}
	} else if f.apart(t) {
		f.out = append(f.out, ' ')
	}
	f.out = append(f.out, t...)
	f.prev = []byte(t)
}

// continued reports whether the line at hand goes on with a statement.
func (f *formatter) continued() bool {
	line := bytes.TrimRight(f.out, "\n")
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	return bytes.Contains(line, []byte("//")) && !bytes.HasPrefix(bytes.TrimLeft(line, "\t"), []byte("//"))
}

// apart reports whether a blank belongs between the token before and t.
func (f *formatter) apart(t string) bool {
	p := string(f.prev)
	switch {
	case p == "":
		return false
	case t == "," || t == ";" || t == ")" || t == "]" || t == "}" || p == "(" || p == "[" || p == "{" && f.inner > 0:
		return false
	case p == ",":
		return true
	case t == ":":
		return false
	}
	return f.spaced
}
