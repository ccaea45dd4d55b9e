package driver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
)

// TestLongNames: dumps of functions whose names are too long for a file get
// short ones that differ, and a message says which; they compile on.
func TestLongNames(t *testing.T) {
	name := strings.Repeat("n", 1000)
	text := ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry " + name + "a()\n{\nret;\n}\n.visible .entry " + name + "b()\n{\nret;\n}\n"
	dir := folder(t, []cases.File{{Name: "k.ptx", Data: []byte(text)}})
	r := runSelf(t, dir, "k.ptx", "-arch=sm_80", "-o", "k.cubin", "--phase", "AssignScoreboards/dump")
	if r.Exit != 0 || strings.Count(r.Stderr, "too long for a file") != 2 {
		t.Errorf("exit %d, %s", r.Exit, r.Stderr)
	}
	list, err := filepath.Glob(filepath.Join(dir, "*.ori"))
	if err != nil || len(list) != 2 {
		t.Fatalf("%q, %v", list, err)
	}
	for _, file := range list {
		if b, err := os.ReadFile(file); err != nil || len(b) == 0 || len(filepath.Base(file)) > 255 {
			t.Errorf("%s: %d bytes, %v", file, len(b), err)
		}
	}
	if r := runSelf(t, dir, filepath.Base(list[0]), "-o", "again.cubin"); r.Exit != 0 {
		t.Errorf("compiled on: exit %d, %s", r.Exit, r.Stderr)
	}
}
