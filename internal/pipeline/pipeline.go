// Package pipeline is the one place that knows in which order a function
// passes through the compiler.
package pipeline

import (
	"context"
	"errors"
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
	NoFMA   bool
	Caches  build.Caches
	Guards  build.Guards
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
	meet routine.Meet           // instructions for which threads gather in several functions
}

// compileBody lowers a body and runs the phases over it, and over the
// functions it calls that stand by themselves.
func compileBody(m *sema.Module, body *sema.Body, o *Options, r *runner, at *phase.Progress) (*link.Kernel, error) {
	c := &compilation{m: m, o: o, r: r, at: at, body: body, load: link.Bodies(m), mem: pool.New(o.Pool, pool.NameKernel)}
	defer c.mem.Destroy()
	for {
		k, err := c.kernel()
		if !errors.Is(err, errMeet) {
			return k, err
		}
		c.meet = c.plan.Meet // once more, with routines for what several functions have
	}
}

// kernel compiles the kernel with what is known of places where threads
// gather.
func (c *compilation) kernel() (*link.Kernel, error) {
	c.plan = call.NewPlan(c.m, c.body, c.o.Layout, c.load)
	c.plan.Meet = c.meet
	u, err := c.function(c.body)
	if err != nil {
		return nil, err
	}
	k := &link.Kernel{
		Code: u.code, Props: u.f.Props, Spills: u.spills, Frame: u.f.Props.LocalBytes + u.f.Props.SpillBytes,
		Indirect: c.plan.Indirect, Shared: c.plan.Shared, Locs: u.locs,
	}
	if u.debug != nil {
		k.Debug = append(k.Debug, u.debug)
	}
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
		err = c.addFunctions(k, u)
	}
	if err != nil {
		return nil, err
	}
	k.Refs = link.RefWords(c.plan.Refs)
	k.Props.Registers = max(k.Props.Registers+abi.HiddenRegisters, abi.MinRegisters)
	return k, nil
}

// function lowers one body and runs the phases over it.
func (c *compilation) function(body *sema.Body) (*unit, error) {
	meet := c.plan.Meet.Copy()
	for {
		u, err := c.lowered(body, meet)
		if err != nil {
			return nil, err
		}
		u.ptx = c.plan.Registers(body.Func)
		u.rolled = slices.ContainsFunc(body.Pragmas, func(p sema.Pragma) bool { return p.Text == "nounroll" })
		err = c.r.Run(u, c.at)
		switch {
		case errors.Is(err, errMeet): // once more, with routines there
		case err != nil:
			return nil, err
		case u.code == nil:
			return nil, fmt.Errorf("%s: no code was made", u.f.Name)
		default:
			if c.o.Debug {
				u.debug = link.DebugOf(c.m, body, c.plan, &link.Debugged{F: u.f, Code: u.code, Spilled: u.spills.SpillBytes > 0, Alive: u.alive})
			}
			return u, nil
		}
	}
}

// registersPerSM and the granularity of their allocation hold for every
// architecture compiled for.
const (
	registersPerSM = 65536
	registerUnit   = 8
)

// budget is how many registers a thread may use.
func budget(f *ori.Func, o *Options) int {
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
	if p.MaxNReg > 0 {
		n = min(n, int(p.MaxNReg))
	}
	if o.MaxRegs > 0 {
		n = min(n, o.MaxRegs)
	}
	return min(n, abi.MaxRegisters) - abi.HiddenRegisters
}
