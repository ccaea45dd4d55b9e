package build

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Plan says what a kernel and the functions it calls share: where their
// shared variables lie, which functions cannot stand in place of a call and
// must be compiled by themselves, and what the kernel's own bank of
// constants holds.
type Plan struct {
	Functions []int32  // compiled by themselves, in order of need
	Placed    []int32  // stand in place of calls, in order
	Systems   []string // routines of the driver that are called, kernels whose address is used
	Pointers  bool     // some call goes through a pointer
	Indirect  []string // prototypes of calls through pointers, in an object
	Bank2     int64    // bytes of constant bank 2
	Literals  []uint64 // pairs of words in it, behind what lowering put there
	Refs      []Ref    // textures, samplers and surfaces named, a word each behind the parameters

	Shared map[string]int64 // offset of each shared variable of the module that is named

	Module   *sema.Module
	Kernel   int32
	Named    map[int32]bool // variables of the module
	Own      []OwnShared
	Body     func(int32) *sema.Body
	SharedOf map[int32][]int64   // offset of each shared variable, by function
	Locals   map[int32][]int64   // offset in the frame of each local variable, by function
	Regs     map[int32][]ori.Reg // virtual register of each PTX register, by function
	Bytes    int64
	Outgoing int64          // bytes of stack that calls pass
	Cyclic   map[int32]bool // functions that reach themselves
	Taken    []int32        // functions whose address is used, in order
	Moves    bool           // some body moves the stack pointer
	Movers   []int32        // whose body does
	Object   bool           // nothing is known of where things lie
	Budget   int            // instructions that may still be put in place of calls
	Sites    map[int32]int  // calls of each function in the text of the others
	Outlined map[int32]bool // functions that are too long for all places that call them
	Active   []int32        // functions being visited
}

// Places returns where the variables of a function's body lie that has been
// lowered: the offsets in its frame of local ones, in shared memory of shared
// ones.
func (p *Plan) Places(fn int32) (locals, shared []int64) { return p.Locals[fn], p.SharedOf[fn] }

// Registers returns the virtual register of each PTX register of a function
// that has been lowered.
func (p *Plan) Registers(fn int32) []ori.Reg { return p.Regs[fn] }

// Literal returns where two words lie in constant bank 2, behind all that
// lowering puts there.
func (p *Plan) Literal(v uint64) int64 {
	const size = 8
	n := slices.Index(p.Literals, v)
	if n < 0 {
		if len(p.Literals) == 0 {
			p.Bank2 = (p.Bank2 + size - 1) &^ (size - 1)
		}
		n = len(p.Literals)
		p.Literals = append(p.Literals, v)
		p.Bank2 += size
	}
	return p.Bank2 - size*int64(len(p.Literals)-n)
}

// A kernel has only the shared variables that it, or a function it reaches,
// names: a block must not pay for those of other kernels. Bodies come in the
// order of visits, each with its own variables and then with those of the
// module that no body before it names, in the module's order: the reference's
// way.

// OwnShared is a shared variable of a body or, with a name and no place of its
// own, one of the module that the body names.
type OwnShared struct {
	At          *int64
	Name        string
	Align, Size int64
	Shown       int32 // the function that declares it, plus one, if others may call it; -1 for a kernel that nobody sees
}

// Ref is a word of bank 0 that the driver fills: the number of a texture,
// sampler or surface and, before sm_90, that of the sampler beside a texture.
type Ref struct{ Name, Sampler string }
