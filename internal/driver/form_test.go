package driver

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNobodyReads: standard error that leads to the null device is no terminal,
// whatever the name it has in the process.
func TestNobodyReads(t *testing.T) {
	t.Setenv("TERM", "xterm")
	name := filepath.Join(t.TempDir(), "stderr")
	if err := os.Symlink(os.DevNull, name); err != nil {
		t.Skip(err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if isTerminal(f) {
		t.Error("the null device is taken for a terminal")
	}
}
