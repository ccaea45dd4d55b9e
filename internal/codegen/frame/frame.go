// Package frame makes stack frames, which are known only after spilling, and
// follows the registers that a block's warps trade (setmaxnreg).
package frame

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// frameAlign is what every stack pointer is a multiple of, and so the size of
// a frame. Kernels start with VectorAlign; functions that need it round their
// own stack pointer down.
const (
	frameAlign  = 8
	VectorAlign = 16
)

// Framer adds the code that makes and removes a stack frame, which is known
// only after spilling.
type Framer struct {
	f         *ori.Func
	sp, frame ori.Operand
	size      int64
	saved     []int // registers a function must restore
	barriers  []int // convergence barriers likewise
	saveAt    int64 // where they lie
	caller    bool  // the caller's stack pointer is wanted in its register
	to        int64 // what the stack pointer is rounded down to, 0: it stays
	realign   bool  // the caller, which may have aligned its frame less than ours, wants its own back
	callerAt  int64 // where its stack pointer lies then
	checks    bool  // the pointer is compared with the end of local memory
	canary    bool  // a canary lies behind variables and spills
	canaryAt  int64
}

// Options is what a frame depends on besides the function.
type Options struct {
	Arch      *target.Arch
	Variables int64 // bytes of the module's variables in local memory
	Stack     bool  // --sp-bounds-check
	Canary    bool  // --device-stack-protector
	Private   bool  // callers know what the function destroys
}

// New looks at a function while it still says which registers hold
// something where it begins.
func New(f *ori.Func) *Framer {
	p := &Framer{f: f}
	for i := range f.Blocks[0].Instrs {
		if i.Op != op.UNDEF {
			continue
		}
		for _, a := range i.Dsts() {
			r := &f.Regs[a.Reg]
			p.caller = p.caller || !f.Kernel && a.Class == ori.R && r.Fixed && r.Phys == abi.CallerReg
		}
	}
	return p
}

// Prologue sets the stack pointer when the function has a frame. Variables of
// the module in local memory take the upper end of a kernel's.
func (p *Framer) Prologue(o *Options) error {
	f, a := p.f, o.Arch
	p.saveAt = int64(f.Props.LocalBytes + f.Props.SpillBytes)
	p.guards(o)
	align := p.align()
	if !f.Kernel && f.Routine == ori.NoRoutine && !o.Private {
		p.saved, p.barriers = saved(f)
	}
	end := p.saveAt + 4*int64(len(p.saved)+len(p.barriers))
	if err := p.expectations(); err != nil {
		return err
	}
	if p.realign {
		p.callerAt = end
		end += 4
	}
	if f.Kernel {
		end += o.Variables
	}
	p.size = (end + align - 1) / align * align
	f.Props.SpillBytes = int32(p.size) - f.Props.LocalBytes
	switch {
	case p.realign:
		f.Props.SpillBytes += int32(p.to) - frameAlign
	case p.to > 0:
		f.Props.SpillBytes += int32(p.to) - VectorAlign
	}
	if p.size == 0 && !f.Props.HasCalls && !f.Props.MovesStack && !p.caller {
		return nil
	}
	p.sp, p.frame = p.fixed(abi.StackReg), p.fixed(abi.StackReg)
	if f.Props.MovesStack {
		p.frame = p.fixed(abi.FrameReg)
	}
	p.enter(a)
	if !f.Kernel {
		p.leave(a)
	}
	f.Props.Registers = max(f.Props.Registers, int32(p.highest())+1)
	return nil
}

func (p *Framer) fixed(n int) ori.Operand {
	r := p.f.NewReg(ori.R, 1)
	p.f.Regs[r].Phys, p.f.Regs[r].Fixed = int16(n), true
	return p.f.Words(r)
}

func (p *Framer) highest() int {
	switch {
	case p.caller || p.realign:
		return abi.CallerReg
	case p.f.Props.MovesStack:
		return abi.FrameReg
	}
	return abi.StackReg
}

func (p *Framer) instr(o op.Op, m op.Mods, dst []ori.Operand, srcs ...ori.Operand) *ori.Instr {
	return p.f.NewInstr(o, m, dst, srcs)
}

// expectations finds out what the function needs of its stack pointer that
// its caller does not promise.
func (p *Framer) expectations() error {
	called := !p.f.Kernel
	if called && p.wide() {
		p.to = VectorAlign
	}
	if a := p.variables(); a > VectorAlign {
		p.to = a
	}
	p.realign = called && p.to > 0
	if p.realign && p.f.Routine != ori.NoRoutine { // has no register to keep its caller's in
		return fmt.Errorf("routine %s needs a frame aligned to %d bytes", p.f.Name, p.to)
	}
	return nil
}

// align is what the frame's size must be a multiple of.
func (p *Framer) align() int64 {
	if p.wide() {
		return max(VectorAlign, p.variables())
	}
	return frameAlign
}

// wide reports whether the function has locals, or accesses of them, that need
// more than frameAlign.
func (p *Framer) wide() bool {
	if p.variables() > frameAlign {
		return true
	}
	for _, b := range p.f.Blocks {
		for i := range b.Instrs {
			if i.Op.Space() == op.SpaceLocal && i.Mods.Has(op.M128) {
				return true
			}
		}
	}
	return false
}

// variables is what local variables ask of their addresses, if more than
// frameAlign.
func (p *Framer) variables() int64 {
	if p.f.Props.LocalBytes == 0 {
		return 0
	}
	return int64(p.f.Props.LocalAlign)
}

// Saved is how many words the prologue stores for the caller, which wants
// them back. Its stack pointer counts where calls follow, as the reference's.
func (p *Framer) Saved() int {
	n := len(p.saved) + len(p.barriers)
	if p.realign && p.f.Props.HasCalls {
		n++
	}
	return n
}

// enter makes the frame at the start of the function.
func (p *Framer) enter(a *target.Arch) {
	var list []*ori.Instr
	sp := []ori.Operand{p.sp}
	if p.f.Kernel {
		list = append(list, p.instr(op.LDC, op.Mods{}, sp, ori.Const(0, a.Bank0().Stack)))
	}
	old := p.fixed(abi.CallerReg)
	if p.caller || p.realign {
		list = append(list, p.instr(op.MOV, op.Mods{}, []ori.Operand{old}, p.sp))
	}
	if p.size > 0 {
		list = append(list, p.instr(op.IADD3, op.Mods{}, sp, p.sp, ori.Imm(-p.size), ori.Zero(ori.R)))
	}
	if p.to > 0 {
		list = append(list, p.instr(op.LOP3, op.M(op.MLUT), sp, p.sp, ori.Imm(-p.to), ori.Zero(ori.R), ori.Imm(0xc0)))
	}
	if p.checks && p.size > 0 {
		list = append(list, p.checkStack()...)
	}
	if p.realign {
		list = append(list, p.instr(op.STL, op.Mods{}, nil, ori.Addr(p.sp, p.callerAt), old))
	}
	for k, n := range p.saved {
		list = append(list, p.instr(op.STL, op.Mods{}, nil, ori.Addr(p.sp, p.saveAt+4*int64(k)), p.fixed(n)))
	}
	for k, n := range p.barriers { // through a register that is free here
		list = append(list,
			p.instr(op.BMOV, op.M(op.M32, op.MCLEAR), []ori.Operand{p.fixed(scratchReg)}, p.barrier(n)),
			p.instr(op.STL, op.Mods{}, nil, p.barrierSlot(k), p.fixed(scratchReg)))
	}
	if p.canary {
		list = append(list, p.setCanary(a)...)
	}
	if p.f.Props.MovesStack {
		list = append(list, p.instr(op.MOV, op.Mods{}, []ori.Operand{p.frame}, p.sp))
	}
	b := p.f.Blocks[0]
	for k := len(list) - 1; k >= 0; k-- {
		b.Prepend(list[k])
	}
}

// leave removes the frame before every return.
func (p *Framer) leave(a *target.Arch) {
	for _, b := range p.f.Blocks {
		for i := range b.Instrs {
			if i.Op != op.RET {
				continue
			}
			add := func(x *ori.Instr) {
				x.Guard, x.Line, x.Loc = i.Guard, i.Line, i.Loc
				b.InsertBefore(x, i)
			}
			sp := []ori.Operand{p.sp}
			if p.f.Props.MovesStack {
				add(p.instr(op.MOV, op.Mods{}, sp, p.frame))
			}
			if p.canary {
				for _, x := range p.checkCanary(a) {
					b.InsertBefore(x, i)
				}
			}
			for k, n := range p.barriers {
				add(p.instr(op.LDL, op.Mods{}, []ori.Operand{p.fixed(scratchReg)}, p.barrierSlot(k)))
				add(p.instr(op.BMOV, op.M(op.M32), []ori.Operand{p.barrier(n)}, p.fixed(scratchReg)))
			}
			for k, n := range p.saved {
				add(p.instr(op.LDL, op.Mods{}, []ori.Operand{p.fixed(n)}, ori.Addr(p.sp, p.saveAt+4*int64(k))))
			}
			switch {
			case p.realign:
				old := p.fixed(abi.CallerReg)
				add(p.instr(op.LDL, op.Mods{}, []ori.Operand{old}, ori.Addr(p.sp, p.callerAt)))
				add(p.instr(op.MOV, op.Mods{}, sp, old))
			case p.size > 0:
				add(p.instr(op.IADD3, op.Mods{}, sp, p.sp, ori.Imm(p.size), ori.Zero(ori.R)))
			}
		}
	}
}

// scratchReg is a register that holds nothing where a function begins and
// ends.
const scratchReg = 0

func (p *Framer) barrier(n int) ori.Operand {
	r := p.f.NewReg(ori.B, 1)
	p.f.Regs[r].Phys, p.f.Regs[r].Fixed = int16(n), true
	return p.f.Words(r)
}

func (p *Framer) barrierSlot(k int) ori.Operand {
	return ori.Addr(p.sp, p.saveAt+4*int64(len(p.saved)+k))
}

// saved lists the registers and barriers f uses that its caller wants back.
func saved(f *ori.Func) (list, barriers []int) {
	var used, bars [256]bool
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			for _, a := range i.Dsts() {
				if a.Kind != ori.KReg {
					continue
				}
				at := int(f.Regs[a.Reg].Phys) + int(a.Sub)
				switch a.Class {
				case ori.R:
					for k := range int(a.N) {
						used[at+k] = true
					}
				case ori.B:
					bars[at] = true
				}
			}
		}
	}
	used[abi.FrameReg] = used[abi.FrameReg] || f.Props.MovesStack
	for n := range used {
		if used[n] && n != abi.StackReg && abi.Saved(n) {
			list = append(list, n)
		}
		if bars[n] && n >= abi.FreeBarriers {
			barriers = append(barriers, n)
		}
	}
	return list, barriers
}
