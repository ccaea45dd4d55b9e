// Package rewritten compares what a phase of the optimiser makes of functions
// with what stands in files: the tests of each package of the optimiser ask it.
package rewritten

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
)

// Phases are phases by their names.
type Phases map[string]func(*ori.Func) bool

// Check: every phase makes of each testdata/PHASE/NAME.in.ori what stands
// beside it in NAME.out.ori, and what it makes is well formed. A folder of a
// phase that is not named fails too. With UPDATE_ORI=1 the results are written.
func Check(t *testing.T, phases Phases) {
	t.Helper()
	n := 0
	for name, phase := range phases {
		list, err := filepath.Glob(filepath.Join("testdata", name, "*.in.ori"))
		if err != nil || len(list) == 0 {
			t.Errorf("%s: no tests: %v", name, err)
		}
		for _, in := range list {
			if err := differs(in, phase); err != nil {
				t.Errorf("%s: %v", in, err)
			}
		}
		n += len(list)
	}
	all, err := filepath.Glob(filepath.Join("testdata", "*", "*.in.ori"))
	if err != nil || len(all) != n {
		t.Errorf("%d files, of which %d belong to a phase: %v", len(all), n, err)
	}
	t.Logf("%d files of %d phases", n, len(phases))
}

// differs tells how what a phase makes of a file is not what it should be.
func differs(in string, phase func(*ori.Func) bool) error {
	text, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	m, err := ori.Parse(string(text))
	if err != nil {
		return err
	}
	f := m.Funcs[0]
	if err := wellFormed(f); err != nil {
		return fmt.Errorf("before: %w", err)
	}
	phase(f)
	if err := wellFormed(f); err != nil {
		return fmt.Errorf("after: %w", err)
	}
	got, out := f.String(), strings.TrimSuffix(in, ".in.ori")+".out.ori"
	if os.Getenv("UPDATE_ORI") != "" {
		return os.WriteFile(out, []byte(got), 0o644)
	}
	want, err := os.ReadFile(out)
	if err == nil && got != string(want) {
		err = fmt.Errorf("got\n%s\nwant\n%s", got, want)
	}
	return err
}

func wellFormed(f *ori.Func) error { return errors.Join(f.Verify(ori.Built), flow.CheckSSA(f)) }
