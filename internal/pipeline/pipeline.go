// Package pipeline is the one place that knows in which order a function
// passes through the compiler.
package pipeline

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/engine/par"
	"github.com/goptxas/goptxas/internal/engine/phase"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/call"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// Options are the choices of the command line and the knobs.
type Options struct {
	Arch    *target.Arch
	Level   int // -O
	Hurry   Hurry
	MaxRegs int // --maxrregcount, 0 = none
	// Override lets MaxRegs count more than what directives say.
	Override bool
	NoFMA    bool
	Caches   build.Caches
	Guards   build.Guards
	// Extensible asks for an object that is a whole program but for functions
	// of the system (-ewp).
	Extensible bool
	Errors     bool       // --make-errors-visible-at-exit
	Blocks     bool       // --blocks-are-clusters
	Rela       bool       // --force-rela
	Host       []byte     // --nv-host: contents of .nv.host
	NoLines    bool       // no line tables
	Debug      bool       // -g: the debug sections of the text, and functions stay apart
	Knobs      *knobs.Set // nil: all defaults
	Phases     []string   // --phase options
	Trace      io.Writer  // receives what phases and the register allocator tell
	// Create opens a file for a dump of a function after a phase; nil drops
	// dumps.
	Create func(fn string, seq int, phase, kind string) (io.WriteCloser, error)
	Layout *build.Layout
	Slot   func(name string) (int64, bool)
	// Repro keeps the input of a compile that broke an invariant and returns
	// where; nil: nowhere.
	Repro func(b *diag.Bug, ptx []byte) string
	// Context ends the work before the next phase of every function; nil:
	// nothing does.
	Context context.Context
	// Watch sees every function after each phase; nil: nobody does.
	Watch Watcher
	// Follow is told how far the work is; nil: nobody is.
	Follow Follower
	// Thrift says how much quality to give up for lack of time or memory; nil:
	// none.
	Thrift Thrift
	// Resume is a function that is read from a dump; nil: none is.
	Resume *Resume
	// Heap tells how many bytes the process holds; nil: nobody asks.
	Heap func() int64
	// Limiter bounds the kernels compiled at once across processes; nil: no
	// bound.
	Limiter par.Limiter
	// Pool is the memory below which every kernel has its own while it is
	// compiled; nil makes one for the module.
	Pool *pool.Pool

	// Cache keeps compiled kernels, and Version names the compiler that made
	// them; nil or "": none are kept.
	Cache   Cache
	Version string

	// Search looks for faster code of every kernel; nil: nobody does.
	Search *Search

	worker int
	spared bool // a phase of the worker's kernel was left out
	known  *memory
}

// compilation is one kernel being compiled, with the functions it calls that
// stand by themselves.
type compilation struct {
	m    *sema.Module
	o    *Options
	r    *runner
	at   *phase.Progress
	body *sema.Body             // the kernel's
	load func(int32) *sema.Body // checks the bodies of functions it calls
	mem  *pool.Pool             // where its IR lives
	plan *build.Plan            // what becomes of its calls
}

// compileBody lowers a body and runs the phases over it, and over the
// functions it calls that stand by themselves.
func compileBody(m *sema.Module, body *sema.Body, o *Options, r *runner, at *phase.Progress) (*link.Kernel, error) {
	c := &compilation{m: m, o: o, r: r, at: at, body: body, load: link.Bodies(m), mem: pool.New(o.Pool, pool.NameKernel)}
	defer c.mem.Destroy()
	units, err := c.draft()
	if err != nil {
		return nil, err
	}
	return c.kernel(units)
}

// draft lowers the kernel and, where they are part of it, the functions it
// calls that stand by themselves. Instructions for which threads may gather
// from several functions are routines in all of them, so all are lowered once
// more when it is known that there are such.
func (c *compilation) draft() ([]*unit, error) {
	var shared routine.Meet
	for {
		c.plan = call.NewPlan(c.m, c.body, c.o.Layout, c.load)
		c.plan.Meet = shared
		u, err := c.lowered(c.body, c.plan.Meet.Copy())
		if err != nil {
			return nil, err
		}
		units, all := []*unit{u}, []*ori.Func{u.f}
		for n := 0; n < len(c.plan.Functions) && !c.o.Layout.Object; n++ {
			u, err := c.lowered(c.load(c.plan.Functions[n]), c.plan.Meet.Copy())
			if err != nil {
				return nil, err
			}
			units, all = append(units, u), append(all, u.f)
		}
		if len(all) == 1 || !c.plan.Meet.Share(all) {
			return units, nil
		}
		shared = c.plan.Meet
	}
}

// kernel compiles what was lowered.
func (c *compilation) kernel(units []*unit) (_ *link.Kernel, err error) {
	for n := range units {
		if units[n], err = c.function(units[n]); err != nil {
			return nil, err
		}
	}
	u := units[0]
	k := &link.Kernel{
		Code: u.code, Props: u.f.Props, Spills: u.spills, Frame: u.f.Props.LocalBytes + u.f.Props.SpillBytes,
		Indirect: c.plan.Indirect, Shared: c.plan.Shared, Locs: u.locs, Price: u.price,
	}
	if u.debug != nil {
		k.Debug = append(k.Debug, u.debug)
	}
	k.MaxRegs = uint16(launchBudget(u.f, c.o) + abi.HiddenRegisters)
	k.Class, k.Maps = link.Compat(u.f)
	switch {
	case c.o.Layout.Object:
		if u.f.Props.HasCalls {
			k.Props.Registers = max(k.Props.Registers, abi.CallRegisters-abi.HiddenRegisters)
		}
		if len(u.routines) > 0 {
			err = c.addRoutines(k, u)
		}
	case u.f.Props.HasCalls || c.plan.Bank2 > 0 || len(u.routines) > 0:
		err = c.addFunctions(k, units)
	}
	if err != nil {
		return nil, err
	}
	k.Refs = link.RefWords(c.plan.Refs)
	k.Props.Registers = abi.Reported(k.Props.Registers)
	return k, nil
}

// function runs the phases over a lowered function. Whether threads may
// gather for one instruction from several places is known once the function
// is improved and has its convergence barriers: if they may, it is lowered
// anew, with routines there, before anything else is decided.
func (c *compilation) function(u *unit) (*unit, error) {
	rolled := slices.ContainsFunc(u.body.Pragmas, func(p sema.Pragma) bool { return p.Text == "nounroll" })
	if c.resumes(u) {
		u.ptx, u.rolled = c.plan.Registers(u.body.Func), rolled
		if err := c.resume(u); err != nil {
			return nil, err
		}
		return c.compiled(u)
	}
	for {
		var err error
		if u, err = c.withRoutines(u); err != nil {
			return nil, err
		}
		u.ptx, u.rolled = c.plan.Registers(u.body.Func), rolled
		pass := c.r.Begin(u, c.at)
		if err := pass.Through(convergePhase); err != nil {
			return nil, err
		}
		if u.meet.Add(u.f, u.meetings) {
			if u, err = c.lowered(u.body, u.meet); err != nil {
				return nil, err
			}
			continue
		}
		if err := pass.Finish(); err != nil {
			return nil, err
		}
		return c.compiled(u)
	}
}

// compiled returns a function that has its code.
func (c *compilation) compiled(u *unit) (*unit, error) {
	if u.code == nil {
		return nil, fmt.Errorf("%s: no code was made", u.f.Name)
	}
	if c.o.Debug {
		u.debug = link.DebugOf(c.m, u.body, c.plan, &link.Debugged{F: u.f, Code: u.code, Spilled: u.spills.SpillBytes > 0, Alive: u.alive})
	}
	return u, nil
}

// registersPerSM and the granularity of their allocation hold for every
// architecture compiled for.
const (
	registersPerSM = 65536
	registerUnit   = 8
)

// budget is how many registers a function may use.
func budget(f *ori.Func, o *Options) int {
	n := launchBudget(f, o)
	if own := int(f.Props.LocalNReg); own > 0 {
		n = min(n, own-abi.HiddenRegisters)
	}
	return n
}

// launchBudget is how many registers a thread may have.
func launchBudget(f *ori.Func, o *Options) int {
	p := &f.Props
	n := abi.MaxRegisters
	threads := int32(1)
	size := p.ReqNTid
	if size[0] == 0 {
		size = p.MaxNTid
	}
	for _, d := range size {
		threads *= max(1, d)
	}
	if size[0] != 0 {
		warps := (threads + 31) / 32
		per := registersPerSM / (int(warps) * 32 * int(max(1, p.MinNCTA)))
		n = min(n, max(24, per/registerUnit*registerUnit))
	}
	bound := int(p.MaxNReg)
	if o.MaxRegs > 0 && (o.Override || bound == 0 && size[0] == 0) { // a directive counts more
		bound = o.MaxRegs
	}
	if bound > 0 {
		n = min(n, bound)
	}
	return min(n, abi.MaxRegisters) - abi.HiddenRegisters
}
