// Package pipeline is the one place that knows in which order a function
// passes through the compiler.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/codegen/ra"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/engine/par"
	"github.com/goptxas/goptxas/internal/engine/phase"
	"github.com/goptxas/goptxas/internal/engine/pool"
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

	forms  *emit.Forms // of the worker
	worker int
	spared bool // a phase of the worker's kernel was left out
	known  *memory
}

// Kernel is a compiled function.
type Kernel struct {
	Code   *emit.Code
	Props  ori.Props
	Spills ra.Result
	Frame  int32 // bytes of stack
	Stack  int32 // bytes of stack of the functions it calls
	Subs   []Sub
	Bank0  int    // bytes of constant bank 0
	Bank2  []byte // constant bank 2
	Calls  []string
	Class  uint8            // of instructions, as .nv.compat counts them
	Maps   uint8            // what it does with tensor maps, as .nv.compat says
	Refs   []cubin.RefWord  // textures, samplers and surfaces bound by name
	shared map[string]int64 // offsets of the module's shared variables
	locs   []build.Line     // the .loc directives that Code.Lines names
	debug  []*debugFunc
	// Indirect are the prototypes of calls through pointers, in an object.
	Indirect []string
	Time     time.Duration
	Made     time.Duration // the part of Time before the phases
	Hurry    Hurry         // the phases it got
	Spared   bool          // phases were left out for lack of time or memory
	Filed    time.Duration // besides Time: to describe it in the file
	Heap     int64         // of the process when it was done, where Options.Heap tells
}

// minRegisters is the smallest register count the reference reports.
const minRegisters = 8

// hiddenRegisters are those the machine itself takes above the highest one
// that code names: a kernel that declares fewer faults (seen on sm_90).
const hiddenRegisters = 2

// compileBody lowers a body and runs the phases over it, and over the
// functions it calls that stand by themselves.
func compileBody(m *sema.Module, body *sema.Body, o *Options, r *runner, at *phase.Progress) (*Kernel, error) {
	mem := pool.New(o.Pool, pool.NameKernel)
	defer mem.Destroy()
	load := bodies(m)
	return compileAll(m, body, o, r, at, load, mem, routine.Meet{})
}

// compileAll does so with what is known of instructions for which threads
// gather in several functions.
func compileAll(m *sema.Module, body *sema.Body, o *Options, r *runner, at *phase.Progress, load func(int32) *sema.Body, mem *pool.Pool, meet routine.Meet) (*Kernel, error) {
	plan := call.NewPlan(m, body, o.Layout, load)
	plan.Meet = meet
	k := &Kernel{}
	u, err := compileOne(m, body, o, r, at, plan, mem)
	if err != nil {
		return nil, err
	}
	k.Code, k.Props, k.Spills, k.Frame = u.code, u.f.Props, u.spills, u.f.Props.LocalBytes+u.f.Props.SpillBytes
	k.Indirect, k.shared = plan.Indirect, plan.Shared
	k.locs = u.locs
	if u.debug != nil {
		k.debug = append(k.debug, u.debug)
	}
	k.Class, k.Maps = compat(u.f)
	if o.Layout.Object {
		if u.f.Props.HasCalls {
			k.Props.Registers = max(k.Props.Registers, callRegisters-hiddenRegisters)
		}
		if len(u.routines) > 0 {
			if err := addRoutines(k, o, u); err != nil {
				return nil, err
			}
		}
	} else if u.f.Props.HasCalls || plan.Bank2 > 0 || len(u.routines) > 0 {
		err := addFunctions(k, m, o, r, at, plan, load, u)
		if errors.Is(err, errMeet) { // once more, with routines for them
			return compileAll(m, body, o, r, at, load, mem, plan.Meet)
		}
		if err != nil {
			return nil, err
		}
	}
	k.Refs = words(plan.Refs)
	k.Props.Registers = max(k.Props.Registers+hiddenRegisters, minRegisters)
	return k, nil
}

// compileOne lowers one body and runs the phases over it.
func compileOne(m *sema.Module, body *sema.Body, o *Options, r *runner, at *phase.Progress, plan *build.Plan, mem *pool.Pool) (*unit, error) {
	return compileMeeting(m, body, o, r, at, plan, mem, plan.Meet.Copy())
}

// compileMeeting does so with what is known of places where threads gather.
func compileMeeting(m *sema.Module, body *sema.Body, o *Options, r *runner, at *phase.Progress, plan *build.Plan, mem *pool.Pool, meet *routine.Meet) (*unit, error) {
	u, err := lowered(m, body, o, r, at, plan, mem, meet)
	if err != nil {
		return nil, err
	}
	u.ptx = plan.Registers(body.Func)
	u.rolled = slices.ContainsFunc(body.Pragmas, func(p sema.Pragma) bool { return p.Text == "nounroll" })
	if err := r.Run(u, at); err != nil {
		if errors.Is(err, errPool) && !plan.Keep { // once more, each warp with its own registers
			plan.Keep = true
			return compileMeeting(m, body, o, r, at, plan, mem, meet)
		}
		if errors.Is(err, errMeet) { // once more, with routines there
			return compileMeeting(m, body, o, r, at, plan, mem, meet)
		}
		return nil, err
	}
	if u.code == nil {
		return nil, fmt.Errorf("%s: no code was made", u.f.Name)
	}
	if o.Debug {
		u.debug = debugOf(m, body, plan, u)
	}
	return u, nil
}

// bodies returns a function that checks the bodies of called functions,
// each once.
func bodies(m *sema.Module) func(int32) *sema.Body {
	known := map[int32]*sema.Body{}
	return func(fn int32) *sema.Body {
		b := known[fn]
		if b == nil {
			b = m.Body(fn, new(sema.Scratch))
			known[fn] = b
		}
		return b
	}
}

// registersPerSM and the granularity of their allocation hold for every
// architecture compiled for.
const (
	registersPerSM = 65536
	registerUnit   = 8
	maxRegisters   = 255
)

// budget is how many registers a thread may use.
func budget(f *ori.Func, o *Options) int {
	p := &f.Props
	n := maxRegisters
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
	return min(n, maxRegisters) - hiddenRegisters
}
