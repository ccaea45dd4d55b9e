package frame

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Guards of frames. Whoever takes stack may ask whether the stack ends there
// (--sp-bounds-check), and a function whose variables may be overrun may keep
// a canary behind them, a number the driver makes, and look at it before it
// returns (--device-stack-protector). What is wrong ends in a trap.
//
// They use what holds nothing where a function begins and ends: R0, P0, and
// at its end R3.

// endangered is from how many bytes of variables in memory on the reference
// takes a function for one at risk. Kernels never return.
const endangered = 16

// guardReg is the second free register where a function ends.
const guardReg = 3

// guards decides what the function gets, and makes room for the canary
// between its variables and what it saves.
func (p *Framer) guards(o *Options) {
	f := p.f
	p.checks = o.Stack && f.Routine == ori.NoRoutine
	p.canary = o.Canary && !f.Kernel && f.Routine == ori.NoRoutine && (f.Props.Variables >= endangered || f.Props.MovesStack)
	if p.canary {
		p.canaryAt = (p.saveAt + 7) &^ 7
		p.saveAt = p.canaryAt + 8
	}
}

// checkStack traps if the new frame begins below local memory.
func (p *Framer) checkStack() []*ori.Instr {
	end, below := p.fixed(scratchReg), p.predicate()
	trap := p.trap(below)
	return []*ori.Instr{
		p.instr(op.S2R, op.Mods{}, []ori.Operand{end}, ori.Special(op.SRLocalHighOffset)),
		p.instr(op.ISETP, op.M(op.MLT, op.MU32, op.MAND), []ori.Operand{below, ori.Zero(ori.P)}, p.sp, end, ori.Zero(ori.P)),
		trap,
	}
}

// setCanary puts the canary into its place.
func (p *Framer) setCanary(a *target.Arch) []*ori.Instr {
	var list []*ori.Instr
	for _, at := range []int64{0, 4} {
		r := p.fixed(scratchReg)
		list = append(list, p.loadCanary(a, r, at)...)
		list = append(list, p.instr(op.STL, op.Mods{}, nil, ori.Addr(p.sp, p.canaryAt+at), r))
	}
	return list
}

// checkCanary traps if it is another one by now.
func (p *Framer) checkCanary(a *target.Arch) []*ori.Instr {
	var list []*ori.Instr
	is, want, differs := p.fixed(scratchReg), p.fixed(guardReg), p.predicate()
	for _, at := range []int64{0, 4} {
		m, before := op.M(op.MNE, op.MU32, op.MAND), ori.Zero(ori.P)
		if at > 0 {
			m, before = op.M(op.MNE, op.MU32, op.MOR), differs
		}
		list = append(list, p.instr(op.LDL, op.Mods{}, []ori.Operand{is}, ori.Addr(p.sp, p.canaryAt+at)))
		list = append(list, p.loadCanary(a, want, at)...)
		list = append(list, p.instr(op.ISETP, m, []ori.Operand{differs, ori.Zero(ori.P)}, is, want, before))
	}
	return append(list, p.trap(differs))
}

// loadCanary reads a word of the driver's number. On later machines its
// place depends on the size of the cluster.
func (p *Framer) loadCanary(a *target.Arch, to ori.Operand, at int64) []*ori.Instr {
	dst := []ori.Operand{to}
	bank := a.Bank0()
	x := ori.Const(0, bank.Canary.At+at)
	load := p.instr(op.LDC, op.Mods{}, dst, x)
	if !bank.Canary.Moves {
		return []*ori.Instr{load}
	}
	x.Reg, x.Class = to.Reg, ori.R
	return []*ori.Instr{
		p.instr(op.CS2R, op.M(op.M32), dst, ori.Special(op.SRClusterSize)),
		p.instr(op.IMAD, op.Mods{}, dst, to, ori.Imm(-bank.ClusterStep), ori.Zero(ori.R)),
		p.instr(op.LDC, op.Mods{}, dst, x),
	}
}

func (p *Framer) trap(guard ori.Operand) *ori.Instr {
	t := p.instr(op.BPT, op.M(op.MTRAP), nil, ori.Imm(1))
	t.Guard = guard
	return t
}

// predicate is one that holds nothing where a function begins and ends.
func (p *Framer) predicate() ori.Operand {
	r := p.f.NewReg(ori.P, 1)
	p.f.Regs[r].Phys, p.f.Regs[r].Fixed = 0, true
	return p.f.Words(r)
}
