package opt_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/address"
	"github.com/goptxas/goptxas/internal/opt/control"
	"github.com/goptxas/goptxas/internal/opt/float"
	"github.com/goptxas/goptxas/internal/opt/loop"
	"github.com/goptxas/goptxas/internal/opt/machine"
	"github.com/goptxas/goptxas/internal/opt/ssa"
	"github.com/goptxas/goptxas/internal/opt/uniform"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// folders are the phases whose tests are files: testdata/PHASE/NAME.in.ori and
// what it becomes, NAME.out.ori.
var folders = map[string]func(*ori.Func) bool{
	"UniformPairs":     func(f *ori.Func) bool { return uniform.UniformPairs(f, func(*ori.Instr) bool { return true }) },
	"UniformDoubles":   func(f *ori.Func) bool { return uniform.UniformDoubles(f, func(*ori.Instr) bool { return true }, 4) },
	"LocalWords":       func(f *ori.Func) bool { return address.LocalWords(f, 32) },
	"UniformTuples":    func(f *ori.Func) bool { return uniform.UniformTuples(f, 8) },
	"UniformBases":     func(f *ori.Func) bool { return uniform.UniformBases(f, func(*ori.Instr) bool { return true }) },
	"KnownBits":        opt.KnownBits,
	"SSA":              ssa.SSA,
	"Saturate":         float.Saturate,
	"GuardedUpdates":   control.GuardedUpdates,
	"IgnoredBits":      machine.IgnoredBits,
	"Reassociate":      address.Reassociate,
	"Constants":        loop.Constants,
	"LeaveSSA":         ssa.LeaveSSA,
	"SharedPointers":   loop.SharedPointers,
	"SharedInductions": loop.SharedInductions,
	"Sink":             control.Sink,
	"Aggregate":        aggregate,
	"ViewFences":       machine.ViewFences,
	"ColdWaits":        control.ColdWaits,
	"BranchSimplify":   opt.BranchSimplify,
	"OneTurn":          control.OneTurn,
}

// aggregate is the phase on a machine that has a reduction of every kind.
func aggregate(f *ori.Func) bool {
	return machine.Aggregate(f, func(*ori.Instr) bool { return true }, machine.Reducers{Sum: op.REDUX, Least: op.REDUX})
}

// TestFolders: every phase makes of each file what stands beside it, and what
// it makes is well formed. With UPDATE_ORI=1 the results are written.
func TestFolders(t *testing.T) {
	for name, phase := range folders {
		list, err := filepath.Glob(filepath.Join("testdata", name, "*.in.ori"))
		if err != nil || len(list) == 0 {
			t.Errorf("%s: no tests: %v", name, err)
		}
		for _, in := range list {
			text, err := os.ReadFile(in)
			if err != nil {
				t.Fatal(err)
			}
			m, err := ori.Parse(string(text))
			if err != nil {
				t.Errorf("%s: %v", in, err)
				continue
			}
			f := m.Funcs[0]
			if err := errors.Join(f.Verify(ori.Built), flow.CheckSSA(f)); err != nil {
				t.Errorf("%s: before: %v", in, err)
			}
			phase(f)
			if err := errors.Join(f.Verify(ori.Built), flow.CheckSSA(f)); err != nil {
				t.Errorf("%s: after: %v", in, err)
			}
			got := f.String()
			out := strings.TrimSuffix(in, ".in.ori") + ".out.ori"
			if os.Getenv("UPDATE_ORI") != "" {
				if err := os.WriteFile(out, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(out)
			if err != nil {
				t.Error(err)
			} else if got != string(want) {
				t.Errorf("%s: got\n%s\nwant\n%s", in, got, want)
			}
		}
	}
}
