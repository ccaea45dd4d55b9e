// Package pipeline is the one place that knows in which order a function
// passes through the compiler.
package pipeline

import (
	"fmt"
	"io"
	"time"

	"goptxas/internal/codegen/emit"
	"goptxas/internal/codegen/ra"
	"goptxas/internal/engine/knobs"
	"goptxas/internal/engine/phase"
	"goptxas/internal/lower"
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
	"goptxas/internal/ptx/sema"
	"goptxas/internal/target"
)

// Options are the choices of the command line and the knobs.
type Options struct {
	Arch    *target.Arch
	Level   int // -O
	MaxRegs int // --maxrregcount, 0 = none
	NoFMA   bool
	Knobs   *knobs.Set // nil: all defaults
	Phases  []string   // --phase options
	Trace   io.Writer  // receives what phases and the register allocator tell
	// Create opens a file for a dump of a function after a phase; nil drops
	// dumps.
	Create func(fn string, seq int, phase, kind string) (io.WriteCloser, error)
	Layout *lower.Layout
	Slot   func(name string) (int64, bool)
}

// Kernel is a compiled function.
type Kernel struct {
	Code   *emit.Code
	Props  ori.Props
	Spills ra.Result
	Frame  int32 // bytes of stack
	Time   time.Duration
}

// stackReg is the register that holds the stack pointer.
const stackReg = 1

// minRegisters is the smallest register count the reference reports.
const minRegisters = 8

// hiddenRegisters are those the machine itself takes above the highest one
// that code names: a kernel that declares fewer faults (seen on sm_90).
const hiddenRegisters = 2

// Function compiles one checked body.
func Function(m *sema.Module, body *sema.Body, o Options) (*Kernel, error) {
	r, err := newRunner(&o)
	if err != nil {
		return nil, err
	}
	return compileBody(m, body, &o, r, nil)
}

// compileBody lowers a body and runs the phases over it.
func compileBody(m *sema.Module, body *sema.Body, o *Options, r *runner, at *phase.Progress) (*Kernel, error) {
	f, err := lower.Func(&ori.Module{}, m, body, o.Arch, o.Layout, lower.Options{NoFMA: o.NoFMA, Body: bodies(m)})
	if err != nil {
		return nil, err
	}
	u := &unit{f: f, o: o, knobs: r.knobs}
	if err := r.Run(u, at); err != nil {
		return nil, err
	}
	if u.code == nil {
		return nil, fmt.Errorf("%s: no code was made", f.Name)
	}
	k := &Kernel{Code: u.code, Props: f.Props, Spills: u.spills, Frame: f.Props.LocalBytes + f.Props.SpillBytes}
	k.Props.Registers = max(k.Props.Registers+hiddenRegisters, minRegisters)
	return k, nil
}

// bodies returns a function that checks the bodies of called functions,
// each once.
func bodies(m *sema.Module) func(int32) *sema.Body {
	known := map[int32]*sema.Body{}
	return func(fn int32) *sema.Body {
		b := known[fn]
		if b == nil {
			b = m.BodyAgain(fn, new(sema.Scratch))
			known[fn] = b
		}
		return b
	}
}

// frameAlign is what the size of a stack frame is rounded up to.
const frameAlign = 8

// prologue sets the stack pointer when the function has a frame, which is
// known only after spilling.
func prologue(f *ori.Func, a *target.Arch) {
	size := (int64(f.Props.LocalBytes+f.Props.SpillBytes) + frameAlign - 1) / frameAlign * frameAlign
	if size == 0 || !f.Kernel {
		return
	}
	f.Props.SpillBytes = int32(size) - f.Props.LocalBytes
	sp := f.NewReg(ori.R, 1)
	f.Regs[sp].Phys, f.Regs[sp].Fixed = stackReg, true
	w := f.Words(sp)
	b := f.Blocks[0]
	b.Prepend(f.NewInstr(op.IADD3, op.Mods{}, []ori.Operand{w}, []ori.Operand{w, ori.Imm(-size), ori.Zero(ori.R)}))
	b.Prepend(f.NewInstr(op.LDC, op.Mods{}, []ori.Operand{w}, []ori.Operand{ori.Const(0, a.Bank0().Stack)}))
	f.Props.Registers = max(f.Props.Registers, stackReg+1)
}

// registersPerSM and the granularity of their allocation hold for every
// architecture compiled for.
const (
	registersPerSM = 65536
	registerUnit   = 8
	maxRegisters   = 255
)

// budget is how many registers a thread may use.
func budget(f *ori.Func, o *Options) int {
	p := &f.Props
	n := maxRegisters
	threads := int32(1)
	size := p.ReqNTid
	if size[0] == 0 {
		size = p.MaxNTid
	}
	for _, d := range size {
		threads *= max(1, d)
	}
	if size[0] != 0 {
		warps := (threads + 31) / 32
		per := registersPerSM / (int(warps) * 32 * int(max(1, p.MinNCTA)))
		n = min(n, max(24, per/registerUnit*registerUnit))
	}
	if p.MaxNReg > 0 {
		n = min(n, int(p.MaxNReg))
	}
	if o.MaxRegs > 0 {
		n = min(n, o.MaxRegs)
	}
	return min(n, maxRegisters) - hiddenRegisters
}
