package cli

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// blindFiles is how many files of the corpus are run; SIM_CORPUS asks for
// another number.
const blindFiles = 25

// blindRun starts the first kernel of a cubin blind.
func blindRun(m *sim.Module, fill string, tail, timed, lenient bool) (*sim.Case, *sim.Stats, error) {
	p, err := m.Kernel(m.Kernels()[0].Name)
	if err != nil {
		return nil, nil, err
	}
	c := p.Blind(fill, 1, tail)
	c.Launch.Timed, c.Launch.Lenient, c.Launch.MaxSteps = timed, lenient, 200_000
	st, err := p.Run(&c.Launch)
	return c, st, err
}

// TestCorpus starts real kernels blind, as the reference compiled them and
// as we do. Where the reference's code runs without fault both must leave
// the same bytes; in timed mode there must be no early read. Products and
// sums stay apart, since which of them are fused is each compiler's choice.
func TestCorpus(t *testing.T) {
	x, files := oracle.Find(t), corpus.Find(t)
	want := blindFiles
	if s, err := strconv.Atoi(os.Getenv("SIM_CORPUS")); err == nil {
		want = s
	}
	var f struct{ ran, refused, faults, astray, same, differ, early, earlyRef int }
	for _, file := range files.Every(want * 2) {
		if file.Bytes > 40<<10 || f.ran >= want {
			continue
		}
		text, err := file.Read()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte(".extern .func")) {
			continue // routines of the driver
		}
		b, err := x.Cubin(file.Path, "-fmad=false", "-arch="+file.Target)
		if err != nil {
			continue
		}
		ref, err := sim.Load(b)
		if err != nil || len(ref.Kernels()) == 0 {
			t.Errorf("%s: %v", file.Name, err)
			continue
		}
		f.ran++
		if _, st, _ := blindRun(ref, "f32", false, true, true); st != nil && len(st.Reports) > 0 {
			f.earlyRef++
			t.Logf("%s: reference: %v", file.Name, st.Reports[0])
		}
		ours := compileText(t, file.Name, text, file.Target)
		if ours == nil {
			f.refused++
			continue
		}
		if _, st, _ := blindRun(ours, "f32", false, true, true); st != nil && len(st.Reports) > 0 {
			f.early++
			t.Errorf("%s: %v", file.Name, st.Reports[0])
		}
		good := true
		for _, fill := range []string{"f32", "small", "f64"} {
			tail := false
			a, _, err := blindRun(ref, fill, tail, false, false)
			if err != nil {
				tail = true
				a, _, err = blindRun(ref, fill, tail, false, false)
			}
			lenient := err != nil
			if lenient { // the made-up arguments lead astray: overlook it in both
				var st *sim.Stats
				if a, st, _ = blindRun(ref, fill, tail, false, true); st.Cut || missing(ref) || missing(ours) {
					f.faults++
					continue
				}
				f.astray++
			}
			o, _, err := blindRun(ours, fill, tail, false, lenient)
			if d := difference(a, o); err != nil || d != "" {
				t.Errorf("%s with %s: %s %v", file.Name, fill, d, err)
				good = false
			} else {
				f.same++
			}
		}
		if !good {
			f.differ++
		}
	}
	t.Logf("%d kernels: %d refused by us, %d launches left the same bytes (%d with accesses outside memory), %d kernels differ, %d launches did not end",
		f.ran, f.refused, f.same, f.astray, f.differ, f.faults)
	t.Logf("early reads: %d kernels of ours, %d of the reference", f.early, f.earlyRef)
}

// missing reports whether the kernel holds instructions without a meaning.
func missing(m *sim.Module) bool {
	p, err := m.Kernel(m.Kernels()[0].Name)
	return err != nil || len(p.Missing()) > 0
}

func compileText(t *testing.T, name string, text []byte, arch string) *sim.Module {
	o, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: name, Text: text}}, goptxas.Options{Arch: arch, Args: []string{"-fmad=false"}})
	if err != nil || o.Cubin == nil {
		return nil
	}
	m, err := sim.Load(o.Cubin)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return nil
	}
	return m
}

// difference tells the first buffer that differs.
func difference(a, b *sim.Case) string {
	if b == nil {
		return "no run"
	}
	for n := range a.Buffers {
		if x, y := a.Buffers[n], b.Buffers[n]; !bytes.Equal(x, y) {
			k := 0
			for x[k] == y[k] {
				k++
			}
			k &^= 3
			return strings.Join([]string{
				"argument", strconv.Itoa(n), "byte", strconv.Itoa(k), "reference", hexWord(x[k:]), "ours", hexWord(y[k:]),
			}, " ")
		}
	}
	return ""
}

func hexWord(b []byte) string {
	_, show := elements("x32")
	return show(b)
}
