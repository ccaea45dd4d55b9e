package oracle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	x := Find(t)
	r := x.Ptxas("--version")
	if r.Exit != 0 || !strings.Contains(r.Stdout, "release 13.0, V13.0.88") {
		t.Fatalf("ptxas --version: exit %d, stdout %q", r.Exit, r.Stdout)
	}
	for _, n := range Names {
		if _, err := os.Stat(x.Path(n)); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d reference tools found", len(Names))
}

func TestOpenNeedsEveryTool(t *testing.T) {
	dir := t.TempDir()
	if _, ok := open(dir); ok {
		t.Error("an empty folder counts as an installation")
	}
	for _, n := range Names {
		if err := os.WriteFile(filepath.Join(dir, n), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := open(dir); !ok {
		t.Error("a folder with every tool does not count as an installation")
	}
}

func TestRunReportsExitAndSignal(t *testing.T) {
	if r := Run("", "/bin/sh", "-c", "echo a; echo b >&2; exit 3"); r.Exit != 3 || r.Stdout != "a\n" || r.Stderr != "b\n" {
		t.Errorf("exit 3 gave %+v", r)
	}
	if r := Run("", "/bin/sh", "-c", "kill -9 $$"); r.Exit != -9 {
		t.Errorf("kill -9 gave %+v", r)
	}
	if r := Run("", filepath.Join(t.TempDir(), "none")); r.Exit != 127 || r.Stderr == "" {
		t.Errorf("missing program gave %+v", r)
	}
}
