package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestNumbersOfSMs proves that what differs between architectures is a field
// of target's rows: no other product package compares the number of an SM
// with a constant, switches over it, or has an architecture's name as a text
// of its own. The first target of a PTX feature is no such thing: it stands
// in rows of the language's tables.
func TestNumbersOfSMs(t *testing.T) {
	files := 0
	for _, p := range list(t) {
		rel := strings.TrimPrefix(p.ImportPath, "github.com/goptxas/goptxas/")
		if isWitness(p.ImportPath) || rel == "internal/target" || p.Name == "main" && rel != "cmd/goptxas" {
			continue
		}
		fset := token.NewFileSet()
		var parsed []*ast.File
		consts := map[string]bool{}
		for _, name := range p.GoFiles {
			if strings.HasSuffix(name, "_gen.go") {
				continue
			}
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files++
			parsed = append(parsed, f)
			constNames(f, consts)
		}
		for _, f := range parsed {
			for _, at := range smNumbers(f, consts) {
				t.Errorf("%s: the number or name of an SM; make it a field of target.Chip", fset.Position(at))
			}
		}
	}
	t.Logf("%d product files read", files)
}

// TestSMNumberRule tries the rule on what it must and must not find.
func TestSMNumberRule(t *testing.T) {
	const text = `package p
const first = 90
func f(a, b arch, sm int) {
	_ = a.SM >= 90
	_ = 75 == sm
	_ = sm < first
	switch a.SM {
	case 80, 86:
	case b.SM:
	}
	_ = a.Name == "sm_90a"
	_ = a.SM < b.SM
	_ = a.Version < 90
	_ = "compute_75 or later"
	_ = row{sm: 90}
}`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	consts := map[string]bool{}
	constNames(f, consts)
	if got := smNumbers(f, consts); len(got) != 6 {
		t.Errorf("%d places found, not 6", len(got))
	}
}

// constNames adds the names of a file's constants.
func constNames(f *ast.File, names map[string]bool) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			for _, n := range s.(*ast.ValueSpec).Names {
				names[n.Name] = true
			}
		}
	}
}

// smNumbers returns the places where a file looks at the number of an SM.
func smNumbers(f *ast.File, consts map[string]bool) (found []token.Pos) {
	fixed := func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.BasicLit:
			return e.Kind == token.INT && e.Value != "0"
		case *ast.Ident:
			return consts[e.Name]
		}
		return false
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			switch n.Op {
			case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
				if isSM(n.X) && fixed(n.Y) || fixed(n.X) && isSM(n.Y) {
					found = append(found, n.Pos())
				}
			}
		case *ast.SwitchStmt:
			if n.Tag == nil || !isSM(n.Tag) {
				return true
			}
			for _, s := range n.Body.List {
				for _, e := range s.(*ast.CaseClause).List {
					if fixed(e) {
						found = append(found, e.Pos())
					}
				}
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING && isArchName(n.Value) {
				found = append(found, n.Pos())
			}
		}
		return true
	})
	return found
}

// isSM reports whether an expression is the number of an SM, by its name.
func isSM(e ast.Expr) bool {
	name := ""
	switch e := e.(type) {
	case *ast.Ident:
		name = e.Name
	case *ast.SelectorExpr:
		name = e.Sel.Name
	}
	return name == "sm" || strings.HasSuffix(name, "SM")
}

// isArchName reports whether a quoted text is the name of an architecture.
func isArchName(quoted string) bool {
	s, err := strconv.Unquote(quoted)
	if err != nil {
		return false
	}
	kind, num, ok := strings.Cut(s, "_")
	_, err = strconv.Atoi(strings.TrimRight(num, "af"))
	return ok && err == nil && (kind == "sm" || kind == "compute" || kind == "lto")
}
