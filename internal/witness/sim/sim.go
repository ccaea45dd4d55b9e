// Package sim is the meaning of SASS: it runs the kernels of a cubin, ours or
// the reference's, without a GPU. The table of meanings (meaning) names one
// function for each operation; the functions stand in packages by family (arith,
// memory, control, warp, async, mma, tcgen05, tex) on one machine (machine),
// which reads words through code, places the file through image, keeps clocks
// in timing and asks order what the rules allow.
//
// An instruction without a meaning, an access outside memory, a misaligned
// one, a deadlock: each ends the launch with a Fault that names the
// instruction, the thread and the reason. docs/simulator.md is the guide.
package sim

import (
	"github.com/goptxas/goptxas/internal/witness/sim/async"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
	"github.com/goptxas/goptxas/internal/witness/sim/meaning"
	"github.com/goptxas/goptxas/internal/witness/sim/order"
	"github.com/goptxas/goptxas/internal/witness/sim/timing"
)

// What a caller needs of the machine.
type (
	// Module is a cubin made ready to run.
	Module = machine.Module
	// Program is a kernel of a module.
	Program = machine.Program
	// Launch is what one run needs.
	Launch = machine.Launch
	// Case is a launch description made ready: memory, buffers, parameters.
	Case = machine.Case
	// Memory is global memory.
	Memory = machine.Memory
	// Stats counts what a launch did.
	Stats = machine.Stats
	// Class groups operations for counting.
	Class = machine.Class
	// Fault is something the program did wrong.
	Fault = machine.Fault
	// Event is an instruction about to run, as a Hook sees it.
	Event = machine.Event
	// Touch is one access to shared or global memory.
	Touch = machine.Touch
	// Async is the timing of asynchronous work.
	Async = machine.Async
	// Race is a pair of places that no rule orders.
	Race = order.Race
	// Early is a result that was read, or overwritten, before it arrived.
	Early = timing.Early
)

// Timings of asynchronous work, and how many classes there are.
const (
	AtOnce     = machine.AtOnce
	AsEarly    = machine.AsEarly
	AsLate     = machine.AsLate
	BySeed     = machine.BySeed
	NumClasses = machine.NumClasses
)

// Load reads a cubin.
func Load(b []byte) (*Module, error) { return machine.Load(b, meaning.Of, async.Routine) }

// ParseAsync reads early, late or seed:N.
func ParseAsync(s string) (Async, error) { return machine.ParseAsync(s) }
