package pipeline

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/codegen/ra"
	"github.com/goptxas/goptxas/internal/ori"
)

// A dump is an input: a function that was written after a phase is read back
// and goes on from there. The rest of its module comes from the text that it
// was made of, which is checked and lowered as always.

// resumes reports whether the function of u is read and not made.
func (c *compilation) resumes(u *unit) bool {
	return c.o.Resume != nil && c.o.Resume.Func == u.f.Name
}

// resume puts a function that was read in the place of u's, behind the phases
// that it has passed. What its text says besides its instructions was found when it was lowered.
func (c *compilation) resume(u *unit) error {
	r := c.o.Resume
	f, err := r.Read()
	if err != nil {
		return err
	}
	f.Module.Source, f.Module.Poll = u.f.Module.Source, u.f.Module.Poll
	f.Cuts, f.Syncs, f.Mbarriers, f.Used, f.Atomics = u.f.Cuts, u.f.Syncs, u.f.Mbarriers, u.f.Used, u.f.Atomics
	u.f = f
	pass := u.pass
	if err := pass.Start(r.Step, r.At); err != nil {
		return err
	}
	switch {
	case pass.Passed(schedulePhase):
		u.stage = ori.Scheduled
	case pass.Passed(expandPhase):
		u.stage = ori.Allocated
	}
	if pass.Passed(allocatePhase) {
		p := &f.Props
		u.spills = ra.Result{Registers: int(p.Registers), SpillBytes: p.SpillBytes, Stores: int(p.SpillStores), Loads: int(p.SpillLoads)}
		if c.o.Debug {
			return fmt.Errorf("%s: with -g a dump is from before %s", f.Name, allocatePhase)
		}
	}
	if err := wellFormed(u); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}
