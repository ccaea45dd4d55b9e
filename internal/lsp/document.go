package lsp

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/goptxas/goptxas/internal/ptx/isa/rows"
	"github.com/goptxas/goptxas/internal/ptx/syntax/format"
)

// position is a place as the protocol counts: lines from 0, and in a line
// units of UTF-16.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

// document is an open text.
type document struct {
	text    []byte
	lines   []int           // where each line begins
	outline *format.Outline // made when it is asked for
}

func newDocument(text []byte) *document {
	d := &document{text: text, lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	return d
}

func (d *document) decls() *format.Outline {
	if d.outline == nil {
		d.outline = format.OutlineOf(d.text)
	}
	return d.outline
}

// position returns the place of a byte.
func (d *document) position(at int) position {
	at = min(max(at, 0), len(d.text))
	line := sort.SearchInts(d.lines, at+1) - 1
	units := 0
	for _, r := range string(d.text[d.lines[line]:at]) {
		units++
		if r > 0xffff {
			units++
		}
	}
	return position{line, units}
}

func (d *document) span(from, to int) span { return span{d.position(from), d.position(to)} }

// offset returns the byte at a place.
func (d *document) offset(p position) int {
	if p.Line < 0 || p.Line >= len(d.lines) {
		return len(d.text)
	}
	at := d.lines[p.Line]
	for units := 0; units < p.Character && at < len(d.text) && d.text[at] != '\n'; units++ {
		r, n := utf8.DecodeRune(d.text[at:])
		if at += n; r > 0xffff {
			units++
		}
	}
	return at
}

// wordAt returns the word around a byte.
func (d *document) wordAt(at int) (word string, from int) {
	from = min(at, len(d.text))
	for from > 0 && isWord(d.text[from-1]) {
		from--
	}
	to := from
	for to < len(d.text) && isWord(d.text[to]) {
		to++
	}
	return string(d.text[from:to]), from
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '%' || c == '.'
}

// hover tells about the instruction or the name at a place.
func (s *server) hover(d *document, p position) any {
	word, from := d.wordAt(d.offset(p))
	opcode, mods, _ := strings.Cut(word, ".")
	text := ""
	if opcode != "" {
		if mods != "" {
			mods = "." + mods
		}
		text = rows.Describe(opcode, mods)
	}
	if text == "" {
		if x := d.decls().Find(word, from); x != nil {
			text = strings.TrimSpace(d.lineOf(x.Pos)) + "\n"
		}
	}
	if text == "" {
		return nil
	}
	return map[string]any{
		"contents": map[string]string{"kind": "markdown", "value": "```ptx\n" + text + "```"},
		"range":    d.span(from, from+len(word)),
	}
}

func (d *document) lineOf(at int) string {
	n := sort.SearchInts(d.lines, at+1) - 1
	end := len(d.text)
	if n+1 < len(d.lines) {
		end = d.lines[n+1]
	}
	return string(d.text[d.lines[n]:end])
}

// definition says where the name at a place is declared.
func (s *server) definition(d *document, p position) any {
	word, from := d.wordAt(d.offset(p))
	x := d.decls().Find(word, from)
	if x == nil {
		if stem, _, dotted := strings.Cut(word, "."); dotted { // %r1.x, or a name behind an instruction
			x = d.decls().Find(stem, from)
		}
	}
	if x == nil {
		return nil
	}
	for uri, other := range s.docs {
		if other == d {
			return map[string]any{"uri": uri, "range": d.span(x.Pos, x.End)}
		}
	}
	return nil
}

// symbol is a name in an editor's outline.
type symbol struct {
	Name     string    `json:"name"`
	Kind     int       `json:"kind"`
	Range    span      `json:"range"`
	Select   span      `json:"selectionRange"`
	Children []*symbol `json:"children,omitempty"`
}

// Kinds of symbols, of the protocol.
const (
	kindFunction = 12
	kindVariable = 13
	kindKey      = 20
)

// symbols lists functions with their labels, and the module's variables.
func (s *server) symbols(d *document, _ position) any {
	list := []*symbol{}
	o := d.decls()
	bodies := make([]*symbol, len(o.Bodies)+1)
	var function *symbol
	for i := range o.Decls {
		x := &o.Decls[i]
		at := d.span(x.Pos, x.End)
		switch {
		case x.Space == ".entry" || x.Space == ".func":
			function = &symbol{Name: x.Name, Kind: kindFunction, Range: at, Select: at}
			list = append(list, function)
		case x.Body == 0:
			list = append(list, &symbol{Name: x.Name, Kind: kindVariable, Range: at, Select: at})
		case x.Space == "" && x.Body < len(bodies):
			if bodies[x.Body] == nil {
				bodies[x.Body] = function
			}
			if f := bodies[x.Body]; f != nil {
				f.Children = append(f.Children, &symbol{Name: x.Name, Kind: kindKey, Range: at, Select: at})
			}
		}
	}
	for _, b := range o.Bodies { // a function reaches to the end of its body
		for _, f := range list {
			if f.Kind == kindFunction && d.offset(f.Select.Start) < b[0] && f.Range == f.Select && d.next(list, f) > b[0] {
				f.Range.End = d.position(b[1])
			}
		}
	}
	return list
}

// next returns where the symbol behind f begins.
func (d *document) next(list []*symbol, f *symbol) int {
	for i, x := range list {
		if x == f && i+1 < len(list) {
			return d.offset(list[i+1].Select.Start)
		}
	}
	return len(d.text) + 1
}

// format lays the text out anew, as one change.
func (s *server) format(d *document, _ position) any {
	out := string(format.Source(d.text))
	if out == string(d.text) {
		return []any{}
	}
	return []any{map[string]any{"range": d.span(0, len(d.text)), "newText": out}}
}
