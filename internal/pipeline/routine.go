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

// lowered lowers one body. Where threads of the warp may be in functions of
// other objects, instructions for which they gather are functions that all
// objects share: always in a function of an object, and in its kernels where
// calls are left.
func (c *compilation) lowered(body *sema.Body, gathers *routine.Gathers) (*unit, error) {
	if c.o.Layout.Object && !c.m.Funcs[body.Func].Entry {
		gathers.Linked = true
	}
	u, err := c.lower(body, gathers)
	if err == nil && c.o.Layout.Object && !gathers.Linked && len(u.f.Syncs) > 0 && u.f.Props.HasCalls {
		gathers.Linked = true
		return c.lower(body, gathers)
	}
	return u, err
}

// forRoutines is how many registers a routine for slow paths may take in a
// function: with routines that leave it few, all stays in its place.
func (c *compilation) forRoutines(f *ori.Func) int { return budget(f, c.o) - keptRegisters }

// lower makes the function of a body, with routines for slow paths where these
// are worth it.
func (c *compilation) lower(body *sema.Body, gathers *routine.Gathers) (*unit, error) {
	begun := time.Now()
	defer func() { c.at.Making += time.Since(begun) }()
	u := &unit{o: c.o, knobs: c.r.knobs, mem: c.mem, gathers: gathers, body: body}
	opts := build.Options{Lines: &u.locs, Gathers: gathers, NoFMA: c.o.NoFMA, Plan: c.plan, Caches: c.o.Caches, Errors: c.o.Errors, Guards: c.o.Guards}
	if c.o.Level > 1 && !c.o.Layout.Object {
		opts.Routines = c.forRoutines
	}
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

// compileRoutines compiles the routines that a function calls: which registers
// these destroy must be known before it gets its own.
func (c *compilation) compileRoutines(u *unit) error {
	u.routines = nil
	for _, n := range lower.Routines(u.f) {
		x := &unit{f: lower.Routine(&ori.Module{Pool: c.mem}, c.o.Arch, n), o: c.o, knobs: c.r.knobs, mem: c.mem}
		p := &u.f.Props
		x.f.Props = ori.Props{MaxNReg: p.MaxNReg, LocalNReg: p.LocalNReg, MinNCTA: p.MinNCTA, ReqNTid: p.ReqNTid, MaxNTid: p.MaxNTid}
		if err := c.r.Run(x, c.at); err != nil {
			return err
		}
		u.routines = append(u.routines, x)
	}
	return nil
}
