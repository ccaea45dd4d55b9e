package pipeline

import (
	"errors"
	"strings"
	"time"

	"github.com/goptxas/goptxas/internal/engine/phase"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/lower"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// keptRegisters is how many registers a kernel should have besides those its
// routine destroys: with fewer it had to spill around calls that are rarely
// made.
const keptRegisters = 24

// lowered lowers one body and compiles the routines it calls, if any: which
// registers these destroy must be known before the body gets its own. With
// routines that leave few registers all stays in its place.
func lowered(m *sema.Module, body *sema.Body, o *Options, r *runner, at *phase.Progress, plan *build.Plan, mem *pool.Pool, meet *routine.Meet) (*unit, error) {
	var lines []build.Line
	opts := build.Options{Lines: &lines, Meet: meet, NoFMA: o.NoFMA, Plan: plan, Caches: o.Caches, Errors: o.Errors, Guards: o.Guards, Routines: o.Level > 1 && !o.Layout.Object}
	begun := time.Now()
	f, err := lower.Func(&ori.Module{Pool: mem, Source: m.Files[m.Funcs[body.Func].File].File}, m, body, o.Arch, o.Layout, opts)
	at.Making += time.Since(begun)
	if err != nil {
		return nil, err
	}
	u := &unit{f: f, o: o, knobs: r.knobs, mem: mem, meet: meet}
	fit, err := compileRoutines(u, r, at)
	if u.locs = lines; err != nil || fit {
		return u, err
	}
	opts.Routines = false
	begun = time.Now()
	u.f, err = lower.Func(&ori.Module{Pool: mem, Source: m.Files[m.Funcs[body.Func].File].File}, m, body, o.Arch, o.Layout, opts)
	at.Making += time.Since(begun)
	if err != nil {
		return nil, err
	}
	u.locs = lines
	_, err = compileRoutines(u, r, at)
	return u, err
}

// compileRoutines compiles the routines that a function calls. It reports
// whether they leave it enough registers; those in which threads gather count
// for nothing, since they cannot be avoided.
func compileRoutines(u *unit, r *runner, at *phase.Progress) (fit bool, err error) {
	f, o, mem := u.f, u.o, u.mem
	u.routines = nil
	fit = true
	for _, n := range lower.Routines(f) {
		x := &unit{f: lower.Routine(&ori.Module{Pool: mem}, o.Arch, n), o: o, knobs: r.knobs, mem: mem, isRoutine: true}
		p := &f.Props
		x.f.Props = ori.Props{MaxNReg: p.MaxNReg, MinNCTA: p.MinNCTA, ReqNTid: p.ReqNTid, MaxNTid: p.MaxNTid}
		if err := r.Run(x, at); err != nil {
			return false, err
		}
		fit = fit && (strings.HasSuffix(x.f.Name, ori.SyncSuffix) || int(x.f.Props.Registers)+keptRegisters <= budget(x.f, o) && x.spills.SpillBytes == 0 && x.f.Props.LocalBytes+x.f.Props.SpillBytes == 0)
		u.routines = append(u.routines, x)
	}
	return fit, nil
}

// errMeet says that threads gather at more places than was known.
var errMeet = errors.New("threads gather at several places")

// meet finds where threads may gather from several places for one
// instruction. If there are new ones the function must be lowered anew.
func meet(u *unit) error {
	if u.isRoutine {
		return nil
	}
	if u.meet.Add(u.f, flow.Meetings(u.f, flow.UniformityOf(u.f))) {
		return errMeet
	}
	return nil
}
