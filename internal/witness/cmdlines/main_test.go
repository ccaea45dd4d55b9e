package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// TestSeeds: a seed makes one case, and seeds make different ones.
func TestSeeds(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(200) {
		a, b := newCase(seed), newCase(seed)
		if !slices.Equal(a.args, b.args) || a.files["p.ptx"] != b.files["p.ptx"] || a.files["q.ptx"] != b.files["q.ptx"] {
			t.Fatalf("seed %d makes two cases", seed)
		}
		seen[a.files["p.ptx"]] = true
	}
	if len(seen) < 190 {
		t.Errorf("%d programs of 200 seeds", len(seen))
	}
}

// TestDiffer: what the code decides is not compared, all else is.
func TestDiffer(t *testing.T) {
	a := answer{err: "ptxas info    : Used 8 registers, used 1 barriers, 364 bytes cmem[0]\n    16 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n"}
	for _, c := range []struct {
		old, with string
		same      bool
	}{
		{"Used 8", "Used 9", true},
		{"16 bytes stack frame, 8 bytes spill", "24 bytes stack frame, 12 bytes spill", true},
		{"16 bytes stack frame, 8 bytes spill stores, 8", "16 bytes stack frame, 0 bytes spill stores, 0", false},
		{"1 barriers", "2 barriers", false},
		{"364", "368", false},
	} {
		b := answer{err: strings.Replace(a.err, c.old, c.with, 1)}
		if got := differ(nil, a, b); (got == "") != c.same {
			t.Errorf("%s for %s: %q", c.with, c.old, got)
		}
	}
	frame := func(spilled int) answer {
		t := fmt.Sprintf("ptxas info    : Function properties for f\n    %d bytes stack frame, %d bytes spill stores, %d bytes spill loads\n", spilled, spilled, spilled)
		if spilled > 0 {
			t = "ptxas warning : Registers are spilled to local memory in function 'f', 8 bytes spill stores, 8 bytes spill loads\n" + t
		}
		return answer{err: t}
	}
	if got := differ(nil, frame(8), frame(0)); got != "" {
		t.Errorf("spilled by the reference only: %s", got)
	}
	if differ(nil, frame(0), frame(8)) == "" {
		t.Error("spilled by us only is no difference")
	}
	if differ(nil, answer{exit: 255}, answer{}) == "" || differ(nil, answer{}, answer{files: []string{"x"}}) == "" {
		t.Error("exits and files are not compared")
	}
}

// TestAgree: on fresh command lines the compilers agree but for one in a
// hundred at most.
func TestAgree(t *testing.T) {
	tools := oracle.Find(t)
	dir := t.TempDir()
	p := &pair{ref: tools.Path("ptxas"), ours: filepath.Join(dir, "goptxas"), dir: dir}
	if b, err := exec.Command("go", "build", "-o", p.ours, "github.com/goptxas/goptxas/cmd/goptxas").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, b)
	}
	n := uint64(150)
	if testing.Short() {
		n = 25
	}
	count := &tally{kinds: map[string][]uint64{}}
	for seed := range n {
		c := newCase(seed)
		a, b, err := p.run(c)
		if err != nil {
			t.Fatal(err)
		}
		count.add(seed, differ(c.args, a, b))
	}
	var report strings.Builder
	count.report(&report)
	t.Log(report.String())
	if count.bad*100 > count.n {
		t.Errorf("%d of %d differ", count.bad, count.n)
	}
}
