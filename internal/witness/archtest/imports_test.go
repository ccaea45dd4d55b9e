package archtest

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// compiled lists the packages of the house with their compiled imports.
func compiled(t *testing.T) ([]pkg, exports) {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Imports,Export,Standard", "./...")
	cmd.Dir = root
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pkgs []pkg
	files := exports{}
	dec := json.NewDecoder(out)
	for {
		var p struct {
			pkg
			Export   string
			Standard bool
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		files[p.ImportPath] = p.Export
		if !p.Standard && strings.HasPrefix(p.ImportPath, "github.com/goptxas/goptxas") {
			pkgs = append(pkgs, p.pkg)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return pkgs, files
}

// straight are the packages whose files can be read from the top down: none
// names something that a file above it declares.
var straight = [...]string{"internal/lower", "internal/pipeline"}

// draw asks for a page with every arrow between files.
var draw = flag.String("draw", "", "write the files of all packages, and which they name, to this file")

// TestFileArrows: in the packages that are straight no two files name each other,
// directly or through others, and docs/imports.md lists them from the top down.
func TestFileArrows(t *testing.T) {
	pkgs, files := compiled(t)
	listed := listedFiles(t)
	seen := [len(straight)]int{}
	var page strings.Builder
	for _, p := range pkgs {
		rel := strings.TrimPrefix(p.ImportPath, "github.com/goptxas/goptxas/")
		pkg := slices.IndexFunc(straight[:], func(s string) bool { return rel == s || strings.HasPrefix(rel, s+"/") })
		if pkg < 0 && *draw == "" {
			continue
		}
		g, err := fileGraphOf(p.ImportPath, p.Dir, p.GoFiles, files)
		if err != nil {
			t.Fatal(err)
		}
		g.draw(&page, rel)
		if pkg < 0 {
			continue
		}
		seen[pkg] += len(p.GoFiles)
		for _, c := range g.components() {
			for _, a := range c {
				for _, b := range c {
					if l := g.uses[a][b]; len(l) > 0 {
						t.Errorf("%s: %s and %s are above each other; %s names %s", rel, a, b, a, strings.Join(l, ", "))
					}
				}
			}
		}
		if why := g.contradicts(listed[rel]); why != "" {
			order, _ := g.order()
			t.Errorf("docs/imports.md, %s: %s; one order is `%s`", rel, why, strings.Join(order, "` `"))
		}
		delete(listed, rel)
	}
	for rel := range listed {
		t.Errorf("docs/imports.md lists %s, which is none of the packages", rel)
	}
	for n, files := range seen {
		if files == 0 {
			t.Errorf("%s has no files", straight[n])
		}
		t.Logf("%s: %d files", straight[n], files)
	}
	if *draw != "" {
		if err := os.WriteFile(*draw, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// listedFiles reads the tables of docs/imports.md: a package and its files.
func listedFiles(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "imports.md"))
	if err != nil {
		t.Fatal(err)
	}
	list := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(line, "`")
		if strings.HasPrefix(line, "| `") {
			for k := 3; k < len(f); k += 2 {
				list[f[1]] = append(list[f[1]], f[k])
			}
		}
	}
	return list
}

// TestFileOrder draws packages whose arrows are known.
func TestFileOrder(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
		up    int
	}{
		{"down", map[string]string{"a.go": "func f() { g() }", "b.go": "func g() { var x t; x.m() }", "c.go": "type t int; func (t) m() {}"}, "a.go b.go c.go", 0},
		{"a method above its type", map[string]string{"a.go": "type t int; func f(x t) { x.m() }", "b.go": "func (x t) m() {}"}, "a.go b.go", 1},
		{"names in functions do not count", map[string]string{"a.go": "func f() { g := 1; _ = g }", "b.go": "func g() { f() }"}, "b.go a.go", 0},
	} {
		dir := t.TempDir()
		var names []string
		for name, text := range c.files {
			names = append(names, name)
			if err := os.WriteFile(filepath.Join(dir, name), []byte("package p\n"+text+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(names)
		g, err := fileGraphOf("p", dir, names, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, up := g.order(); strings.Join(got, " ") != c.want || up != c.up {
			t.Errorf("%s: %v with %d arrows up", c.name, got, up)
		}
	}
}
