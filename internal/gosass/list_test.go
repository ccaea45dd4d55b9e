package gosass

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/gosass/dis"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

func readFile(t testing.TB, name string) []byte {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestList compares listings with nvdisasm -c, with and without words.
func TestList(t *testing.T) {
	tools := oracle.Find(t)
	dir := t.TempDir()
	n := 0
	for i, s := range cases.Cubins(t) {
		if strings.Contains(s.Name, "-g") || strings.HasPrefix(s.Name, "brx") && strings.HasSuffix(s.Name, "-c") || strings.HasPrefix(s.Name, "none.") || os.Getenv("GOPTXAS_FULL") == "" && i%16 != 2 && !strings.HasPrefix(s.Name, "brx.sm_90a") {
			continue
		}
		path := filepath.Join(dir, "t.cubin")
		if err := os.WriteFile(path, s.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		hex := i%2 == 0
		args := []string{"-c", "t.cubin"}
		if hex {
			args = append(args, "-hex")
		}
		want := tools.Run(dir, "nvdisasm", args...).Stdout
		got, err := dis.List(read(t, s.Data), &dis.Options{Hex: hex})
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		if string(got) != want {
			t.Errorf("%s: %s", s.Name, firstDifferent(string(got), want))
		}
		n++
	}
	t.Logf("%d listings", n)
}

// TestRaw compares raw mode with nvdisasm -b.
func TestRaw(t *testing.T) {
	tools := oracle.Find(t)
	dir := t.TempDir()
	code := read(t, find(t, "funcs.sm_90a")).Functions()[0].Code
	if err := os.WriteFile(filepath.Join(dir, "w.bin"), code, 0o666); err != nil {
		t.Fatal(err)
	}
	r := tools.Run(dir, "nvdisasm", "-b", "SM90a", "w.bin")
	var want []string
	for line := range strings.SplitSeq(r.Stdout, "\n") {
		if _, text, ok := strings.Cut(line, "*/"); ok {
			want = append(want, strings.TrimSpace(text))
		}
	}
	opt := &dis.Options{Raw: true, Arch: target.Find("sm_90a")}
	got, err := Disassemble(code, opt)
	if err != nil {
		t.Fatal(err)
	}
	if g := strings.TrimSuffix(string(got), "\n"); g != strings.Join(want, "\n") {
		t.Errorf("%s", firstDifferent(g, strings.Join(want, "\n")))
	}
	t.Logf("%d lines", len(want))
}

// TestRawAlone: with -alone a branch prints as at address 0, and the words
// come back from the text.
func TestRawAlone(t *testing.T) {
	a := target.Find("sm_90a")
	code := read(t, find(t, "base.sm_90a")).Functions()[0].Code
	got, err := Disassemble(code, &dis.Options{Raw: true, Alone: true, Hex: true, Arch: a})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(got, []byte("000fc0000383fffffffffffc00fc7947")) && !bytes.Contains(got, []byte(" BRA 0x0;")) {
		t.Errorf("no branch to itself in\n%s", got)
	}
	if _, err := Disassemble(code[:17], &dis.Options{Raw: true, Arch: a}); err == nil {
		t.Error("half an instruction is accepted")
	}
	if _, err := Disassemble(code, &dis.Options{Raw: true}); err == nil {
		t.Error("raw words without -arch are accepted")
	}
}
