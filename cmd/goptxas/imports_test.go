package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestImports keeps packages away whose start-up every compilation would pay
// for, and those that make the program a dynamic one.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	deps := strings.Fields(string(out))
	for _, p := range []string{"net", "net/http", "os/user", "runtime/cgo", "runtime/metrics"} {
		if slices.Contains(deps, p) {
			t.Errorf("the compiler imports %s", p)
		}
	}
}
