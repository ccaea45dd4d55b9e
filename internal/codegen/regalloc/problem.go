package regalloc

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/problem"
)

// What is allocated; see package problem.
type (
	Role    = problem.Role
	File    = problem.File
	VReg    = problem.VReg
	Operand = problem.Operand
	Kind    = problem.Kind
	Clobber = problem.Clobber
	Inst    = problem.Inst
	Block   = problem.Block
	Exclude = problem.Exclude
	Problem = problem.Problem
)

const (
	Use      = problem.Use
	UseLate  = problem.UseLate
	Def      = problem.Def
	DefEarly = problem.DefEarly
	DefMay   = problem.DefMay
	UseDef   = problem.UseDef
	Hold     = problem.Hold

	Normal = problem.Normal
	Move   = problem.Move
	Spill  = problem.Spill
	Reload = problem.Reload
	Remat  = problem.Remat

	Memory = problem.Memory
)

// Solution is an allocated function. Problem is the caller's with spill
// code added; instruction n of it stands for the caller's Insts[n].Orig.
type Solution struct {
	Problem *Problem
	Phys    []int16 // first register of each VReg of Problem, -1 if it is never live
	Used    []int   // registers used in each file: highest + 1
	Slots   int     // words of private memory used by spills
	Spills  int     // Spill instructions added
	Splits  int     // virtual registers that are in memory in some blocks only
	Reloads int     // Reload and Remat instructions added
	Cut     bool    // Options.First kept other strategies from being tried
	Missed  int     // registers of the file with several steps that groups were moved for in vain, without spill code; 0: none
}

// Overflow tells why a file could not be allocated.
type Overflow struct {
	Class  int
	Budget int
	Inst   int // an instruction of the caller at the fattest point, or -1
	Need   int // words wanted there
}

func (o *Overflow) Error() string {
	return fmt.Sprintf("Register allocation failed with register count of '%d'. Compile the program with a higher register target", o.Budget)
}
