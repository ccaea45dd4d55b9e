package printer

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// codeOf compiles a text with the reference and returns its code, constant
// and debug sections by name.
func codeOf(t *testing.T, tools *oracle.Tools, dir string, text []byte, args []string) (map[string][]byte, error) {
	t.Helper()
	in, out := filepath.Join(dir, "in.ptx"), filepath.Join(dir, "out.cubin")
	os.Remove(out)
	if err := os.WriteFile(in, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if r := tools.Run(dir, "ptxas", append(slices.Clone(args), "-o", "out.cubin", "in.ptx")...); r.Exit != 0 {
		return nil, fmt.Errorf("exit %d: %s", r.Exit, r.Stderr)
	}
	f, err := elf.Open(out)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	code := map[string][]byte{}
	for _, s := range f.Sections {
		// The lines of .nv_debug_line_sass and the text of .nv_debug_ptx_txt
		// are those of the PTX itself.
		keep := slices.ContainsFunc([]string{".text", ".nv.constant", ".nv.global", ".debug_"}, func(p string) bool {
			return strings.HasPrefix(s.Name, p)
		})
		if keep && s.Type != elf.SHT_NOBITS {
			if code[s.Name], err = s.Data(); err != nil {
				return nil, err
			}
		}
	}
	return code, nil
}

// sameCode compiles a text and its print and compares them.
func sameCode(t *testing.T, tools *oracle.Tools, dir, name string, text []byte, args []string) (bytesOfCode int) {
	t.Helper()
	printed, perr := printText(text)
	if perr != nil {
		t.Errorf("%s: %s", name, perr.Msg)
		return 0
	}
	want, err := codeOf(t, tools, dir, text, args)
	if err != nil {
		t.Errorf("%s: original: %v", name, err)
		return 0
	}
	got, err := codeOf(t, tools, dir, printed, args)
	if err != nil {
		t.Errorf("%s: printed: %v\n%.2000s", name, err, printed)
		return 0
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d code sections against %d", name, len(got), len(want))
	}
	for s, b := range want {
		if !bytes.Equal(got[s], b) {
			t.Errorf("%s: %s differs", name, s)
		}
		bytesOfCode += len(b)
	}
	return bytesOfCode
}

// TestPrintedCode proves the printer with the reference: what we print
// compiles to the same code as the original. GOPTXAS_FULL=1 takes every
// accept case and 306 files of the corpus instead of a sample.
func TestPrintedCode(t *testing.T) {
	tools := oracle.Find(t)
	dir := t.TempDir()
	full := os.Getenv("GOPTXAS_FULL") != ""
	n, size := 0, 0
	for i, c := range cases.Accept(t) {
		if full || i%10 == 0 {
			size += sameCode(t, tools, dir, c.Name, c.Input, c.Args)
			n++
		}
	}
	t.Logf("%d accept cases: %d bytes of code, constants and debug data equal", n, size)
	files := cheap(corpus.Find(t), 102)
	if !full {
		files = cheap(corpus.Find(t), 8)
	}
	size, in := 0, 0
	families := map[string]int{}
	for _, f := range files {
		text, err := f.Read()
		if err != nil {
			t.Fatal(err)
		}
		arch, options, _ := strings.Cut(f.Target, ",")
		args := []string{"-arch=" + arch, "-lineinfo"}
		if strings.Contains(options, "debug") {
			args[1] = "-g"
		}
		size += sameCode(t, tools, dir, f.Name, text, args)
		in += len(text)
		families[f.Family]++
	}
	t.Logf("%d corpus files %v, %d bytes of PTX: %d bytes of code, constants and debug data equal", len(files), families, in, size)
}

// cheap returns n files of each family, spread over the manifest, that the
// reference compiles quickly.
func cheap(c *corpus.Corpus, n int) []corpus.File {
	byFamily := map[string][]corpus.File{}
	var families []string
	for _, f := range c.Files {
		if f.Seconds < 0.4 {
			if byFamily[f.Family] == nil {
				families = append(families, f.Family)
			}
			byFamily[f.Family] = append(byFamily[f.Family], f)
		}
	}
	var list []corpus.File
	for _, name := range families {
		all := byFamily[name]
		for i := range min(n, len(all)) {
			list = append(list, all[i*len(all)/min(n, len(all))])
		}
	}
	return list
}
