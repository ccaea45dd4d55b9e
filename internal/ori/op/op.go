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
type Props uint32

const (
	Reads      Props = 1 << iota // reads memory
	Writes                       // writes memory
	Effect                       // does something beyond its results and memory
	Terminator                   // ends its block
	Convergent                   // looks at other threads of the warp
	Commutes                     // the first two sources may change places
	Uniform                      // runs on the uniform datapath
	Pseudo                       // must be gone before emitting
	Floats                       // immediates are floats, or upper halves of doubles
	Single                       // computes with f32 numbers
	Double                       // computes with f64 numbers: an immediate is the high word of one whose low word is zero
	Cached                       // operands may be kept for the next instruction
	Folds                        // sources may become constants
	Texture                      // names a texture or surface
	Global                       // accesses global memory, by a descriptor where there is one
	Gathered                     // threads of the warp come together for it
	Group                        // belongs to a warp group
	Exchange                     // threads of a mask exchange values
)

type row struct {
	name    string
	props   Props
	class   target.Class
	refine  uint8 // modifiers that bring another class
	nrefine uint8
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
