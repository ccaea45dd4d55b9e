package archtest

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
)

// fileGraph says which files of a package name something that another file of
// it declares: functions, types, variables, methods and fields.
type fileGraph struct {
	names []string
	uses  map[string]map[string][]string // file, file that declares, what of it
}

// exports finds the compiled packages that a package imports.
type exports map[string]string

func (e exports) open(path string) (io.ReadCloser, error) {
	name, ok := e[path]
	if !ok {
		return nil, fmt.Errorf("no compiled package %s", path)
	}
	return os.Open(name)
}

// fileGraphOf type-checks the files of a package.
func fileGraphOf(path, dir string, files []string, deps exports) (*fileGraph, error) {
	fset := token.NewFileSet()
	var trees []*ast.File
	for _, name := range files {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		trees = append(trees, f)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", deps.open)}
	pkg, err := conf.Check(path, fset, trees, &info)
	if err != nil {
		return nil, err
	}
	g := &fileGraph{names: files, uses: map[string]map[string][]string{}}
	for id, obj := range info.Uses {
		if obj.Pkg() != pkg || !obj.Pos().IsValid() {
			continue
		}
		from, to := filepath.Base(fset.Position(id.Pos()).Filename), filepath.Base(fset.Position(obj.Pos()).Filename)
		if from == to {
			continue
		}
		if g.uses[from] == nil {
			g.uses[from] = map[string][]string{}
		}
		if list := g.uses[from][to]; !slices.Contains(list, obj.Name()) {
			g.uses[from][to] = append(list, obj.Name())
		}
	}
	return g, nil
}

// order returns the files from the top down: each before the files it names,
// and how many arrows point up all the same, since files name each other.
func (g *fileGraph) order() (names []string, up int) {
	for _, c := range g.components() {
		if len(c) > 1 {
			sort.Strings(c)
		}
		names = append(names, c...)
	}
	at := map[string]int{}
	for n, name := range names {
		at[name] = n
	}
	for from, list := range g.uses {
		for to := range list {
			if at[to] < at[from] {
				up++
			}
		}
	}
	return names, up
}

// contradicts tells what is wrong with a list of the files from the top down.
func (g *fileGraph) contradicts(list []string) string {
	at := map[string]int{}
	for n, name := range list {
		if !slices.Contains(g.names, name) {
			return name + " does not exist"
		}
		at[name] = n
	}
	for _, name := range g.names {
		if _, ok := at[name]; !ok {
			return name + " is missing"
		}
	}
	for _, from := range g.names {
		for _, to := range sorted(g.uses[from]) {
			if at[to] < at[from] {
				return from + " stands below " + to + ", which it names"
			}
		}
	}
	return ""
}

// draw writes the files of a package from the top down, each with the files it
// names; an arrow up has a mark.
func (g *fileGraph) draw(w io.Writer, name string) {
	order, up := g.order()
	fmt.Fprintf(w, "%s: %d files, %d arrows up\n", name, len(order), up)
	for n, from := range order {
		fmt.Fprintf(w, "  %s", from)
		for _, to := range sorted(g.uses[from]) {
			mark := " →"
			if slices.Index(order, to) < n {
				mark = " ↑"
			}
			fmt.Fprintf(w, "%s%s", mark, to)
		}
		fmt.Fprintln(w)
	}
}

// components are the sets of files that name each other, those that others
// name last (Tarjan's algorithm, whose answer comes from the bottom up).
func (g *fileGraph) components() [][]string {
	var (
		out   [][]string
		stack []string
		index = map[string]int{}
		low   = map[string]int{}
		on    = map[string]bool{}
		visit func(string)
	)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack, on[v] = append(stack, v), true
		for _, w := range sorted(g.uses[v]) {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if on[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		for k := len(stack) - 1; ; k-- {
			on[stack[k]] = false
			if stack[k] == v {
				out = append(out, append([]string(nil), stack[k:]...))
				stack = stack[:k]
				return
			}
		}
	}
	for _, v := range g.names {
		if index[v] == 0 {
			visit(v)
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

func sorted(m map[string][]string) []string {
	var list []string
	for s := range m {
		list = append(list, s)
	}
	sort.Strings(list)
	return list
}
