package pipeline

import (
	"time"

	"github.com/goptxas/goptxas/internal/codegen/isel"
	"github.com/goptxas/goptxas/internal/lower"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// keptRegisters is how many registers a kernel should have besides those its
// routine destroys: with fewer it had to spill around calls that are rarely
// made.
const keptRegisters = 24

// forRoutines is how many registers a routine for slow paths may take in a
// function: with routines that leave it few, all stays in its place.
func (c *compilation) forRoutines(f *ori.Func) int { return budget(f, c.o) - keptRegisters }

// lowered makes the function of a body, with routines for slow paths where
// these are worth it.
func (c *compilation) lowered(body *sema.Body) (*unit, error) {
	begun := time.Now()
	defer func() { c.at.Making += time.Since(begun) }()
	opts := build.Options{NoFMA: c.o.NoFMA, Plan: c.plan, Caches: c.o.Caches, Errors: c.o.Errors, Debug: c.o.Debug, Guards: c.o.Guards}
	opts.Linked = c.o.Layout.Object && !c.m.Funcs[body.Func].Entry
	if c.o.Level > 1 && !c.o.Layout.Object {
		opts.Routines = c.forRoutines
	}
	d, err := lower.New(&ori.Module{Pool: c.mem, Scratch: c.o.scratch, Source: c.m.Files[c.m.Funcs[body.Func].File].File, Poll: c.o.poll}, c.m, body, c.o.Arch, c.o.Layout, opts)
	if err != nil {
		return nil, err
	}
	isel.YieldPolls(d.F, d.Repeats())
	if body != c.body {
		bounds(&d.F.Props, &c.m.Funcs[c.body.Func].Launch)
	}
	return &unit{f: d.F, draft: d, o: c.o, knobs: c.r.knobs, mem: c.mem, m: c.m, body: body}, nil
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
		x := &unit{f: lower.Routine(&ori.Module{Pool: c.mem, Scratch: c.o.scratch}, c.o.Arch, n), o: c.o, knobs: c.r.knobs, mem: c.mem}
		p := &u.f.Props
		x.f.Props = ori.Props{MaxNReg: p.MaxNReg, LocalNReg: p.LocalNReg, MinNCTA: p.MinNCTA, ReqNTid: p.ReqNTid, MaxNTid: p.MaxNTid}
		if err := c.r.Run(x, c.at); err != nil {
			return err
		}
		u.routines = append(u.routines, x)
	}
	return nil
}
