package cubin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// TestToolsRead lets the reference tools read what Write makes of every
// sample: equal bytes prove it already, this proves the samples are sane.
func TestToolsRead(t *testing.T) {
	tools := oracle.Find(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "w.cubin")
	count := tally{}
	for i, s := range cases.Cubins(t) {
		if os.Getenv("GOPTXAS_FULL") == "" && i%8 != 0 {
			continue
		}
		f, err := Read(s.Data)
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.Write()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, cmd := range toolCommands(f) {
			r := tools.Run(dir, cmd[0], cmd[1:]...)
			count.add(cmd[0], r.Exit == 0)
			if r.Exit != 0 {
				t.Errorf("%s: %s: %s%s", s.Name, strings.Join(cmd, " "), r.Stdout, r.Stderr)
			}
		}
	}
	t.Logf("read by the reference tools: %s", count)
}

// toolCommands are the command lines that read w.cubin.
func toolCommands(f *File) [][]string {
	list := [][]string{{"cuobjdump", "-elf", "w.cubin"}}
	hasCode := false
	for _, s := range f.Sections {
		hasCode = hasCode || strings.HasPrefix(s.Name, ".text.")
	}
	if hasCode {
		list = append(list, []string{"nvdisasm", "-c", "w.cubin"})
	}
	if f.Kind == KindReloc {
		arch := archName(f)
		list = append(list, []string{"nvlink", "-arch", arch, "w.cubin", "-o", "linked.cubin"})
	}
	return list
}

// archName is the architecture a file was compiled for.
func archName(f *File) string {
	n, _ := f.Find(".note.nv.tkinfo").Content.(*TKInfo)
	fields := strings.Fields(n.Options)
	for i, x := range fields {
		if x == "-arch" && i+1 < len(fields) {
			return fields[i+1]
		}
	}
	return ""
}

// TestToolsReadBuilt builds files of the architectures whose capsules Build
// leaves out, and lets nvdisasm read them: the code must print as in the
// file of the reference.
func TestToolsReadBuilt(t *testing.T) {
	tools := oracle.Find(t)
	dir := t.TempDir()
	n := 0
	for i, s := range cases.Cubins(t) {
		if os.Getenv("GOPTXAS_FULL") == "" && i%3 != 0 {
			continue
		}
		if !strings.Contains(s.Name, "sm_100a") && !strings.Contains(s.Name, "sm_120a") || strings.Contains(s.Name, "tex.") || strings.Contains(s.Name, "none.") {
			continue
		}
		f, err := Read(s.Data)
		if err != nil {
			t.Fatal(err)
		}
		m, err := lift(f)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		g, err := Build(m)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		b, err := g.Write()
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		os.WriteFile(filepath.Join(dir, "a.cubin"), s.Data, 0o666)
		os.WriteFile(filepath.Join(dir, "b.cubin"), b, 0o666)
		want, got := tools.Run(dir, "nvdisasm", "-c", "a.cubin"), tools.Run(dir, "nvdisasm", "-c", "b.cubin")
		if got.Exit != 0 || got.Stdout != want.Stdout {
			t.Errorf("%s: exit %d, %s, text equal: %v", s.Name, got.Exit, got.Stderr, got.Stdout == want.Stdout)
		}
		n++
	}
	t.Logf("%d built files print as the reference's", n)
}
