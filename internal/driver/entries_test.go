package driver

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// TestEntries: which kernels are compiled, and in which order -v tells of
// them, is the reference's: a debugger gets all.
func TestEntries(t *testing.T) {
	x := oracle.Find(t)
	dir := t.TempDir()
	text := ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry a() { ret; }\n.visible .entry b() { ret; }\n.visible .entry c() { ret; }\n"
	file := filepath.Join(dir, "k.ptx")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	told := func(text string) []string {
		var list []string
		for line := range strings.Lines(text) {
			if strings.Contains(line, "entry function") || strings.Contains(line, "fatal") || strings.Contains(line, "error") {
				list = append(list, strings.TrimSpace(line))
			}
		}
		return list
	}
	for _, options := range []string{"", "-e b", "-e b -e a", "-e a,b", "-e b,b", "-e nosuch", "-g", "-g -e b", "-g -e b,b", "-g -e nosuch", "-Ofc=max -e b,a", "-lineinfo -e b", "-O0 -e b"} {
		args := append(strings.Fields(options), "-v", "-arch=sm_80", file, "-o", filepath.Join(dir, "out"))
		r := x.Ptxas(args...)
		var log strings.Builder
		Main(context.Background(), Env{Args: args, Stdout: &log, Stderr: &log})
		if got, want := told(log.String()), told(r.Stderr); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s:\n%q\nthe reference says\n%q", options, got, want)
		}
	}
}
