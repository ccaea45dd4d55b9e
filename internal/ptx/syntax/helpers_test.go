package syntax

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/corpus"
)

// parseAll scans a text and parses all its bodies as the reference would
// meet them. It returns the first error in source order.
func parseAll(text []byte) (*Tree, []*Tree, *Error) {
	file := &src.File{Name: "in.ptx", Text: text}
	m := Scan(file)
	var bodies []*Tree
	for i := range m.Funcs {
		f := &m.Funcs[i]
		if !f.HasBody {
			continue
		}
		ps := new(Parser)
		b := ps.ParseBody(m, f)
		bodies = append(bodies, b)
		if b.Err != nil {
			return m, bodies, b.Err
		}
	}
	return m, bodies, m.Err
}

// print parses and prints a text.
func printText(text []byte) ([]byte, *Error) {
	m := Scan(&src.File{Name: "in.ptx", Text: text})
	return AppendModule(nil, m, new(Parser))
}

// canonical returns a copy of the tree without what printing may change:
// positions and how literals were spelled.
func canonical(t *Tree) *Tree {
	c := &Tree{
		Stmts: slices.Clone(t.Stmts), Instrs: slices.Clone(t.Instrs), Mods: slices.Clone(t.Mods),
		Operands: slices.Clone(t.Operands), Exprs: slices.Clone(t.Exprs), Decls: slices.Clone(t.Decls),
		Vars: slices.Clone(t.Vars), Attrs: slices.Clone(t.Attrs), Subs: slices.Clone(t.Subs),
		Funcs: slices.Clone(t.Funcs), Strs: slices.Clone(t.Strs), Locs: slices.Clone(t.Locs),
		Sections: slices.Clone(t.Sections),
	}
	for i := range c.Stmts {
		c.Stmts[i].Pos, c.Stmts[i].End = 0, 0
	}
	for i := range c.Instrs {
		c.Instrs[i].OpPos = 0
	}
	for i := range c.Mods {
		c.Mods[i].Pos = 0
	}
	for i := range c.Operands {
		o := &c.Operands[i]
		o.Pos = 0
		if o.Kind == OpRun {
			o.X = 0
		}
	}
	for i := range c.Exprs {
		c.Exprs[i].Pos = 0
		c.Exprs[i].Flags &^= FlagParen | FlagHexFloat
	}
	for i := range c.Decls {
		c.Decls[i].Pos, c.Decls[i].End = 0, 0
	}
	for i := range c.Vars {
		c.Vars[i].Pos = 0
	}
	for i := range c.Attrs {
		c.Attrs[i].Pos, c.Attrs[i].End = 0, 0
	}
	for i := range c.Subs {
		c.Subs[i].Pos, c.Subs[i].End = 0, 0
	}
	for i := range c.Funcs {
		f := &c.Funcs[i]
		f.Pos, f.NamePos, f.Body, f.BodyEnd = 0, 0, 0, 0
	}
	for i := range c.Strs {
		c.Strs[i].Pos = 0
	}
	for i := range c.Sections {
		s := &c.Sections[i]
		s.Pos, s.Body, s.End = 0, 0, 0
	}
	return c
}

// diffTrees says where two trees differ, or nothing.
func diffTrees(a, b *Tree) string {
	x, y := canonical(a), canonical(b)
	if a.Names.Len() != b.Names.Len() {
		return fmt.Sprintf("%d names against %d", a.Names.Len(), b.Names.Len())
	}
	for i := 1; i < a.Names.Len(); i++ {
		if s, u := a.Names.String(Name(i)), b.Names.String(Name(i)); s != u {
			return fmt.Sprintf("name %d: %q against %q", i, s, u)
		}
	}
	for _, d := range []string{
		diffSlice("Stmts", x.Stmts, y.Stmts), diffSlice("Instrs", x.Instrs, y.Instrs), diffSlice("Mods", x.Mods, y.Mods),
		diffSlice("Operands", x.Operands, y.Operands), diffSlice("Exprs", x.Exprs, y.Exprs),
		diffSlice("Decls", x.Decls, y.Decls), diffSlice("Vars", x.Vars, y.Vars), diffSlice("Attrs", x.Attrs, y.Attrs),
		diffSlice("Subs", x.Subs, y.Subs), diffSlice("Funcs", x.Funcs, y.Funcs), diffSlice("Strs", x.Strs, y.Strs),
		diffSlice("Locs", x.Locs, y.Locs), diffSlice("Sections", x.Sections, y.Sections),
	} {
		if d != "" {
			return d
		}
	}
	for i := range a.Sections {
		if s, u := items(a, &a.Sections[i]), items(b, &b.Sections[i]); s != u {
			return fmt.Sprintf("section %d: %s against %s", i, s, u)
		}
	}
	for i := range a.Operands {
		if a.Operands[i].Kind == OpRun {
			if s, u := runText(a, &a.Operands[i]), runText(b, &b.Operands[i]); s != u {
				return fmt.Sprintf("run %s against %s", s, u)
			}
		}
	}
	return ""
}

func items(t *Tree, s *Section) string {
	var b strings.Builder
	t.SectionItems(s, func(it *Item) bool {
		fmt.Fprintf(&b, "%d %d %v %d %d %d\n", it.Label, it.Type, it.Vals, it.Base, it.Minus, it.Off)
		return true
	})
	return b.String()
}

func runText(t *Tree, o *Operand) string {
	var b strings.Builder
	for v, f := range t.Run(o) {
		fmt.Fprint(&b, v, f, " ")
	}
	return b.String()
}

func diffSlice[T comparable](what string, a, b []T) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("%s[%d]: %+v against %+v", what, i, a[i], b[i])
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("%d %s against %d", len(a), what, len(b))
	}
	return ""
}

// roundTrip parses, prints and parses again. It returns the print and what
// is wrong.
func roundTrip(text []byte) (out []byte, problem string) {
	m, bodies, err := parseAll(text)
	if err != nil {
		_, line := m.File.Line(err.Pos)
		return nil, fmt.Sprintf("line %d: %s", line, err.Msg)
	}
	out, err = printText(text)
	if err != nil {
		return out, "print: " + err.Msg
	}
	m2, bodies2, err := parseAll(out)
	if err != nil {
		_, line := m2.File.Line(err.Pos)
		return out, fmt.Sprintf("printed line %d: %s", line, err.Msg)
	}
	if d := diffTrees(m, m2); d != "" {
		return out, "module: " + d
	}
	for i := range bodies {
		if d := diffTrees(bodies[i], bodies2[i]); d != "" {
			return out, fmt.Sprintf("body %d: %s", i, d)
		}
	}
	return out, ""
}

// accepted returns the inputs the reference accepts among the cases.
func accepted(t testing.TB) []cases.Case {
	var list []cases.Case
	for _, c := range slices.Concat(cases.Accept(t), cases.Diag(t)) {
		if c.Exit == 0 {
			list = append(list, c)
		}
	}
	return list
}

// joined returns the whole corpus, each file apart.
func corpusTexts(t testing.TB) [][]byte {
	c := corpus.Find(t)
	texts := make([][]byte, len(c.Files))
	for i := range c.Files {
		b, err := c.Files[i].Read()
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = b
	}
	return texts
}
