// Package pipeline is the one place that knows in which order a function
// passes through the compiler.
package pipeline

import (
	"fmt"
	"io"
	"time"

	"goptxas/internal/codegen/emit"
	"goptxas/internal/codegen/isel"
	"goptxas/internal/codegen/ra"
	"goptxas/internal/codegen/scoreboard"
	"goptxas/internal/lower"
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
	"goptxas/internal/ptx/sema"
	"goptxas/internal/target"
)

// Options are the choices of the command line and the knobs.
type Options struct {
	Arch     *target.Arch
	Level    int // -O
	MaxRegs  int // --maxrregcount, 0 = none
	NoFMA    bool
	Serial   bool      // every instruction waits for all before it
	Check    bool      // verify what each stage does
	Trace    io.Writer // receives the register allocator's lines
	Dump     func(f *ori.Func, phase string)
	Layout   *lower.Layout
	Slot     func(name string) (int64, bool)
	MinBlock int // threads per block assumed when the kernel does not say
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
	mod := &ori.Module{}
	f, err := lower.Func(mod, m, body, o.Arch, o.Layout, lower.Options{NoFMA: o.NoFMA})
	if err != nil {
		return nil, err
	}
	dump := func(phase string) {
		if o.Dump != nil {
			o.Dump(f, phase)
		}
	}
	dump("lower")
	isel.Converge(f, func(*ori.Block) bool { return true })
	dump("converge")
	fitter := emit.NewFitter(o.Arch)
	if err := isel.Legalize(f, o.Arch, func(i *ori.Instr) bool { return fitter.Fits(f, i) }); err != nil {
		return nil, err
	}
	dump("legalize")
	r, err := allocate(f, &o)
	if err != nil {
		return nil, err
	}
	ra.ExpandCopies(f)
	prologue(f, o.Arch)
	dump("regalloc")
	if err := schedule(f, &o); err != nil {
		return nil, err
	}
	dump("scoreboard")
	code, err := emit.Func(f, o.Arch, emit.Options{Slot: o.Slot})
	if err != nil {
		return nil, err
	}
	k := &Kernel{Code: code, Props: f.Props, Spills: *r, Frame: f.Props.LocalBytes + f.Props.SpillBytes}
	k.Props.Registers = max(k.Props.Registers+hiddenRegisters, minRegisters)
	return k, nil
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

// schedule decides when every instruction issues, and proves that nothing
// is read before it is there.
func schedule(f *ori.Func, o *Options) error {
	if o.Serial {
		scoreboard.Serial(f, o.Arch)
	} else {
		scoreboard.Assign(f, o.Arch)
	}
	return scoreboard.Check(f, o.Arch)
}

// allocate gives f registers within its budget.
func allocate(f *ori.Func, o *Options) (*ra.Result, error) {
	uniforms := 63
	if o.Arch.SM >= 100 {
		uniforms = 80
	}
	r, err := ra.Run(f, ra.Options{
		Registers: budget(f, o), Uniforms: uniforms, Barriers: 16, StackReg: stackReg,
		FrameBytes: f.Props.LocalBytes, Trace: o.Trace, Check: o.Check,
	})
	if err != nil {
		return nil, fmt.Errorf("(C7600) %w", err)
	}
	return r, nil
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
