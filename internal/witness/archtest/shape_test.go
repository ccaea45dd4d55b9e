package archtest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// maxPackage is how many lines a package may have without tests and generated
// files: more than that nobody keeps in mind.
const maxPackage = 4000

// TestPackageSize: packages stay small enough to be known whole.
func TestPackageSize(t *testing.T) {
	packages := 0
	for _, p := range list(t) {
		lines := 0
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(text, []byte("// Code generated ")) {
				lines += bytes.Count(text, []byte("\n"))
			}
		}
		packages++
		if path := strings.TrimPrefix(p.ImportPath, "github.com/goptxas/goptxas/"); lines > maxPackage {
			t.Errorf("%s has %d lines, more than %d: divide it", path, lines, maxPackage)
		}
	}
	t.Logf("%d packages measured", packages)
}

// TestPackagesAreTested: every package has tests of its own, or is a part of
// one that has: its tests ask the parts.
func TestPackagesAreTested(t *testing.T) {
	cmd := exec.Command("go", "list", "-f", "{{.ImportPath}} {{.Name}} {{len .TestGoFiles}} {{len .XTestGoFiles}}", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	tested, bare := map[string]bool{}, []string{}
	for line := range strings.Lines(string(out)) {
		switch f := strings.Fields(line); {
		case f[2] != "0" || f[3] != "0":
			tested[f[0]] = true
		case f[1] != "main":
			bare = append(bare, f[0])
		}
	}
	for _, p := range bare {
		up := p
		for up != "." && !tested[up] {
			up = path.Dir(up)
		}
		if up == "." || up == "github.com/goptxas/goptxas" {
			t.Errorf("nobody tests %s", p)
		}
	}
	t.Logf("%d packages have tests, %d are parts of such", len(tested), len(bare))
}

// TestPhaseNames: a row of the pipeline bears the name of the function it runs.
func TestPhaseNames(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "internal", "pipeline", "phases.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	ast.Inspect(f, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		name, run := "", ""
		for _, e := range lit.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			switch k, _ := kv.Key.(*ast.Ident); {
			case k == nil:
			case k.Name == "Name":
				if s, ok := kv.Value.(*ast.BasicLit); ok {
					name, _ = strconv.Unquote(s.Value)
				}
			case k.Name == "Run":
				run = functionOf(kv.Value)
			}
		}
		if name == "" || run == "" {
			return true
		}
		rows++
		if !strings.EqualFold(name[:1], run[:1]) || name[1:] != run[1:] {
			t.Errorf("the row %s runs %s", name, run)
		}
		return true
	})
	if rows < 40 {
		t.Errorf("only %d rows of phases were found", rows)
	}
	t.Logf("%d rows bear the names of their functions", rows)
}

// functionOf names the function that an expression such as f, p.f or
// improve(p.f) runs.
func functionOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.CallExpr:
		if len(e.Args) > 0 {
			return functionOf(e.Args[0])
		}
	}
	return ""
}

// TestDocFiles: the files and folders that the documents name exist.
func TestDocFiles(t *testing.T) {
	docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(docs) == 0 {
		t.Fatal("no documents", err)
	}
	named := regexp.MustCompile("`([a-z][A-Za-z0-9_./-]*\\.go|internal/[A-Za-z0-9_./-]*[a-z0-9])`")
	n := 0
	for _, doc := range docs {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			path := m[1]
			if !strings.Contains(path, "/") {
				continue // a file of the folder that the sentence is about
			}
			n++
			if !exists(path) {
				t.Errorf("%s names %s, which does not exist", filepath.Base(doc), path)
			}
		}
	}
	t.Logf("%d names of files and folders in %d documents", n, len(docs))
}

// exists reports whether a path is there: from the module's folder, from
// internal, or from the folders that documents leave out.
func exists(path string) bool {
	for _, dir := range []string{"", "internal", "internal/codegen", "internal/lower", "internal/ptx", "internal/witness"} {
		if _, err := os.Stat(filepath.Join(root, dir, path)); err == nil {
			return true
		}
	}
	return false
}

// TestPackageComments: a package comment names files of its own folder.
func TestPackageComments(t *testing.T) {
	named := regexp.MustCompile(`\b[a-z][a-z0-9_]*\.go\b`)
	n := 0
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata" || d.Name() == "out"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil || f.Doc == nil {
			return err
		}
		for _, name := range named.FindAllString(f.Doc.Text(), -1) {
			if n++; strings.HasSuffix(name, "_gen.go") {
				continue // may be made for another folder
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), name)); err != nil {
				t.Errorf("%s names %s, which does not exist", path, name)
			}
		}
		return nil
	})
	if err != nil || n < 100 {
		t.Errorf("%d files named: %v", n, err)
	}
}
