package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// root is the module's folder, seen from this package.
var root = filepath.Join("..", "..", "..")

type pkg struct {
	ImportPath string
	Name       string
	Imports    []string
	GoFiles    []string
	Dir        string
	Standard   bool
}

func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Imports,GoFiles,Dir", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// TestLayers proves that imports of the product point down the house and
// that it uses nothing but the standard library.
func TestLayers(t *testing.T) {
	arrows, products := 0, 0
	for _, p := range list(t) {
		if isWitness(p.ImportPath) || p.Name == "main" && !strings.Contains(p.ImportPath, "/cmd/") {
			continue // generators and witnesses may look anywhere
		}
		tool := strings.HasPrefix(p.ImportPath, "github.com/goptxas/goptxas/cmd/") && p.ImportPath != "github.com/goptxas/goptxas/cmd/goptxas"
		products++
		for _, to := range p.Imports {
			switch {
			case to == "github.com/goptxas/goptxas" || strings.HasPrefix(to, "github.com/goptxas/goptxas/"):
				arrows++
				if tool {
					continue // gosass and gpurun drive the witnesses
				}
				if why, ok := allowed(p.ImportPath, to); !ok {
					t.Errorf("%s imports %s: %s", p.ImportPath, to, why)
				}
			case strings.Contains(strings.SplitN(to, "/", 2)[0], "."):
				if !tool {
					t.Errorf("%s imports %s: the product uses the standard library only", p.ImportPath, to)
				}
			}
		}
	}
	t.Logf("%d product packages, %d imports inside the module", products, arrows)
}

// TestRules tries the layer table on imports that must and must not pass.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		from, to string
		ok       bool
	}{
		{"github.com/goptxas/goptxas/cmd/goptxas", "github.com/goptxas/goptxas/internal/driver", true},
		{"github.com/goptxas/goptxas", "github.com/goptxas/goptxas/internal/driver", true},
		{"github.com/goptxas/goptxas/internal/driver", "github.com/goptxas/goptxas/internal/pipeline", true},
		{"github.com/goptxas/goptxas/internal/pipeline", "github.com/goptxas/goptxas/internal/driver", false},
		{"github.com/goptxas/goptxas/internal/codegen/emit", "github.com/goptxas/goptxas/internal/sass", true},
		{"github.com/goptxas/goptxas/internal/codegen/emit", "github.com/goptxas/goptxas/internal/codegen/isel", false},
		{"github.com/goptxas/goptxas/internal/codegen/ra", "github.com/goptxas/goptxas/internal/codegen/regalloc", true},
		{"github.com/goptxas/goptxas/internal/ori", "github.com/goptxas/goptxas/internal/sass", false},
		{"github.com/goptxas/goptxas/internal/sass", "github.com/goptxas/goptxas/internal/ori", false},
		{"github.com/goptxas/goptxas/internal/ptx/sema", "github.com/goptxas/goptxas/internal/ori", false},
		{"github.com/goptxas/goptxas/internal/codegen/regalloc", "github.com/goptxas/goptxas/internal/ori", false},
		{"github.com/goptxas/goptxas/internal/lower", "github.com/goptxas/goptxas/internal/ori/flow", true},
		{"github.com/goptxas/goptxas/internal/lower", "github.com/goptxas/goptxas/internal/lower/call", true},
		{"github.com/goptxas/goptxas/internal/lower/matrix", "github.com/goptxas/goptxas/internal/lower/memory", true},
		{"github.com/goptxas/goptxas/internal/lower/memory", "github.com/goptxas/goptxas/internal/lower/matrix", false},
		{"github.com/goptxas/goptxas/internal/lower/async", "github.com/goptxas/goptxas/internal/lower/texture", false},
		{"github.com/goptxas/goptxas/internal/lower/arith", "github.com/goptxas/goptxas/internal/codegen/regalloc", false},
		{"github.com/goptxas/goptxas/internal/opt", "github.com/goptxas/goptxas/internal/lower/build", false},
		{"github.com/goptxas/goptxas/internal/ori/flow", "github.com/goptxas/goptxas/internal/ori", true},
		{"github.com/goptxas/goptxas/internal/ptx/sema", "github.com/goptxas/goptxas/internal/ptx/syntax", true},
		{"github.com/goptxas/goptxas/internal/ptx/syntax", "github.com/goptxas/goptxas/internal/ptx/sema", false},
		{"github.com/goptxas/goptxas/internal/engine/diag", "github.com/goptxas/goptxas/internal/engine/src", true},
		{"github.com/goptxas/goptxas/internal/engine/diag", "github.com/goptxas/goptxas/internal/target", false},
		{"github.com/goptxas/goptxas/internal/ori", "github.com/goptxas/goptxas/internal/witness/sim", false},
		{"github.com/goptxas/goptxas/internal/unknown", "github.com/goptxas/goptxas/internal/target", false},
	} {
		if why, ok := allowed(c.from, c.to); ok != c.ok {
			t.Errorf("%s imports %s: %v (%s)", c.from, c.to, ok, why)
		}
	}
}

// TestHouseRules looks for what product code must not contain: init
// functions, regular expressions, and talk to the world outside the driver.
func TestHouseRules(t *testing.T) {
	files := 0
	for _, p := range list(t) {
		if isWitness(p.ImportPath) || p.Name == "main" {
			continue
		}
		for _, banned := range []string{"regexp", "log", "C"} {
			if slices.Contains(p.Imports, banned) {
				t.Errorf("%s imports %s", p.ImportPath, banned)
			}
		}
		driver := strings.HasPrefix(p.ImportPath, "github.com/goptxas/goptxas/internal/driver")
		for _, name := range p.GoFiles {
			files++
			data, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			for n, line := range strings.Split(string(data), "\n") {
				code, _, _ := strings.Cut(line, "//")
				switch {
				case strings.HasPrefix(code, "func init("):
					t.Errorf("%s/%s:%d: init function", p.ImportPath, name, n+1)
				case !driver && (strings.Contains(code, "os.Exit(") || strings.Contains(code, "fmt.Print")):
					t.Errorf("%s/%s:%d: %s", p.ImportPath, name, n+1, strings.TrimSpace(code))
				}
			}
		}
	}
	t.Logf("%d product files read", files)
}

// TestStartUp builds the command and proves that none of our packages
// allocates before main, and lists those that fill tables there: start-up is
// part of every compile.
func TestStartUp(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "goptxas")
	build := exec.Command("go", "build", "-o", exe, "./cmd/goptxas")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.Command(exe, "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	inits, ours := 0, 0
	for line := range strings.Lines(string(out)) {
		name, ok := strings.CutPrefix(line, "init ")
		if !ok {
			continue
		}
		inits++
		if !strings.HasPrefix(name, "github.com/goptxas/goptxas") {
			continue
		}
		if ours++; !strings.Contains(line, " 0 bytes, 0 allocs") {
			t.Errorf("memory is allocated at start-up: %s", strings.TrimSpace(line))
		}
		t.Logf("%s", strings.TrimSpace(line))
	}
	t.Logf("%d packages do work at start-up, %d of them ours", inits, ours)
}

// TestGenerated runs every generator on a copy of the tree: what comes out
// must be what is checked in.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs every generator")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, sources{os.DirFS(root)}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "generate", "./...")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go generate: %v\n%s", err, out)
	}
	n := 0
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_gen.go") {
			return err
		}
		n++
		fresh, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return err
		}
		kept, err := os.ReadFile(filepath.Join(root, path))
		if err != nil || !bytes.Equal(fresh, kept) {
			t.Errorf("%s is not what its generator makes: run `make generate` (%v)", path, err)
		}
		first, _, _ := strings.Cut(string(kept), "\n")
		if !strings.HasPrefix(first, "// Code generated ") || !strings.HasSuffix(first, " DO NOT EDIT.") {
			t.Errorf("%s: first line is %q", path, first)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d generated files are up to date", n)
}

// sources shows a tree without what the generators do not need: history,
// programs and folders of test data.
type sources struct{ fs.FS }

// ReadDir leaves those out.
func (s sources) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(s.FS, name)
	return slices.DeleteFunc(list, func(e fs.DirEntry) bool {
		return e.Name() == ".git" || name == "." && slices.Contains([]string{"bin", "out", "docs"}, e.Name())
	}), err
}
