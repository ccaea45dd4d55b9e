package printer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/corpus"
)

// printText parses and prints a text.
func printText(text []byte) ([]byte, *syntax.Error) {
	m := syntax.Scan(&src.File{Name: "in.ptx", Text: text})
	return Module(nil, m, new(syntax.Parser))
}

// canonical returns a copy of the tree without what printing may change:
// positions and how literals were spelled.
func canonical(t *syntax.Tree) *syntax.Tree {
	c := &syntax.Tree{
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
		if o.Kind == syntax.OpRun {
			o.X = 0
		}
	}
	for i := range c.Exprs {
		c.Exprs[i].Pos = 0
		c.Exprs[i].Flags &^= syntax.FlagParen | syntax.FlagHexFloat
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
func diffTrees(a, b *syntax.Tree) string {
	x, y := canonical(a), canonical(b)
	if a.Names.Len() != b.Names.Len() {
		return fmt.Sprintf("%d names against %d", a.Names.Len(), b.Names.Len())
	}
	for i := 1; i < a.Names.Len(); i++ {
		if s, u := a.Names.String(syntax.Name(i)), b.Names.String(syntax.Name(i)); s != u {
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
		if a.Operands[i].Kind == syntax.OpRun {
			if s, u := runText(a, &a.Operands[i]), runText(b, &b.Operands[i]); s != u {
				return fmt.Sprintf("run %s against %s", s, u)
			}
		}
	}
	return ""
}

func items(t *syntax.Tree, s *syntax.Section) string {
	var b strings.Builder
	t.SectionItems(s, func(it *syntax.Item) bool {
		fmt.Fprintf(&b, "%d %d %v %d %d %d\n", it.Label, it.Type, it.Vals, it.Base, it.Minus, it.Off)
		return true
	})
	return b.String()
}

func runText(t *syntax.Tree, o *syntax.Operand) string {
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
	m, bodies, err := parsed(text)
	if err != nil {
		_, line := m.File.Line(err.Pos)
		return nil, fmt.Sprintf("line %d: %s", line, err.Msg)
	}
	out, err = printText(text)
	if err != nil {
		return out, "print: " + err.Msg
	}
	m2, bodies2, err := parsed(out)
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

// TestReuse checks that a parser that was used before gives the same tree.
func TestReuse(t *testing.T) {
	texts := corpus.Find(t).Texts(t)
	ps := new(syntax.Parser)
	n := 0
	for i := 0; i < len(texts); i += 37 {
		m := syntax.Scan(&src.File{Name: "in.ptx", Text: texts[i]})
		for j := range m.Funcs {
			f := &m.Funcs[j]
			if !f.HasBody {
				continue
			}
			fresh := new(syntax.Parser).ParseBody(m, f)
			if d := diffTrees(ps.ParseBody(m, f), fresh); d != "" {
				t.Fatal(d)
			}
			n++
		}
	}
	t.Logf("%d bodies parsed alike by a used and a fresh parser", n)
}

// BenchmarkPrint measures parsing and printing.
func BenchmarkPrint(b *testing.B) {
	texts := corpus.Find(b).Texts(b)
	size := 0
	for _, t := range texts {
		size += len(t)
	}
	ps := new(syntax.Parser)
	var out []byte
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, t := range texts {
			m := syntax.Scan(&src.File{Name: "in.ptx", Text: t})
			out, _ = Module(out[:0], m, ps)
		}
	}
}

// parsed scans a text and parses all its bodies as the reference would
// meet them. It returns the first error in source order.
func parsed(text []byte) (*syntax.Tree, []*syntax.Tree, *syntax.Error) {
	file := &src.File{Name: "in.ptx", Text: text}
	m := syntax.Scan(file)
	var bodies []*syntax.Tree
	for i := range m.Funcs {
		f := &m.Funcs[i]
		if !f.HasBody {
			continue
		}
		ps := new(syntax.Parser)
		b := ps.ParseBody(m, f)
		bodies = append(bodies, b)
		if b.Err != nil {
			return m, bodies, b.Err
		}
	}
	return m, bodies, m.Err
}

// FuzzRoundTrip checks that what parses prints to an equal tree.
func FuzzRoundTrip(f *testing.F) {
	for _, c := range append(cases.Accept(f), cases.Diag(f)...) {
		if len(c.Input) < 2000 {
			f.Add(c.Input)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<16 {
			return
		}
		if _, _, err := parsed(text); err != nil {
			return
		}
		if out, problem := roundTrip(text); problem != "" {
			t.Fatalf("%s\n%s", problem, out)
		}
	})
}
