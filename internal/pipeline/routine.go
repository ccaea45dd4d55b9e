package pipeline

import (
	"time"

	"github.com/goptxas/goptxas/internal/lower"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// keptRegisters is how many registers a kernel should have besides those its
// routine destroys: with fewer it had to spill around calls that are rarely
// made.
const keptRegisters = 24

// lowered lowers one body.
func (c *compilation) lowered(body *sema.Body, gathers *routine.Gathers) (*unit, error) {
	routines := c.o.Level > 1 && !c.o.Layout.Object
	u, err := c.lower(body, gathers, routines)
	if err == nil && c.o.Layout.Object && !gathers.Linked && len(u.f.Syncs) > 0 && (!u.f.Kernel || u.f.Props.HasCalls) {
		gathers.Linked = true // threads of the warp may be in functions of other objects
		return c.lower(body, gathers, routines)
	}
	return u, err
}

// withRoutines compiles the routines that a function calls, if any: which
// registers these destroy must be known before it gets its own. With routines
// that leave few registers all stays in its place, and it is lowered so.
func (c *compilation) withRoutines(u *unit) (*unit, error) {
	fit, err := c.compileRoutines(u)
	if err != nil || fit {
		return u, err
	}
	if u, err = c.lower(u.body, u.gathers, false); err != nil {
		return nil, err
	}
	_, err = c.compileRoutines(u)
	return u, err
}

// lower makes the function of a body, with routines for slow paths or without.
func (c *compilation) lower(body *sema.Body, gathers *routine.Gathers, routines bool) (*unit, error) {
	begun := time.Now()
	defer func() { c.at.Making += time.Since(begun) }()
	u := &unit{o: c.o, knobs: c.r.knobs, mem: c.mem, gathers: gathers, body: body}
	opts := build.Options{Lines: &u.locs, Gathers: gathers, NoFMA: c.o.NoFMA, Plan: c.plan, Caches: c.o.Caches, Errors: c.o.Errors, Guards: c.o.Guards, Routines: routines}
	var err error
	u.f, err = lower.Func(&ori.Module{Pool: c.mem, Source: c.m.Files[c.m.Funcs[body.Func].File].File, Poll: c.o.poll}, c.m, body, c.o.Arch, c.o.Layout, opts)
	if err == nil && body != c.body {
		bounds(&u.f.Props, &c.m.Funcs[c.body.Func].Launch)
	}
	return u, err
}

// bounds gives a function the bounds on registers of the kernel it is
// compiled for: the kernel reports what the greediest of its functions takes.
func bounds(p *ori.Props, l *sema.Launch) {
	p.MaxNReg, p.MinNCTA = int32(l.MaxNReg), int32(l.MinNCTAPerSM)
	for k := range 3 {
		p.ReqNTid[k], p.MaxNTid[k] = int32(l.ReqNTid[k]), int32(l.MaxNTid[k])
	}
}

// compileRoutines compiles the routines that a function calls. It reports
// whether they leave it enough registers; those in which threads gather count
// for nothing, since they cannot be avoided.
func (c *compilation) compileRoutines(u *unit) (fit bool, err error) {
	u.routines, fit = nil, true
	for _, n := range lower.Routines(u.f) {
		x := &unit{f: lower.Routine(&ori.Module{Pool: c.mem}, c.o.Arch, n), o: c.o, knobs: c.r.knobs, mem: c.mem}
		p := &u.f.Props
		x.f.Props = ori.Props{MaxNReg: p.MaxNReg, LocalNReg: p.LocalNReg, MinNCTA: p.MinNCTA, ReqNTid: p.ReqNTid, MaxNTid: p.MaxNTid}
		if err := c.r.Run(x, c.at); err != nil {
			return false, err
		}
		fit = fit && (x.f.Routine == ori.Gathering || int(x.f.Props.Registers)+keptRegisters <= budget(x.f, c.o) && x.spills.SpillBytes == 0 && x.f.Props.LocalBytes+x.f.Props.SpillBytes == 0)
		u.routines = append(u.routines, x)
	}
	return fit, nil
}
