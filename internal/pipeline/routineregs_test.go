package pipeline

import (
	"testing"

	"github.com/goptxas/goptxas/internal/engine/phase"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/lower"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// TestRoutineRegisters: lowering decides by a column which slow paths may be
// routines; no routine takes more registers than it says, and of each kind one
// takes as many.
func TestRoutineRegisters(t *testing.T) {
	most := map[routine.Kind]int{}
	compiled := 0
	for k := range target.Archs {
		o := &Options{Arch: &target.Archs[k], Level: 3, Layout: &build.Layout{}}
		r, err := newRunner(o)
		if err != nil {
			t.Fatal(err)
		}
		for n := range routine.Routines {
			mem := pool.New(nil, pool.NameKernel)
			x := &unit{f: lower.Routine(&ori.Module{Pool: mem}, o.Arch, n), o: o, knobs: r.knobs, mem: mem}
			if err := r.Run(x, new(phase.Progress)); err != nil {
				t.Fatalf("%s for %s: %v", routine.Name(n), o.Arch.Name, err)
			}
			kind, got := routine.Routines[n].Kind, int(x.f.Props.Registers)
			if got > kind.Registers() {
				t.Errorf("%s for %s takes %d registers, the column says %d", routine.Name(n), o.Arch.Name, got, kind.Registers())
			}
			most[kind] = max(most[kind], got)
			compiled++
			mem.Destroy()
		}
	}
	for kind, got := range most {
		if got != kind.Registers() {
			t.Errorf("kind %d takes at most %d registers, the column says %d", kind, got, kind.Registers())
		}
	}
	t.Logf("%d routines compiled", compiled)
}
