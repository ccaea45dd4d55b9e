package gosass

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/gosass/asm"
	"github.com/goptxas/goptxas/internal/gosass/dis"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// TestVadd assembles the kernel written by hand and lets nvdisasm read it
// back: every instruction as it was written.
func TestVadd(t *testing.T) {
	src := readFile(t, sampleDir+"/vadd.sass")
	f, err := asm.Assemble("vadd.sass", src, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Write()
	if err != nil {
		t.Fatal(err)
	}
	k := read(t, b).Functions()
	if len(k) != 1 || k[0].Regs != 14 || len(k[0].Params) != 4 || k[0].Banks[0] != 0x210+28 {
		t.Fatalf("%+v", k)
	}
	var want []string
	for line := range strings.Lines(string(src)) {
		line, _, _ = strings.Cut(line, "//")
		if ins, _, ok := strings.Cut(line, ";"); ok {
			want = append(want, strings.TrimSpace(ins)+" ;")
		}
	}
	check := func(text string) {
		var got []string
		for line := range strings.SplitSeq(text, "\n") {
			if _, ins, ok := strings.Cut(line, "*/"); ok && !strings.HasSuffix(line, "NOP;") && !strings.Contains(line, "BRA") {
				got = append(got, strings.TrimSpace(ins))
			}
		}
		if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
			t.Errorf("%s", firstDifferent(g, w))
		}
	}
	list, err := dis.List(read(t, b), &dis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	check(string(list))
	tools := oracle.Find(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "vadd.cubin"), b, 0o666); err != nil {
		t.Fatal(err)
	}
	r := tools.Run(dir, "nvdisasm", "-c", "vadd.cubin")
	if r.Exit != 0 {
		t.Fatal(r.Stderr)
	}
	check(r.Stdout)
}
