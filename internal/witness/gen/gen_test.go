package gen

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sweep"
)

// programs is how many programs tests run.
func programs() int {
	if os.Getenv("GOPTXAS_FULL") != "" {
		return 20000
	}
	return sweep.Of(120, 60)
}

// interpret runs a program.
func interpret(p *Prog, o ptxvm.Options) ([][]byte, error) {
	text := p.Text()
	list, err := launch.Parse(text)
	if err != nil {
		return nil, err
	}
	v, err := ptxvm.Load(p.Name+".ptx", text, cmp.Or(p.Target, "sm_90a"))
	if err != nil {
		return nil, err
	}
	o.Undefined, o.MaxSteps = true, 1_000_000
	return v.Run(&list[0], o)
}

// styles are the kinds of programs.
var styles = [...]struct {
	name string
	make Style
}{{"common", New}, {"wide", NewWide}, {"small", NewSmall}, {"tensor", NewTensor}, {"crowd", NewCrowd}, {"weave", NewWeave}}

// each runs a test for each style.
func each(t *testing.T, f func(*testing.T, Style)) {
	for _, s := range styles {
		t.Run(s.name, func(t *testing.T) { f(t, s.make) })
	}
}

// TestPrograms checks what the generator promises: the checker takes every
// program without a word, it ends, reads nothing undefined, has no races, and
// three orders of threads leave the same bytes.
func TestPrograms(t *testing.T) {
	each(t, testPrograms)
	t.Run("pairs", func(t *testing.T) { testPrograms(t, NewPairs) })
}

func testPrograms(t *testing.T, style Style) {
	n, size := programs(), 0
	for seed := range uint64(n) {
		p := style(seed)
		size += p.Size()
		a, err := interpret(p, ptxvm.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Text())
		}
		for s := uint64(1); s <= 2; s++ {
			b, err := interpret(p, ptxvm.Options{Schedule: s + seed*2, Races: s == 2})
			if err != nil {
				t.Fatalf("%v\n%s", err, p.Text())
			}
			for k := range a {
				if !bytes.Equal(a[k], b[k]) {
					t.Fatalf("argument %d depends on the order of threads\n%s", k, p.Text())
				}
			}
		}
	}
	t.Logf("%d programs of %d statements, in 3 orders of threads", n, size)
}

// TestSame checks that a seed always makes the same program.
func TestSame(t *testing.T) {
	each(t, func(t *testing.T, style Style) {
		for seed := range uint64(50) {
			p := style(seed)
			if p.Text() != style(seed).Text() || p.Text() != p.Clone().Text() {
				t.Fatalf("seed %d makes two programs", seed)
			}
		}
	})
}

// TestShrink shrinks for tests whose smallest programs are known.
func TestShrink(t *testing.T) {
	found, left := 0, 0
	for seed := range uint64(60) {
		p := New(seed)
		has := func(q *Prog) bool {
			if _, err := interpret(q, ptxvm.Options{}); err != nil {
				t.Fatalf("a shrunk program is broken: %v\n%s", err, q.Text())
			}
			return strings.Contains(q.Text(), "shf.l.wrap") || strings.Contains(q.Text(), "redux.sync")
		}
		if !has(p) {
			continue
		}
		found++
		q := Shrink(p, has)
		left = max(left, q.Size())
		most := 1
		if strings.Contains(q.Text(), ".func") { // the call of it
			most = 2
		}
		if q.Size() > most || q.Block > 32 || q.Grid > 1 || p.Text() != New(seed).Text() {
			t.Errorf("seed %d: %d statements left\n%s", seed, q.Size(), q.Text())
		}
	}
	if found == 0 {
		t.Error("no program to shrink")
	}
	t.Logf("%d programs shrunk to %d statement", found, left)
}

// TestBatch writes a batch and reads its launches back.
func TestBatch(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(WriteBatch(dir, New, 30, 1000), WriteBatch(dir, NewWide, 30, 1000)); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.ptx"))
	n := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		list, err := launch.Parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		v, err := ptxvm.Load(f, string(text), "sm_90a")
		if err != nil {
			t.Fatal(err)
		}
		if len(v.Kernels()) != len(list) {
			t.Errorf("%s: %d kernels, %d launches", f, len(v.Kernels()), len(list))
		}
		n += len(list)
	}
	if n != 60 {
		t.Errorf("%d programs, want 60", n)
	}
}

// TestWrite writes the batch that GOPTXAS_BATCH=folder,count,seed,style asks
// for, for gpurun zoo -dir.
func TestWrite(t *testing.T) {
	f := strings.Split(os.Getenv("GOPTXAS_BATCH"), ",")
	if len(f) != 4 {
		t.Skip("GOPTXAS_BATCH names no batch")
	}
	style := New
	if f[3] == "wide" {
		style = NewWide
	}
	n, err1 := strconv.Atoi(f[1])
	seed, err2 := strconv.ParseUint(f[2], 10, 64)
	if err := errors.Join(err1, err2, WriteBatch(f[0], style, n, seed)); err != nil {
		t.Fatal(err)
	}
}

// TestCandidates writes the candidates of one step of shrinking, each to a
// file of its own: GOPTXAS_CANDIDATES=folder,style,seed,seed,...
func TestCandidates(t *testing.T) {
	f := strings.Split(os.Getenv("GOPTXAS_CANDIDATES"), ",")
	if len(f) < 3 {
		p := NewWide(7)
		list := Candidates(p)
		for _, q := range list {
			if q.Size() > p.Size()+len(p.Body) {
				t.Errorf("a candidate of size %d for a program of size %d", q.Size(), p.Size())
			}
		}
		t.Logf("%d candidates for %d statements", len(list), p.Size())
		return
	}
	style := New
	if f[1] == "wide" {
		style = NewWide
	}
	for _, word := range f[2:] {
		seed, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		p := style(seed)
		for n, q := range append([]*Prog{p}, Candidates(p)...) {
			if err := os.WriteFile(filepath.Join(f[0], fmt.Sprintf("%s-%03d.ptx", p.Name, n)), []byte(q.Text()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestReferenceAccepts compiles a batch with the reference.
func TestReferenceAccepts(t *testing.T) {
	x := oracle.Find(t)
	dir := t.TempDir()
	n := 100
	if err := errors.Join(WriteBatch(dir, New, n/2, 5000), WriteBatch(dir, NewWide, n/2, 5000)); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.ptx"))
	crashed := 0
	for _, f := range files {
		r := x.Ptxas("-arch=sm_90a", "-O1", f, "-o", filepath.Join(dir, "out.cubin"))
		switch {
		case r.Exit < 0: // the reference's own fault
			crashed++
		case r.Exit != 0 || r.Stderr != "":
			t.Errorf("%s: exit %d\n%s", f, r.Exit, r.Stderr)
		}
	}
	if crashed > len(files)/3 {
		t.Errorf("the reference crashed on %d of %d files", crashed, len(files))
	}
	t.Logf("%d programs in %d files; the reference crashed on %d files", n, len(files), crashed)
}

func ExampleNew() {
	fmt.Println(strings.Contains(New(1).Text(), ".visible .entry g1("))
	// Output: true
}
