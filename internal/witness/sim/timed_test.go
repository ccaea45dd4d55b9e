package sim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		if k.Want != nil && k.Want[n].Compare(c.Buffers) != "" {
			ok = false
		}
	}
	return reports, launches, ok
}

// careful lists where the latency tables ask for more than the reference
// keeps: safe, and known. An empty file means any kernel.
var careful = []struct{ file, first, second, why string }{
	{"", "B2R", "", "returns in order with other B2R"},
	{"generic_addr.ptx", "LDS", "IMAD", "returns in order with QSPC, whose barrier covers it"},
}

func known(file string, r *Early, used []int) bool {
	op := func(text string) string {
		name, _, _ := strings.Cut(mnemonic(text), ".")
		return name
	}
	for n, c := range careful {
		if (c.file == "" || c.file == file) && c.first == op(r.First) && (c.second == "" || c.second == op(r.Second)) {
			used[n]++
			return true
		}
	}
	return false
}

// TestTimedReference runs the reference's code in timed mode: a report
// means that a latency table is wrong.
func TestTimedReference(t *testing.T) {
	x := oracle.Find(t)
	dir := t.TempDir()
	list := zoo.List(t)
	kernels, launches, found, good := 0, 0, 0, 0
	used := make([]int, len(careful))
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
		for n := range reports {
			if !known(k.File, &reports[n], used) {
				t.Errorf("%s: %v", k.File, reports[n])
			}
		}
		found += len(reports)
		kernels++
		launches += ran
		if ok {
			good++
		}
	}
	for n, c := range careful {
		t.Logf("%d times: %s %s", used[n], c.first, c.why)
		if used[n] == 0 {
			t.Errorf("the list of known reports is stale: %s %s", c.first, c.why)
		}
	}
	t.Logf("%d kernels of the reference, %d launches, %d reports, %d right", kernels, launches, found, good)
}
