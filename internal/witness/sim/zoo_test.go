package sim

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"goptxas"
	"goptxas/internal/witness/oracle"
	"goptxas/internal/witness/zoo"
)

// runZoo runs every launch of a kernel file and compares the buffers with
// what the H200 left there.
func runZoo(t *testing.T, k *zoo.Kernel, cubin []byte) (ok bool, threads uint64) {
	t.Helper()
	m, err := Load(cubin)
	if err != nil {
		t.Errorf("%s: %v", k.File, err)
		return false, 0
	}
	ok = true
	for n := range k.Launches {
		l := &k.Launches[n]
		p, err := m.Kernel(l.Kernel)
		if err != nil {
			t.Errorf("%s: %v", k.File, err)
			return false, threads
		}
		c, err := p.Prepare(l, nil)
		if err != nil {
			t.Errorf("%s: %v", k.File, err)
			return false, threads
		}
		c.Launch.MaxSteps = 2_000_000
		st, err := p.Run(&c.Launch)
		if st != nil {
			_, th := st.Total()
			threads += th
		}
		if err != nil {
			t.Errorf("%s launch %d: %v", k.File, n, err)
			ok = false
			continue
		}
		if k.Approximate() || k.Want == nil {
			continue
		}
		if d := k.Want[n].Compare(zoo.Result(c.Buffers)); d != "" {
			t.Errorf("%s launch %d: %s", k.File, n, d)
			ok = false
		}
	}
	return ok, threads
}

// TestZooReference runs the reference's code for every kernel of the zoo.
func TestZooReference(t *testing.T) {
	x := oracle.Find(t)
	dir := t.TempDir()
	good, total, approx := 0, 0, 0
	var threads uint64
	list := zoo.List(t)
	for n := range list {
		k := &list[n]
		out := filepath.Join(dir, "k.cubin")
		if r := x.Ptxas("-arch=sm_90a", k.Path, "-o", out); r.Exit != 0 {
			t.Errorf("%s: %s", k.File, r.Stderr)
			continue
		}
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		total++
		ok, th := runZoo(t, k, b)
		threads += th
		if ok {
			good++
		}
		if k.Approximate() {
			approx++
		}
	}
	t.Logf("%d of %d kernels as on the H200 (%d of them only run, not compared: approximate), %d thread instructions", good, total, approx, threads)
}

// TestZooOurs compiles every kernel with our own compiler and runs it. A
// kernel that it refuses is counted and said, not failed: that is the
// compiler's own business; one that computes something else is an error.
func TestZooOurs(t *testing.T) {
	good, ran, refused := 0, 0, 0
	var threads uint64
	list := zoo.List(t)
	for n := range list {
		k := &list[n]
		out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: k.File, Text: []byte(k.Text)}}, goptxas.Options{Arch: "sm_90a"})
		if err != nil || out.Cubin == nil {
			refused++
			continue
		}
		ran++
		ok, th := runZoo(t, k, out.Cubin)
		threads += th
		if ok {
			good++
		}
	}
	t.Logf("%d of %d kernels as on the H200, %d not compiled, %d thread instructions", good, ran, refused, threads)
}
