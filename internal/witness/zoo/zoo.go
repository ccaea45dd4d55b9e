// Package zoo loads the kernel zoo: small PTX programs of our own, one
// theme a file, under testdata/zoo. Each file says in its first line what it
// exercises and carries launch descriptions in comments, so that every
// witness (interpreter, simulator, reference, GPU) can run it and compare
// every byte.
//
// What a zoo kernel owes: it is deterministic, free of races, stays inside
// its buffers, reads nothing undefined, writes its results to a buffer, and
// its results depend neither on addresses nor on timing.
package zoo

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/launch"
)

// Kernel is one file of the zoo. A file may hold several entries; every one
// has at least one launch.
type Kernel struct {
	File     string // base name, as "vecadd.ptx"
	Path     string // where it was read from
	Text     string
	About    string // the first line, without the comment mark
	Launches []launch.Launch
	Want     []Result // what an H200 left in the buffers, by launch; nil if not measured
}

// Dir finds testdata/zoo above the current folder.
func Dir() (string, error) {
	d, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return filepath.Join(d, "testdata", "zoo"), nil
		}
		up := filepath.Dir(d)
		if up == d {
			return "", fmt.Errorf("no go.mod above the current folder")
		}
		d = up
	}
}

// Load reads every kernel of a folder, sorted by name.
func Load(dir string) ([]Kernel, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.ptx"))
	if err != nil {
		return nil, err
	}
	sort.Strings(paths)
	list := make([]Kernel, 0, len(paths))
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		k := Kernel{File: filepath.Base(p), Path: p, Text: string(text)}
		first, _, _ := strings.Cut(k.Text, "\n")
		k.About = strings.TrimSpace(strings.TrimPrefix(first, "//"))
		if k.Launches, err = launch.Parse(k.Text); err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		list = append(list, k)
	}
	return list, loadResults(dir, list)
}

// List returns the whole zoo but for textures and matrices, or fails the
// test.
func List(t testing.TB) []Kernel {
	t.Helper()
	return folder(t, "")
}

// Textures returns the kernels with textures and surfaces, which lie in a
// folder of their own: not everything that runs a kernel has them.
func Textures(t testing.TB) []Kernel {
	t.Helper()
	return folder(t, "texture")
}

// Hopper returns the kernels with bulk copies, tensor copies and warp-group
// matrix operations, which lie in a folder of their own too.
func Hopper(t testing.TB) []Kernel {
	t.Helper()
	return folder(t, "hopper")
}

// Matrices returns the kernels with matrix products of a warp, whose sums of
// floats differ between machines.
func Matrices(t testing.TB) []Kernel {
	t.Helper()
	return folder(t, "matrix")
}

// Gatherings returns the kernels in which threads of a warp gather from
// different places.
func Gatherings(t testing.TB) []Kernel {
	t.Helper()
	return folder(t, "gather")
}

func folder(t testing.TB, name string) []Kernel {
	t.Helper()
	dir, err := Dir()
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, name)
	list, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatalf("no kernels in %s", dir)
	}
	return list
}

// For returns the kernel written for another architecture, in a version of
// PTX that knows it.
func (k Kernel) For(arch string) Kernel {
	lines := strings.Split(k.Text, "\n")
	for n, l := range lines {
		switch {
		case strings.HasPrefix(l, ".version"):
			lines[n] = ".version 9.0"
		case strings.HasPrefix(l, ".target"):
			lines[n] = ".target " + arch
		}
	}
	k.Text = strings.Join(lines, "\n")
	return k
}

// Runs reports whether the machine itself does what an asynchronous kernel
// asks for: sm_90a alone has warp-group products, and on sm_120 a routine of
// the driver copies to several blocks.
func Runs(file, arch string) bool {
	switch {
	case strings.HasPrefix(file, "wgmma_"):
		return arch == "sm_90a"
	case strings.HasPrefix(file, "cluster_multicast"):
		return !strings.HasPrefix(arch, "sm_12")
	}
	return true
}
