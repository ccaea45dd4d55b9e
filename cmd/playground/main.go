//go:build !js

// Command playground builds a static site with the compiler, the disassembler
// and the simulator as WebAssembly: PTX in, code and results out, in the
// browser alone.
//
//	playground build FOLDER     write the site
//	playground serve [ADDRESS]  write it to a temporary folder and serve it
package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed site
var site embed.FS

// defaultAddress is where the site is served unless an address is given.
const defaultAddress = "localhost:8080"

func main() {
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

func command(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "build":
		return build(args[1])
	case len(args) >= 1 && len(args) <= 2 && args[0] == "serve":
		address := defaultAddress
		if len(args) == 2 {
			address = args[1]
		}
		return serve(address)
	}
	return errors.New("usage: playground build FOLDER | playground serve [ADDRESS]")
}

// build writes the site to a folder. It needs the Go tool and this module's
// source around it.
func build(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := output("go", "list", "-m", "-f", "{{.Dir}}", "github.com/goptxas/goptxas")
	if err != nil {
		return fmt.Errorf("the source of goptxas is not here: %w", err)
	}
	goroot, err := output("go", "env", "GOROOT")
	if err != nil {
		return err
	}
	to, err := filepath.Abs(filepath.Join(dir, "playground.wasm"))
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", to, "./cmd/playground")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	glue, err := os.ReadFile(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "wasm_exec.js"), glue, 0o644); err != nil {
		return err
	}
	if err := examples(root, dir); err != nil {
		return err
	}
	return fs.WalkDir(site, "site", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := site.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, filepath.Base(path)), data, 0o644)
	})
}

// shown are the texts of the repository that the page offers, the first at
// its start.
var shown = [...]string{"examples/saxpy.ptx", "examples/wrong.ptx", "testdata/zoo/reduce_shared.ptx", "testdata/zoo/mandelbrot.ptx", "testdata/zoo/histogram.ptx"}

// examples copies those that are there.
func examples(root, dir string) error {
	var names []string
	for _, name := range shown {
		data, err := os.ReadFile(filepath.Join(root, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		base := filepath.Base(name)
		names = append(names, base)
		if err := os.WriteFile(filepath.Join(dir, base), data, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "examples.txt"), []byte(strings.Join(names, "\n")+"\n"), 0o644)
}

func output(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	return strings.TrimSpace(string(out)), err
}

// serve builds the site and serves it until the process ends.
func serve(address string) error {
	dir, err := os.MkdirTemp("", "goptxas-playground-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := build(dir); err != nil {
		return err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", l.Addr())
	return http.Serve(l, http.FileServer(http.Dir(dir)))
}
