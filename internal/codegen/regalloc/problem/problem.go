// Package problem is a function as an allocator of registers sees it: files of
// registers, blocks, instructions and operands, all of them plain numbers.
package problem

import (
	"fmt"
	"slices"
)

// Role says what an instruction does with an operand.
type Role uint8

const (
	Use      Role = iota // read when the instruction starts
	UseLate              // read until the results are written: shares no register with a Def
	Def                  // written whole, after all Uses are read
	DefEarly             // written before the Uses are read: shares no register with one
	DefMay               // written only if a guard holds: the old words survive otherwise
	UseDef               // read, then written in place; a Use of the same words is that place
	Hold                 // not read, but must survive the instruction; nothing to do where it is spilled
)

var roleNames = [...]string{"use", "uselate", "def", "defearly", "defmay", "usedef", "hold"}

func (r Role) String() string { return roleNames[r] }

// Reads reports whether the old words of the operand matter.
func (r Role) Reads() bool { return r <= UseLate || r >= DefMay }

// Writes reports whether the operand holds new words afterwards.
func (r Role) Writes() bool { return r >= Def && r != Hold }

// Memory as a File's SpillTo names the function's private memory.
const Memory = -1

// File is one register file.
type File struct {
	Name    string
	Size    int     // registers that exist
	Budget  int     // registers that may be used, at most Size
	SpillTo int     // file that takes its spills, or Memory
	Held    bool    // some words must survive where no path leads from them to a read: see Hold
	Banks   int     // operands of one instruction prefer different banks; 0 or 1 = no matter
	Taken   []int   // registers never assigned, except to a Fixed VReg
	Spare   []int   // registers that are taken as soon as something goes to memory
	Limits  []int16 // of each block, how many registers there are in it; nil: Budget everywhere
	Steps   []int   // rising counts; up to the next of them a further register costs nothing
	Free    bool    // how many registers are used is no matter
	Rotate  bool    // registers are given out in turn: what has just been read is not overwritten at once
}

// VReg is a virtual register: Width consecutive words in one file.
type VReg struct {
	Class uint8 // index into Problem.Files
	Width uint8
	Align uint8 // first register is a multiple of this; 0 or 1 = any
	Fixed int16 // first register, or -1
	Lo    int16 // first register is at least Lo
	Hi    int16 // last register is below Hi; 0 = the file's budget
	Remat int32 // instruction that can be repeated to make the value anywhere, or -1; see Derived
	Keep  bool  // never spilled
	Of    int32 // for registers made by spilling: the virtual register they stand for, else -1

	// Derived is set by Solve: Remat reads registers, and can be repeated only
	// where these still hold what it read.
	Derived bool
}

// Operand is N words of a virtual register, from word Sub on.
type Operand struct {
	V    int32
	Sub  uint8
	N    uint8
	Role Role
}

// Kind tells the caller's instructions from those that spilling adds.
type Kind uint8

const (
	Normal Kind = iota // one of the caller's
	Move               // the caller's: operand 0 becomes a copy of operand 1
	Spill              // operand 0 to memory slot, or operand 1 to operand 0 of another file
	Reload             // memory slot to operand 0, or operand 1 of another file to operand 0
	Remat              // repeat instruction Orig into operand 0; the others are what it reads
)

// Clobber is a run of registers an instruction destroys.
type Clobber struct {
	Class  uint8
	Lo, Hi int16 // [Lo, Hi)
}

// Inst is one instruction.
type Inst struct {
	Kind     Kind
	First, N int32 // operands in Problem.Ops
	Clobbers []Clobber
	Last     bool  // ends its block: nothing may be placed after it
	Constant bool  // reads nothing and gives the same whenever it is done
	Late     uint8 // files, as bits, whose registers it reads some time after it has started
	Queue    uint8 // for a late reader, the queue it stands in, as a bit; 0 = none
	Behind   uint8 // queues behind whose readers it may overwrite a register without waiting
	Orig     int32 // index in the caller's Problem; for Remat the repeated one; -1 for Spill and Reload
	Slot     int32 // first memory word of a Spill or Reload, -1 if none
}

// Block is a run of instructions with one entry and one exit.
type Block struct {
	First, N int32
	Succs    []int32
	Depth    uint8 // loop depth
	Closed   bool  // nothing may be placed behind its last instruction, nor before it at the end
	Loop     int32 // innermost loop around it, in Problem.Loops; 0 = none
}

// Exclude forbids a virtual register some physical registers.
type Exclude struct {
	V      int32
	Lo, Hi int16 // [Lo, Hi)
}

// Problem is a function as the allocator sees it. Block 0 is the entry.
type Problem struct {
	Files    []File
	VRegs    []VReg
	Blocks   []Block
	Insts    []Inst
	Ops      []Operand
	Excludes []Exclude
	Loops    []int32 // parent of each loop, an outer one with a smaller number; 0 = none. Loop 0 is none
}

// Operands returns the operands of instruction n.
func (p *Problem) Operands(n int) []Operand {
	i := &p.Insts[n]
	return p.Ops[i.First : i.First+i.N]
}

// Validate reports the first thing in p that breaks the contract.
func (p *Problem) Validate() error {
	for c := range p.Files {
		if f := &p.Files[c]; f.Budget > f.Size || f.SpillTo >= len(p.Files) || f.SpillTo == c {
			return fmt.Errorf("file %s: budget %d of %d, spills to %d", f.Name, f.Budget, f.Size, f.SpillTo)
		} else if f.Limits != nil && len(f.Limits) != len(p.Blocks) {
			return fmt.Errorf("file %s: registers of %d blocks, there are %d", f.Name, len(f.Limits), len(p.Blocks))
		}
	}
	for n := range p.VRegs {
		v := &p.VRegs[n]
		if int(v.Class) >= len(p.Files) || v.Width == 0 {
			return fmt.Errorf("v%d: class %d width %d", n, v.Class, v.Width)
		}
	}
	for n := range p.Insts {
		for k, o := range p.Operands(n) {
			if int(o.V) >= len(p.VRegs) || o.V < 0 || o.N == 0 || int(o.Sub)+int(o.N) > int(p.VRegs[o.V].Width) {
				return fmt.Errorf("instruction %d operand %d: words %d+%d of v%d", n, k, o.Sub, o.N, o.V)
			}
		}
		if i := &p.Insts[n]; i.Kind == Move {
			o := p.Operands(n)
			if len(o) < 2 || len(o) > 2 && o[2].Role != Hold || !o[0].Role.Writes() || o[1].Role != Use || o[0].N != o[1].N {
				return fmt.Errorf("instruction %d is not a copy", n)
			}
		}
	}
	next := int32(0)
	for n := range p.Blocks {
		b := &p.Blocks[n]
		if b.First != next || b.N < 0 {
			return fmt.Errorf("block %d starts at %d, want %d", n, b.First, next)
		}
		next += b.N
		if l := b.Loop; l < 0 || l != 0 && int(l) >= len(p.Loops) {
			return fmt.Errorf("block %d: loop %d", n, l)
		}
		for _, s := range b.Succs {
			if s < 0 || int(s) >= len(p.Blocks) {
				return fmt.Errorf("block %d: successor %d", n, s)
			}
		}
	}
	for l, outer := range p.Loops {
		if outer < 0 || l > 0 && int(outer) >= l {
			return fmt.Errorf("loop %d inside loop %d", l, outer)
		}
	}
	if int(next) != len(p.Insts) {
		return fmt.Errorf("blocks hold %d of %d instructions", next, len(p.Insts))
	}
	return nil
}

// Has reports whether some virtual register is of a class.
func (p *Problem) Has(class uint8) bool {
	return slices.ContainsFunc(p.VRegs, func(v VReg) bool { return v.Class == class })
}
