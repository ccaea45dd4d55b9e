package pipeline

import (
	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/codegen/isel"
	"github.com/goptxas/goptxas/internal/codegen/ra"
	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/engine/phase"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/lower"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// unit is a function on its way through the phases.
type unit struct {
	f          *ori.Func
	o          *Options
	knobs      *knobs.Set
	spills     ra.Result
	injected   []ori.Injected
	price      float64   // see link.Kernel
	warps      float64   // the same
	occupancy  float64   // the same
	latency    float64   // the same
	ahead      bool      // loads of its loops were sent a turn ahead
	judge      *ra.Judge // of its orders, nil if nobody asked
	code       *emit.Code
	stage      ori.Stage       // what Verify may ask of the function
	mem        *pool.Pool      // of the kernel
	m          *sema.Module    // what it is from; nil for routines
	routines   []*unit         // that it calls, compiled before it
	private    bool            // its callers know what it destroys: it keeps nothing
	callees    []*unit         // the private functions of its kernel, compiled before it
	locs       []build.Line    // the .loc directives of the body
	debug      *link.DebugFunc // with -g
	ptx        []ori.Reg       // with -g: the virtual register of each PTX register
	alive      map[*ori.Instr]link.Alive
	body       *sema.Body
	draft      *lower.Draft // until it is known where threads gather
	fits       isel.Fits    // which forms there are, nil until somebody asks
	fitsOf     *ori.Func    // the function it is about
	pass       *phase.Pass[*unit]
	gatherings []int32 // places of the text for which threads may gather from several places of the code
}

// Phases that others ask for by their names.
const (
	convergePhase = "Converge"          // after it is known where threads gather
	allocatePhase = "AllocateRegisters" // registers are physical
	expandPhase   = "ExpandCopies"      // and so are all instructions
	schedulePhase = "AssignScoreboards" // and have their times
)

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
	also map[string][]int32     // by function: where threads gather besides what its lowered code shows
}

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
	warps := int((uint64(p.Threads()) + 31) / 32)
	sized := warps > 0 && warps <= o.Arch.Warps // a block that no multiprocessor holds is ignored
	if sized {
		per := registersPerSM / (warps * 32 * int(max(1, p.MinNCTA)))
		n = min(n, max(24, per/registerUnit*registerUnit))
	}
	bound := int(p.MaxNReg)
	if o.MaxRegs > 0 && (o.Override || bound == 0 && !sized) { // a directive counts more
		bound = o.MaxRegs
	}
	if bound > 0 {
		n = min(n, bound)
	}
	return min(n, abi.MaxRegisters) - abi.HiddenRegisters
}

// registersPerSM and the granularity of their allocation hold for every
// architecture compiled for.
const (
	registersPerSM = 65536
	registerUnit   = 8
)

// runner is the phase runner with what its phases read besides the function.
type runner struct {
	*phase.Runner[*unit]
	knobs *knobs.Set
}
