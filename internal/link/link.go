package link

import (
	"slices"
	"time"

	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/codegen/ra"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// Program is a module on its way into a file.
type Program struct {
	m       *sema.Module
	arch    *target.Arch
	o       Options
	File    *cubin.Module
	Layout  *build.Layout // where its variables lie
	shared  cubin.Shared  // what they take of shared memory
	Object  *object       // nil: a program that runs as it is
	Funcs   []int32       // Module.Funcs of each kernel, in the order of the file; for a debugger functions that none calls follow
	Kernels []*Kernel     // their code, once it is made
	slots   map[string]uint32
}

// Options are the choices of the command line about the file.
type Options struct {
	Tool   cubin.TKInfo
	Rela   bool   // --force-rela
	Keep   bool   // --preserve-relocs
	Host   []byte // --nv-host: contents of .nv.host
	Blocks bool   // --blocks-are-clusters
	Errors bool   // --make-errors-visible-at-exit
	Debug  bool   // -g: functions stay apart
	// Workers is how many goroutines may look at bodies; zero is one.
	Workers int
	// Fast asks for little time: functions have frames of their own, as the
	// reference's that it calls then.
	Fast bool
	// Extensible asks for an object that is a whole program but for functions
	// of the system (-ewp).
	Extensible bool
	// Patch asks for functions for instrumentation tools.
	Patch bool
}

// New lays the module's variables out and finds the functions that need
// code.
func New(m *sema.Module, arch *target.Arch, o Options) *Program {
	p := &Program{m: m, arch: arch, o: o}
	p.File = &cubin.Module{Arch: arch, PTXSM: m.Target.SM, Tool: o.Tool, TexIndep: m.TexMode == sema.TexIndependent, ForceRela: o.Rela, Preserve: o.Keep, Host: o.Host}
	p.Layout = &build.Layout{NoInline: o.Debug, Framed: o.Fast, Sorted: o.Debug || o.Fast, Shared: map[string]int64{}, Dynamic: map[string]int64{}, Const: map[string]int64{}, Local: map[string]int64{}}
	if m.Opts.Relocatable || o.Extensible || o.Patch {
		p.File.Relocatable, p.File.Extensible, p.Layout.Object = !o.Patch, o.Extensible, true
		p.File.Patch, p.Layout.Patch, p.Layout.Closed = o.Patch, o.Patch, o.Extensible
		p.Object = &object{m: m, arch: arch, file: p.File}
		p.Object.declare()
		p.Funcs = objectFuncs(m)
	} else {
		p.shared = variables(m, p.Layout, p.File)
		if o.Keep && !arch.Has(target.NewFiles) { // a variable lies at one place in all kernels, so that one symbol can say it
			p.Layout.Keep, p.Layout.Fixed = true, true
		}
		if p.Layout.Sorted {
			shareRefs(m, p.Layout, p.File)
		}
		p.Layout.Direct = Crowded(m)
		p.File.Direct = p.Layout.Direct
		p.Funcs = m.Kernels()
		slices.Sort(p.Funcs) // the file has them in source order
		if o.Debug {
			p.Funcs = append(p.Funcs, uncalled(m, p.Funcs)...)
		}
	}
	p.File.Kernels = make([]cubin.Kernel, len(p.Funcs)) // so that address slots exist
	p.Kernels = make([]*Kernel, len(p.Funcs))
	if p.Object == nil {
		externals(m, p.Layout, p.Funcs, p.File, o.Workers)
	}
	p.slots = p.File.AddressSlots()
	return p
}

// Slot returns where bank 4 holds the address of a symbol.
func (p *Program) Slot(name string) (int64, bool) {
	v, ok := p.slots[name]
	return int64(v), ok
}

// Describe tells the file about kernel n, whose code is made.
func (p *Program) Describe(n int) {
	k := p.Kernels[n]
	p.File.ISAClass, p.File.Tensormap = max(p.File.ISAClass, k.Class), max(p.File.Tensormap, k.Maps)
	p.File.Kernels[n] = p.kernel(&p.m.Funcs[p.Funcs[n]], k)
}

// Complete tells the file what only objects say, once all code is made.
func (p *Program) Complete() {
	if p.Object != nil {
		p.Object.complete(p)
	}
}

// Kernel is a compiled function.
type Kernel struct {
	Code   *emit.Code
	Props  ori.Props
	Spills ra.Result
	// MaxRegs is how many registers a thread may have.
	MaxRegs uint16
	Frame   int32 // bytes of stack
	Stack   int32 // bytes of stack of the functions it calls
	Subs    []Sub
	Placed  []int32       // functions that stand in place of their calls alone
	Endless bool          // calls may nest without end
	Bank0   int           // bytes of constant bank 0
	Bank2   []byte        // constant bank 2
	Unwind  dwarf.Program // of a function of an object: how a debugger finds the caller's registers
	Framed  FrameMade     // where the kernel's frame is made
	Counted int           // bytes of it that the report counts: tables of jumps and literals
	Calls   []string
	Class   uint8            // of instructions, as .nv.compat counts them
	Maps    uint8            // what it does with tensor maps, as .nv.compat says
	Refs    []cubin.RefWord  // textures, samplers and surfaces bound by name
	Shared  map[string]int64 // offsets of the module's shared variables
	Locs    []build.Line     // the .loc directives that Code.Lines names
	Debug   []*DebugFunc
	// Indirect are the prototypes of calls through pointers, in an object.
	Indirect  []string
	Time      time.Duration
	Made      time.Duration  // the part of Time before the phases
	Injected  []ori.Injected // what the source lacks for warp-group matrix operations
	Uniform   int            // uniform registers of a function for instrumentation tools, which should have none
	Fast      uint8          // the level of fast compilation it got
	Price     float64        // about how long it takes, where Options.Search asks; comparable for one kernel only
	Warps     float64        // that share a scheduler, where Options.Search asks and no matrices are multiplied
	Ahead     bool           // loads of its loops were sent a turn ahead
	Occupancy float64        // warps that share a scheduler, where Price is told
	Latency   float64        // about how long one takes that runs alone, where Price is told
	Spared    bool           // phases were left out for lack of time or memory
	Filed     time.Duration  // besides Time: to describe it in the file
	Heap      int64          // of the process when it was done, where Options.Heap tells
}

// Sub is a function compiled into a kernel's section.
type Sub struct {
	Func   int32
	Offset uint64
	Size   uint64
	Frame  int32
	Spills ra.Result
	Unwind dwarf.Program // how a debugger finds the caller's registers
}
