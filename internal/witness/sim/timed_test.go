package sim

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goptxas"
	"goptxas/internal/witness/oracle"
	"goptxas/internal/witness/zoo"
)

// timedRun runs every launch of a kernel file in timed mode.
func timedRun(t *testing.T, k *zoo.Kernel, cubin []byte) (reports []Early, launches int, ok bool) {
	t.Helper()
	m, err := Load(cubin)
	if err != nil {
		t.Errorf("%s: %v", k.File, err)
		return nil, 0, false
	}
	ok = true
	for n := range k.Launches {
		p, err := m.Kernel(k.Launches[n].Kernel)
		if err != nil {
			t.Errorf("%s: %v", k.File, err)
			return nil, 0, false
		}
		c, err := p.Prepare(&k.Launches[n], nil)
		if err != nil {
			t.Errorf("%s: %v", k.File, err)
			return nil, 0, false
		}
		c.Launch.Timed, c.Launch.MaxSteps = true, 500_000
		st, err := p.Run(&c.Launch)
		if err != nil {
			ok = false
		}
		reports = append(reports, st.Reports...)
		launches++
		if !k.Approximate() && k.Want != nil && k.Want[n].Compare(c.Buffers) != "" {
			ok = false
		}
	}
	return reports, launches, ok
}

// TestTimedReference runs the reference's code in timed mode: a report
// means that a latency table is wrong.
func TestTimedReference(t *testing.T) {
	x := oracle.Find(t)
	dir := t.TempDir()
	list := zoo.List(t)
	kernels, launches, found, good := 0, 0, 0, 0
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
		reports, ran, ok := timedRun(t, k, b)
		for _, r := range reports {
			t.Errorf("%s: %v", k.File, r)
		}
		found += len(reports)
		kernels++
		launches += ran
		if ok {
			good++
		}
	}
	t.Logf("%d kernels of the reference, %d launches, %d reports, %d right", kernels, launches, found, good)
}

// TestTimedOurs does the same with our code.
func TestTimedOurs(t *testing.T) {
	list := zoo.List(t)
	kernels, launches, found := 0, 0, 0
	for n := range list {
		k := &list[n]
		out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: k.File, Text: []byte(k.Text)}}, goptxas.Options{Arch: "sm_90a"})
		if err != nil || out.Cubin == nil {
			continue
		}
		reports, ran, _ := timedRun(t, k, out.Cubin)
		for _, r := range reports {
			t.Errorf("%s: %v", k.File, r)
		}
		found += len(reports)
		kernels++
		launches += ran
	}
	t.Logf("%d kernels of ours, %d launches, %d reports", kernels, launches, found)
}

// TestTimedSeeded shortens stalls and drops waits of our code one at a time:
// timed mode must see most of them (a stall may be longer than it needs to
// be, and a wait may stand for a second time).
func TestTimedSeeded(t *testing.T) {
	list := zoo.List(t)
	for n := range list {
		k := &list[n]
		if k.File != "saxpy.ptx" {
			continue
		}
		out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: k.File, Text: []byte(k.Text)}}, goptxas.Options{Arch: "sm_90a"})
		if err != nil {
			t.Skip(err)
		}
		m, err := Load(out.Cubin)
		if err != nil {
			t.Fatal(err)
		}
		at := strings.Index(string(out.Cubin), string(m.data[m.Kernels()[0].Text]))
		if at < 0 {
			t.Fatal("code not found in the file")
		}
		stalls, waits, seenS, seenW := 0, 0, 0, 0
		for pc := range len(m.insts) {
			hi := at + 16*pc + 8
			w := binary.LittleEndian.Uint64(out.Cubin[hi:])
			if s := w >> 41 & 15; s > 2 {
				stalls++
				if seeded(t, k, out.Cubin, hi, w&^(15<<41)|1<<41) {
					seenS++
				}
			}
			if w>>52&63 != 0 {
				waits++
				if seeded(t, k, out.Cubin, hi, w&^(63<<52)) {
					seenW++
				}
			}
		}
		t.Logf("%d of %d shortened stalls and %d of %d dropped waits reported", seenS, stalls, seenW, waits)
		if seenS == 0 || seenW == 0 {
			t.Error("a seeded fault was not seen")
		}
	}
}

func seeded(t *testing.T, k *zoo.Kernel, cubin []byte, at int, w uint64) bool {
	b := append([]byte(nil), cubin...)
	binary.LittleEndian.PutUint64(b[at:], w)
	m, err := Load(b)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Kernel(k.Launches[0].Kernel)
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Prepare(&k.Launches[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Launch.Timed, c.Launch.MaxSteps = true, 100_000
	st, err := p.Run(&c.Launch)
	return err != nil || len(st.Reports) > 0
}
