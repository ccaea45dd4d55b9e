// Package ptxvm is the executable meaning of PTX: it runs a checked module
// without compiling it. Every instruction is decoded once into a closure over
// columns of 32 lanes, by the function that table.go names for it. The
// functions stand in packages by family (arith, memory, control, warp, async,
// mma, tcgen05, tex), all on one machine (machine), which knows no family.
//
// Numbers go through internal/engine/fp, so results are exact. A program that
// does what PTX leaves undefined ends in a Fault that names the instruction,
// its line and the thread; so does an instruction that has no meaning here.
// docs/witnesses.md is the guide.
package ptxvm

import (
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/witness/front"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
)

// What a caller needs of the machine.
type (
	// Program is a checked module made ready to run.
	Program = machine.Program
	// Options say how to run and what to watch for.
	Options = machine.Options
	// Stats counts what a launch did.
	Stats = machine.Stats
	// Fault is something the program did wrong, or an instruction that has no
	// meaning here.
	Fault = machine.Fault
	// Access is one thread's access to global or shared memory.
	Access = machine.Access
	// Probe is told what a launch does with tensor maps.
	Probe = machine.Probe
	// TensorCopy is one copy of a box.
	TensorCopy = machine.TensorCopy
)

// Shared is the Buffer of accesses to shared memory; Block tells whose.
const Shared = machine.Shared

// Load parses and checks a text for a target and decodes every body. It
// fails if the text has errors or an instruction without a meaning.
func Load(name, text, arch string) (*Program, error) {
	x, err := front.Check(name, text, arch)
	if err != nil {
		return nil, err
	}
	return New(x.Module, x.Bodies)
}

// New makes a program of a checked module and its bodies, by function. The
// bodies must stay valid: each needs a Scratch of its own.
func New(m *sema.Module, bodies map[int32]*sema.Body) (*Program, error) {
	return machine.New(m, bodies, &meanings)
}
