// Package sim runs the kernels of a cubin without a GPU. It states what every
// instruction does; an access outside memory, a deadlock or an instruction
// without a meaning ends a launch with an error that names the instruction,
// the thread and the reason.
package sim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/goptxas/goptxas/internal/witness/sim"
)

// Module is a cubin made ready to run.
type Module struct {
	m *sim.Module
}

// Load reads a cubin.
func Load(cubin []byte) (*Module, error) {
	m, err := sim.Load(cubin)
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	return &Module{m}, nil
}

// Kernels returns the names of the kernels.
func (m *Module) Kernels() (names []string) {
	for _, f := range m.m.Kernels() {
		names = append(names, f.Name)
	}
	return names
}

// Launch is one start of a kernel.
type Launch struct {
	Kernel      string // "" takes the only one
	Grid, Block [3]int // zeros count as 1
	Shared      int    // bytes of shared memory beside what the kernel declares
	// Args are the arguments in order: a []byte is a buffer in global memory,
	// which the kernel gets the address of and may change; numbers of a fixed
	// size are passed as they are.
	Args []any
	// MaxSteps ends a launch with an error after so many instructions of
	// warps; 0: none does.
	MaxSteps uint64
	// Timed makes results come as late as the machine may deliver them, and
	// counts cycles.
	Timed bool
}

// Stats counts what a launch did.
type Stats struct {
	WarpInstructions   uint64
	ThreadInstructions uint64
	Divergent          uint64            // branches that parted the threads of a warp
	BankConflicts      uint64            // passes over shared memory beyond the first
	Cycles             uint64            // of the longest warp; Timed only
	ByKind             map[string]uint64 // instructions of warps
}

// Run runs a launch. Buffers among the arguments are changed in place. The
// error is ctx.Err() when the context ended first.
func (m *Module) Run(ctx context.Context, l Launch) (*Stats, error) {
	p, err := m.m.Kernel(l.Kernel)
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	params := p.Function().Params
	if len(l.Args) != len(params) {
		return nil, fmt.Errorf("sim: %s takes %d arguments, the launch has %d", p.Function().Name, len(params), len(l.Args))
	}
	x := &sim.Launch{Grid: size(l.Grid), Block: size(l.Block), Smem: uint32(l.Shared), Memory: m.m.Memory(), MaxSteps: l.MaxSteps, Timed: l.Timed}
	for n, a := range l.Args {
		b, err := argument(x.Memory, a)
		if err != nil || len(b) > int(params[n].Size) {
			return nil, errors.Join(fmt.Errorf("sim: argument %d (%T) does not fit a parameter of %d bytes", n, a, params[n].Size), err)
		}
		end := int(params[n].Offset) + int(params[n].Size)
		if end > len(x.Params) {
			x.Params = append(x.Params, make([]byte, end-len(x.Params))...)
		}
		copy(x.Params[params[n].Offset:end], b)
	}
	if ctx.Done() != nil {
		x.Hook = func(*sim.Event) error { return ctx.Err() }
	}
	st, err := p.Run(x)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("sim: %w", err)
	}
	return counts(st), nil
}

// argument returns the bytes of an argument.
func argument(mem *sim.Memory, a any) ([]byte, error) {
	if buf, ok := a.([]byte); ok {
		return binary.LittleEndian.AppendUint64(nil, mem.Alloc(buf)), nil
	}
	return binary.Append(nil, binary.LittleEndian, a)
}

func size(d [3]int) (s [3]uint32) {
	for n := range d {
		s[n] = uint32(max(1, d[n]))
	}
	return s
}

func counts(st *sim.Stats) *Stats {
	s := &Stats{Divergent: st.Divergent, BankConflicts: st.Conflicts, Cycles: st.Cycles, ByKind: map[string]uint64{}}
	s.WarpInstructions, s.ThreadInstructions = st.Total()
	for k, n := range st.Warps {
		if n > 0 {
			s.ByKind[sim.Class(k).String()] = n
		}
	}
	return s
}
