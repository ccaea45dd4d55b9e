package driver

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// linkSets are modules that make one program each; the first says what to
// launch.
var linkSets = [...][]string{{"kernels", "callees", "third"}, {"names", "named"}, {"tensor", "tensors"}, {"literals", "literal2"}}

// object compiles one module to an object.
type object func(t *testing.T, file, out, arch string)

func ourObject(t *testing.T, file, out, arch string, options ...string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	b, ok := CompileTexts(context.Background(), append(options, "-arch", arch), []Text{{Name: file, Text: text}}, &log)
	if !ok {
		t.Fatalf("%s for %s: %s", file, arch, log.String())
	}
	if err := os.WriteFile(out, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestLinkMixes compiles the modules of a program by us and by the
// reference, links every mix, and runs all of them in the simulator: a mix
// whose results differ broke the calling convention or a relocation.
func TestLinkMixes(t *testing.T) {
	for _, set := range linkSets {
		linkMixes(t, set)
	}
}

func linkMixes(t *testing.T, linkSet []string) {
	x := oracle.Find(t)
	dir := t.TempDir()
	launches := linkLaunches(t, linkSet[0])
	for _, c := range []struct {
		arch    string
		options []string
	}{{"sm_80", nil}, {"sm_90a", nil}, {"sm_100a", nil}, {"sm_90a", []string{"-O0"}}, {"sm_90a", []string{"--maxrregcount=32"}}} {
		if c.options != nil && len(linkSet) < 3 || linkSet[0] == "tensor" && c.arch != "sm_100a" {
			continue
		}
		arch, options := c.arch, append([]string{"-c"}, c.options...)
		refObject := func(t *testing.T, file, out, arch string) {
			t.Helper()
			if r := x.Ptxas(append(options, "-arch", arch, file, "-o", out)...); r.Exit != 0 {
				t.Fatal(r.Stderr)
			}
		}
		for n, make := range []object{refObject, func(t *testing.T, file, out, arch string) { ourObject(t, file, out, arch, options...) }} {
			for _, name := range linkSet {
				make(t, filepath.Join("..", "..", "testdata", "link", name+".ptx"), filepath.Join(dir, fmt.Sprintf("%s%d.o", name, n)), arch)
			}
		}
		var want [][][]byte
		mixes, runs := 0, 0
		for mix := range 1 << len(linkSet) {
			if len(linkSet) == 3 && (arch != "sm_90a" || c.options != nil) && mix != 0 && mix != 1 && mix != 6 && mix != 7 {
				continue // who calls whom is tried once
			}
			out := filepath.Join(dir, "linked.cubin")
			args := []string{"-arch", arch, "-o", out}
			for k, name := range linkSet {
				args = append(args, filepath.Join(dir, fmt.Sprintf("%s%d.o", name, mix>>k&1)))
			}
			if r := x.Run("", "nvlink", args...); r.Exit != 0 {
				t.Errorf("%s, mix %03b: %s%s", arch, mix, r.Stdout, r.Stderr)
				continue
			}
			if r := x.Run("", "nvdisasm", "-c", out); r.Exit != 0 {
				t.Errorf("%s, mix %03b: %s", arch, mix, r.Stderr)
			}
			got := runLinked(t, out, launches, fmt.Sprintf("%s, mix %03b", arch, mix))
			if want == nil {
				want = got
			}
			mixes++
			for n := range launches {
				if n >= len(got) || n >= len(want) {
					t.Errorf("%s, mix %03b: %s did not run", arch, mix, launches[n].Kernel)
					continue
				}
				runs++
				for k := range want[n] {
					if !bytes.Equal(got[n][k], want[n][k]) {
						t.Errorf("%s, mix %03b: %s leaves another buffer %d", arch, mix, launches[n].Kernel, k)
					}
				}
			}
		}
		t.Logf("%s %s %v: %d mixes linked, %d launches alike", linkSet[0], arch, c.options, mixes, runs)
	}
}

// TestMatrixMoves runs the moves of matrices of both compilers.
func TestMatrixMoves(t *testing.T) {
	x := oracle.Find(t)
	file, out := filepath.Join("..", "..", "testdata", "link", "matrix.ptx"), filepath.Join(t.TempDir(), "m.cubin")
	launches := linkLaunches(t, "matrix")
	if r := x.Ptxas("-arch", "sm_90a", file, "-o", out); r.Exit != 0 {
		t.Fatal(r.Stderr)
	}
	want := runLinked(t, out, launches, "reference")
	ourObject(t, file, out, "sm_90a", "-O3")
	got := runLinked(t, out, launches, "ours")
	for k := range want[0] {
		if !bytes.Equal(got[0][k], want[0][k]) {
			t.Errorf("buffer %d differs", k)
		}
	}
	t.Logf("%d bytes alike", len(want[0][1]))
}

func linkLaunches(t *testing.T, name string) []launch.Launch {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "link", name+".ptx"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := launch.Parse(string(text))
	if err != nil || len(list) == 0 {
		t.Fatalf("%d launches, %v", len(list), err)
	}
	return list
}

// runLinked runs every launch and returns what the buffers hold then.
func runLinked(t *testing.T, file string, list []launch.Launch, what string) [][][]byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := sim.Load(b)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return nil
	}
	var got [][][]byte
	for n := range list {
		p, err := m.Kernel(list[n].Kernel)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return got
		}
		c, err := p.Prepare(&list[n], nil)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return got
		}
		c.Launch.MaxSteps = 5_000_000
		if _, err := p.Run(&c.Launch); err != nil {
			t.Errorf("%s: %s: %v", what, list[n].Kernel, strings.TrimSpace(err.Error()))
		}
		got = append(got, c.Buffers)
	}
	return got
}
