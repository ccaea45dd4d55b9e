// Package op lists the operations of Ori and their modifiers. They are the
// machine's own, spelled as its assembler spells them, so that emitting is
// a matter of looking a form up; a few pseudo-operations exist beside them
// until code generation replaces them.
package op

import "github.com/goptxas/goptxas/internal/target"

// Op is an operation.
type Op uint16

// Count is the number of operations, None among them.
const Count = int(numOps)

// Props are facts about an operation that hold for all its forms.
type Props uint64

const (
	Reads        Props = 1 << iota // reads memory
	Writes                         // writes memory
	Effect                         // does something beyond its results and memory
	Terminator                     // ends its block
	Convergent                     // looks at other threads of the warp
	Commutes                       // the first two sources may change places
	Uniform                        // runs on the uniform datapath
	Pseudo                         // must be gone before emitting
	Floats                         // immediates are floats, or upper halves of doubles
	Single                         // computes with f32 numbers
	Double                         // computes with f64 numbers: an immediate is the high word of one whose low word is zero
	Pairs                          // computes with pairs of f32 numbers; a word alone stands for both of a pair
	Cached                         // operands may be kept for the next instruction
	Folds                          // sources may become constants
	Texture                        // names a texture or surface
	Described                      // names global memory by a descriptor where there is one
	Gathered                       // threads of the warp come together for it
	Group                          // belongs to a warp group
	Exchange                       // threads of a mask exchange values
	Plain                          // loads or stores the bytes at its address
	Ordered                        // keeps its place among all accesses to memory
	Atomic                         // returns what memory held
	Matrix                         // multiplies matrices
	Aligned                        // all threads of the warp come to it together
	TensorMap                      // follows a tensor map
	Truth                          // predicate sources may be constants
	Duplicable                     // a copy of it elsewhere in a loop does what it did
	Remat                          // without register sources, cheaper to make again than to keep
	Turns                          // the first two sources may change places if the comparison turns round
	Lut                            // commutes if its table is permuted
	ReadsSpecial                   // reads a special register
	Spaced                         // asynchronous copies and fences keep a distance to it (target.PaddedCopies)
	Derives                        // one result, made again from its operands at once
	Lanes                          // the uniform datapath does not have it, or not on all machines
	Commits                        // ends a group of asynchronous copies
	KeepsMatrix                    // a matrix may be kept for the next product
	Steered                        // other threads can tell by it how far this one is
	Own                            // each thread has results of its own, for all that is known
	Root                           // only the general datapath makes it, though all threads may share the result
	Updates                        // reads a word of memory, changes it and writes it at once
	Compares                       // compares two sources
	Holds                          // the warp goes on only when it is over
	BarsRead                       // the barrier it can set tells that its sources were read
	ReadsPreds                     // reads all predicates without naming them
	WritesPreds                    // writes all predicates without naming them
)

// Space is a set of memories.
type Space uint8

// The memories.
const (
	SpaceGlobal Space = 1 << iota
	SpaceShared
	SpaceLocal
	SpaceTensor
	SpaceConstant
	SpaceGeneric = SpaceGlobal | SpaceShared | SpaceLocal // what a generic address can name
)

// Proxy is a way by which an operation reaches memory. What goes one way is
// seen by what goes another only behind a fence.
type Proxy uint8

// The ways.
const (
	ProxyNone     Proxy = iota // touches no memory
	ProxyGeneric               // loads, stores and atomics of threads
	ProxyAsync                 // the engines that copy and multiply by themselves
	ProxyBarrier               // the unit of mbarriers
	ProxyTexture               // textures and surfaces
	ProxyConstant              // constant banks
)

// Work is what goes on behind an instruction without a register that would
// tell: only the barrier the instruction sets does.
type Work uint8

// Sorts of work, and who needs it to be over.
const (
	// Loaded are results of loads: before the cache forgets the rest they
	// must be there.
	Loaded Work = 1 << iota
	// Stored are writes that do not pass through the queue of ordinary
	// stores: mbarriers made and ended, tensor maps copied to global memory.
	// Whoever tells others of them waits.
	Stored
	// Fetched are uniform registers that an asynchronous operation reads
	// when its turn comes: a warp that exits gives them away.
	Fetched
	// Copied are results of loads from tensor memory: until they are there
	// what was loaded must not be overwritten.
	Copied
	NumWorks = 4
)

type row struct {
	name        string
	props       Props
	class       target.Class
	refine      uint8 // modifiers that bring another class
	nrefine     uint8
	work        uint8 // what it leaves behind and awaits
	nwork       uint8
	space       Space
	proxy       Proxy
	counterpart Op
}

// workRow is what an operation leaves behind, what must be over before it and
// how long the next one waits, with a modifier or always. Each pair of a row that leaves something and a row
// that awaits it was looked at in the reference's code for sm_90 and later.
type workRow struct {
	mod            Mod
	leaves, awaits Work
	stall          uint8 // the least behind it, 0 if its class says
}

// refine is the class that a modifier brings.
type refine struct {
	mod   Mod
	class target.Class
}

// String returns the mnemonic.
func (o Op) String() string {
	if o < numOps {
		return ops[o].name
	}
	return "?"
}

// Has reports whether o has any of the properties.
func (o Op) Has(p Props) bool { return ops[o].props&p != 0 }

// IsDouble reports whether o computes with f64 numbers. An immediate among
// its sources is the high word of a number whose low word is zero.
func (o Op) IsDouble() bool { return o.Has(Double) }

// Space returns the memories that o can touch.
func (o Op) Space() Space { return ops[o].space }

// Proxy returns the way by which o reaches memory.
func (o Op) Proxy() Proxy { return ops[o].proxy }

// LoadsConstant reports whether o reads a constant bank: nobody writes there
// while a kernel runs.
func (o Op) LoadsConstant() bool { return ops[o].proxy == ProxyConstant }

// Counterpart returns the operation of the uniform datapath that computes what o
// does, or None.
func (o Op) Counterpart() Op { return ops[o].counterpart }

// Pipe returns the unit that executes o.
func (o Op) Pipe() target.Pipe { return ops[o].class.Pipe() }

// Work returns what o with modifiers leaves behind and what must be over
// before it.
func (o Op) Work(m *Mods) (leaves, awaits Work) {
	r := &ops[o]
	for _, w := range works[r.work : r.work+r.nwork] {
		if w.mod == NoMod || m.Has(w.mod) {
			leaves |= w.leaves
			awaits |= w.awaits
		}
	}
	return leaves, awaits
}

// LeastStall is the least stall behind o with modifiers, 0 if its latency
// class says.
func (o Op) LeastStall(m *Mods) int {
	r := &ops[o]
	least := 0
	for _, w := range works[r.work : r.work+r.nwork] {
		if w.mod == NoMod || m.Has(w.mod) {
			least = max(least, int(w.stall))
		}
	}
	return least
}

// Class returns the latency class of o without modifiers.
func (o Op) Class() target.Class { return ops[o].class }

// ClassOf returns the latency class of o with modifiers.
func (o Op) ClassOf(m *Mods) target.Class {
	r := &ops[o]
	if r.nrefine == 0 || m[0] == NoMod {
		return r.class
	}
	for _, x := range refines[r.refine : r.refine+r.nrefine] {
		if m.Has(x.mod) {
			return x.class
		}
	}
	return r.class
}

// Find returns the operation with a mnemonic, or None.
func Find(name string) Op {
	for o := range numOps {
		if ops[o].name == name && o != None {
			return o
		}
	}
	return None
}

// Mod is one modifier of an operation, without its dot.
type Mod uint16

// String returns the modifier's text without a dot.
func (m Mod) String() string {
	if m < numMods {
		return modNames[m]
	}
	return "?"
}

// FindMod returns the modifier with a text, or NoMod.
func FindMod(name string) Mod {
	lo, hi := Mod(1), numMods
	for lo < hi {
		mid := (lo + hi) / 2
		if modNames[mid] < name {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < numMods && modNames[lo] == name {
		return lo
	}
	return NoMod
}

// Mods are the modifiers of an instruction in the order of the assembler's
// text; unused places at the end are NoMod.
type Mods [8]Mod

// M builds a Mods.
func M(list ...Mod) Mods {
	var m Mods
	copy(m[:], list)
	return m
}

// Has reports whether x is among the modifiers.
func (m Mods) Has(x Mod) bool {
	for _, y := range m {
		if y == x {
			return true
		}
	}
	return false
}

// Without returns the modifiers with x taken out.
func (m Mods) Without(x Mod) Mods {
	var out Mods
	n := 0
	for _, y := range m {
		if y != x && y != NoMod {
			out[n] = y
			n++
		}
	}
	return out
}

// With returns the modifiers with x at the end.
func (m Mods) With(x Mod) Mods {
	for n, y := range m {
		if y == NoMod {
			m[n] = x
			return m
		}
	}
	return m
}

// Append appends the modifiers' text, each after a dot.
func (m Mods) Append(dst []byte) []byte {
	for _, x := range m {
		if x == NoMod {
			break
		}
		dst = append(append(dst, '.'), modNames[x]...)
	}
	return dst
}

// Known reports whether o is an operation.
func (o Op) Known() bool { return o > None && o < numOps }

// Known reports whether all of m are modifiers.
func (m Mods) Known() bool {
	for _, x := range m {
		if x >= numMods {
			return false
		}
	}
	return true
}
