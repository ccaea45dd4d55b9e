package pipeline

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"time"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/engine/par"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/engine/store"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// Follower is told how far the compilation of a module is. It is called from
// many goroutines at once, and nothing it does may change the result.
type Follower interface {
	// Begin comes before the first kernel. The output knows which there will
	// be and, but for an object, how much memory the module takes; size has
	// the length of the text of every function of the module.
	Begin(out *Output, size []int64)
	// Phase comes after each phase of a function.
	Phase(worker int, fn, phase string, opened time.Time, took time.Duration)
	// Done comes when kernel n of the output is compiled; k is nil where that
	// failed.
	Done(worker, n int, k *link.Kernel)
}

// Limits bounds the time and the memory of a compilation. It is asked from
// many goroutines at once.
type Limits interface {
	// Level is asked before a kernel whose text has the given size: how much
	// quality must be given up. It is not below the level asked for.
	Level(base Fast, size int64) Fast
	// Short is asked before every phase that code does not need: whether to
	// leave it out.
	Short() bool
}

// Fast says how much code quality is given up for compile time.
type Fast uint8

// The levels of fast compilation. The first keeps what shortens the code
// most and the order that needs few registers, the second leaves that order
// out, the third all but what spares later phases instructions.
const (
	FastOff Fast = iota
	FastMin
	FastMid
	FastMax
	NumFast // how many levels there are
)

// poll ends the phase at work where the work should stop.
func (o *Options) poll() {
	if err := o.ended(); err != nil {
		panic(&diag.Stopped{Err: err})
	}
}

// ended returns why the work should stop, if it should.
func (o *Options) ended() error {
	if o.Context == nil {
		return nil
	}
	return o.Context.Err()
}

// Options are the choices of the command line and the knobs.
type Options struct {
	Arch    *target.Arch
	Level   int // -O
	Fast    Fast
	MaxRegs int // --maxrregcount, 0 = none
	// Override lets MaxRegs count more than what directives say.
	Override bool
	NoFMA    bool
	// NoLiterals keeps constants out of the kernel's own bank
	// (--disable-optimizer-constants).
	NoLiterals bool
	Caches     build.Caches
	Guards     build.Guards
	// Extensible asks for an object that is a whole program but for functions
	// of the system (-ewp).
	Extensible bool
	Patch      bool       // --compile-as-tools-patch
	Errors     bool       // --make-errors-visible-at-exit
	Blocks     bool       // --blocks-are-clusters
	Rela       bool       // --force-rela
	Keep       bool       // --preserve-relocs
	Host       []byte     // --nv-host: contents of .nv.host
	NoLines    bool       // no line tables
	LineInfo   bool       // line tables though the text has no lines
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
	// Limits says how much quality to give up for lack of time or memory; nil:
	// none.
	Limits Limits
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

	worker  int
	scratch *pool.Scratch // of the worker
	priced  bool          // somebody compares kernels
	spared  bool          // a phase of the worker's kernel was left out
	known   *memory
}

// Cache keeps compiled kernels.
type Cache interface {
	Get(store.Key) ([]byte, bool)
	Put(store.Key, []byte)
}

// memory finds and keeps the kernels of one module. It is nil where none may
// be kept.
type memory struct {
	m     *sema.Module
	cache Cache
	base  [sha256.Size]byte // hash of all but the kernel
	names *link.KernelNames // nil: no kernel names another
	parts [][]extent        // by file: statements outside of kernels
	whole map[int32]extent  // by function: its statement, for kernels
}

// extent is the place of a statement.
type extent struct{ from, to src.Pos }

// Resume is a function to go on with.
type Resume struct {
	Func string // its name
	// Read makes it, anew for every kernel that has it.
	Read func() (*ori.Func, error)
	Step int    // phases that it has behind it
	At   string // where to go on; "": at the next
}

// Search says how long and from where to look for faster code.
type Search struct {
	Limit      time.Duration // for all kernels together; 0: Candidates alone decides
	Candidates int           // of each kernel; 0: as many as there is time for
	Seed       uint64
	Tell       func(*Found) // called after every candidate, from any worker; may be nil
}

// Found is how far the search for a kernel's code is.
type Found struct {
	Kernel  string
	Tried   int     // candidates, without the usual code
	Refused int     // of these, that no code came of or that a checker refused
	Usual   float64 // what the usual code costs
	Best    float64 // what the best costs
	How     string  // settings of the best, as Sampler.Next spells them
	Done    bool
}

// key names a search in the cache of kernels.
func (s *Search) key() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("search %d %d %d", s.Limit, s.Candidates, s.Seed)
}

func (s *Search) tell(f Found) {
	if s.Tell != nil {
		s.Tell(&f)
	}
}

// Watcher sees functions on their way through the phases: as they were
// lowered, with the empty name, and after every phase. It may be called from
// many goroutines at once, and must not change or keep the function.
type Watcher interface {
	Phase(kernel, name string, f *ori.Func)
}
