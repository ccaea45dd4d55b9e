package build

import (
	"github.com/goptxas/goptxas/internal/ori"
)

// Guards are checks that the command line asks for.
type Guards struct {
	Stack  bool // --sp-bounds-check: who takes stack compares the pointer with the end of local memory
	Canary bool // --device-stack-protector: a word behind variables must be what it was
	Steer  bool // --sanitize=threadsteer: threads sleep before others see what they do
}

// Caches are the cache operators that the command line wants for global and
// generic accesses; an empty name leaves them as they are.
type Caches struct {
	Load, Store           string
	ForceLoad, ForceStore bool // also where the text names another
}

// Layout is where the module's variables lie, as code must know them.
type Layout struct {
	Shared      map[string]int64 // offset of each shared variable of the module
	SharedBytes int64            // what they take together
	Fixed       bool             // they lie there in every kernel, because initial values say so
	Dynamic     map[string]int64 // alignment of each array of dynamic shared memory
	Const       map[string]int64 // offset of each variable in constant bank 3
	ConstBytes  int64            // what they take together, whole words
	Local       map[string]int64 // distance of each local variable of the module below the top of the stack
	LocalBytes  int64            // what they take together
	Object      bool             // only the linker knows where anything lies
	Closed      bool             // but it has all functions that have a body
	Patch       bool             // functions for instrumentation tools: uniform registers are the kernel's that they are put into
	Direct      bool             // addresses of global variables stand in the code, relocated: bank 4 has no room for them
	Keep        bool             // code names variables though they have their places: the file says where it does
	Framed      bool             // functions with variables in local memory are called: each has its frame
	NoInline    bool             // functions are called, never put in place of a call: a debugger steps into them
	Sorted      bool             // shared variables lie by alignment and size, as the reference's where it calls functions
	Refs        []Ref            // there, the references of the module, which every kernel has that comes to one
	RefParams   int64            // behind so many bytes of parameters at least
}

// Options are the wishes of the command line that lowering knows about.
type Options struct {
	NoFMA bool // --fmad=false
	// Routines says how many registers a slow path may take that is a routine;
	// nil: there are no such.
	Routines func(f *ori.Func) int
	Linked   bool // .sync instructions are functions that all objects share
	Plan     *Plan
	Errors   bool   // late faults of memory show at exit
	Debug    bool   // for debuggers, memory is waited for there too
	Caches   Caches // -dlcm and its kin
	Guards   Guards
}

// Line is a .loc directive of a body that a function was lowered from.
type Line struct {
	File, Line uint32
	// Func names the label in .debug_str behind which, Off bytes on, the name
	// of the function stands that the source compiler inlined here; Of is the
	// directive of its call, -1 if there is none.
	Func string
	Off  uint64
	Of   int32
}
