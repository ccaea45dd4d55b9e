package pipeline

import (
	"errors"
	"time"

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
func (c *compilation) lowered(body *sema.Body, meet *routine.Meet) (*unit, error) {
	u := &unit{o: c.o, knobs: c.r.knobs, mem: c.mem, meet: meet}
	routines := c.o.Level > 1 && !c.o.Layout.Object
	if err := c.lower(u, body, routines); err != nil {
		return nil, err
	}
	if c.o.Layout.Object && !meet.Linked && len(u.f.Syncs) > 0 && (!u.f.Kernel || u.f.Props.HasCalls) {
		meet.Linked = true // threads of the warp may be in functions of other objects
		if err := c.lower(u, body, routines); err != nil {
			return nil, err
		}
	}
	fit, err := c.compileRoutines(u)
	if err != nil || fit {
		return u, err
	}
	if err := c.lower(u, body, false); err != nil {
		return nil, err
	}
	_, err = c.compileRoutines(u)
	return u, err
}

// lower makes the function of a unit, with routines for long ways or without.
func (c *compilation) lower(u *unit, body *sema.Body, routines bool) (err error) {
	begun := time.Now()
	defer func() { c.at.Making += time.Since(begun) }()
	opts := build.Options{Lines: &u.locs, Meet: u.meet, NoFMA: c.o.NoFMA, Plan: c.plan, Caches: c.o.Caches, Errors: c.o.Errors, Guards: c.o.Guards, Routines: routines}
	u.f, err = lower.Func(&ori.Module{Pool: c.mem, Source: c.m.Files[c.m.Funcs[body.Func].File].File, Poll: c.o.poll}, c.m, body, c.o.Arch, c.o.Layout, opts)
	return err
}

// compileRoutines compiles the routines that a function calls. It reports
// whether they leave it enough registers; those in which threads gather count
// for nothing, since they cannot be avoided.
func (c *compilation) compileRoutines(u *unit) (fit bool, err error) {
	u.routines, fit = nil, true
	for _, n := range lower.Routines(u.f) {
		x := &unit{f: lower.Routine(&ori.Module{Pool: c.mem}, c.o.Arch, n), o: c.o, knobs: c.r.knobs, mem: c.mem}
		p := &u.f.Props
		x.f.Props = ori.Props{MaxNReg: p.MaxNReg, MinNCTA: p.MinNCTA, ReqNTid: p.ReqNTid, MaxNTid: p.MaxNTid}
		if err := c.r.Run(x, c.at); err != nil {
			return false, err
		}
		fit = fit && (x.f.Routine == ori.Gathering || int(x.f.Props.Registers)+keptRegisters <= budget(x.f, c.o) && x.spills.SpillBytes == 0 && x.f.Props.LocalBytes+x.f.Props.SpillBytes == 0)
		u.routines = append(u.routines, x)
	}
	return fit, nil
}

// errMeet says that threads gather at more places than was known.
var errMeet = errors.New("threads gather at several places")

// meet finds where threads may gather from several places for one
// instruction. If there are new ones the function must be lowered anew.
func meet(u *unit) error {
	if u.f.Routine != ori.NoRoutine {
		return nil
	}
	if u.meet.Add(u.f, flow.Meetings(u.f, flow.UniformityOf(u.f))) {
		return errMeet
	}
	return nil
}
