package ra

import (
	"fmt"

	"goptxas/internal/codegen/regalloc"
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
)

// applier writes a solution back into the function.
type applier struct {
	f      *ori.Func
	opts   *Options
	sol    *regalloc.Solution
	instrs []*ori.Instr
	res    Result
}

func (a *applier) apply() (*Result, error) {
	f, p := a.f, a.sol.Problem
	for v := len(f.Regs); v < len(p.VRegs); v++ {
		x := &p.VRegs[v]
		f.Regs = append(f.Regs, ori.RegInfo{Class: classOf(x.Class), Width: x.Width, Align: max(1, x.Align), Phys: -1})
	}
	for v := range p.VRegs {
		f.Regs[v].Phys = a.sol.Phys[v]
	}
	for n := range p.Blocks {
		if err := a.block(f.Blocks[n], &p.Blocks[n]); err != nil {
			return nil, err
		}
	}
	a.res.Registers = a.sol.Used[fileR]
	a.res.SpillBytes = int32(4 * a.sol.Slots)
	f.Props.SpillBytes = a.res.SpillBytes
	f.Props.Registers = int32(a.res.Registers)
	return &a.res, nil
}

func classOf(file uint8) ori.Class {
	for c, f := range fileOf {
		if f == file {
			return ori.Class(c)
		}
	}
	return ori.R
}

// block rewrites one block: the caller's instructions get the registers of
// the solution, the added ones become machine code.
func (a *applier) block(b *ori.Block, x *regalloc.Block) error {
	p := a.sol.Problem
	at := b.First()
	for n := x.First; n < x.First+x.N; n++ {
		i := &p.Insts[n]
		ops := p.Operands(int(n))
		switch i.Kind {
		case regalloc.Normal, regalloc.Move:
			cur := a.instrs[i.Orig]
			a.rename(cur, ops)
			at = cur.Next()
			if a.vanishes(cur) {
				cur.Remove()
			}
			continue
		}
		list, err := a.added(i, ops)
		if err != nil {
			return err
		}
		for _, made := range list {
			a.insert(b, made, at)
		}
	}
	return nil
}

// insert puts spill code before at, or at the end of b.
func (a *applier) insert(b *ori.Block, made, at *ori.Instr) {
	if prev := b.Last(); at == nil && prev != nil {
		made.Line, made.Loc = prev.Line, prev.Loc
		b.Append(made)
	} else if at == nil {
		b.Append(made)
	} else {
		made.Line, made.Loc = at.Line, at.Loc
		b.InsertBefore(made, at)
	}
}

// rename replaces the registers of i by those the solution's operands name.
// Operands come in the order builder.instr listed them.
func (a *applier) rename(i *ori.Instr, ops []regalloc.Operand) {
	k := 0
	for n := range i.Args {
		if i.Args[n].HasReg() {
			a.put(&i.Args[n], ops[k])
			k++
		}
	}
	if i.Guard.Kind == ori.KReg {
		a.put(&i.Guard, ops[k])
	}
	a.f.Touch()
}

func (a *applier) put(o *ori.Operand, r regalloc.Operand) {
	o.Reg = ori.Reg(r.V)
	if o.Kind != ori.KConst {
		o.Sub = r.Sub
	}
}

// vanishes reports whether i copies a register to itself.
func (a *applier) vanishes(i *ori.Instr) bool {
	if !isCopy(i) {
		return false
	}
	d, s := i.Args[0], i.Args[1]
	return a.f.Regs[d.Reg].Phys+int16(d.Sub) == a.f.Regs[s.Reg].Phys+int16(s.Sub)
}

func (a *applier) operand(o regalloc.Operand) ori.Operand {
	return ori.Operand{Kind: ori.KReg, Class: a.f.Regs[o.V].Class, Reg: ori.Reg(o.V), Sub: o.Sub, N: o.N}
}

// added makes the Ori instructions for spill code.
func (a *applier) added(i *regalloc.Inst, ops []regalloc.Operand) ([]*ori.Instr, error) {
	f := a.f
	d := a.operand(ops[0])
	switch {
	case i.Kind == regalloc.Remat:
		old := a.instrs[i.Orig]
		made := f.NewInstr(old.Op, old.Mods, []ori.Operand{d}, old.Srcs())
		return []*ori.Instr{made}, nil
	case i.Slot >= 0:
		return a.memory(i, d), nil
	}
	made, err := a.transfer(d, a.operand(ops[1]))
	return []*ori.Instr{made}, err
}

// widths maps words of a local memory access to its modifier.
var widths = [...]op.Mods{1: {}, 2: op.M(op.M64), 4: op.M(op.M128)}

// memory makes stores to or loads from the spill area, which lies above the
// frame the source asked for: of up to four words at once, as registers and
// memory are aligned.
func (a *applier) memory(i *regalloc.Inst, d ori.Operand) []*ori.Instr {
	f := a.f
	base := f.NewReg(ori.R, 1)
	f.Regs[base].Phys, f.Regs[base].Fixed = int16(a.opts.StackReg), true
	at := int64(a.opts.FrameBytes) + 4*int64(i.Slot)
	var list []*ori.Instr
	for n := uint8(0); n < d.N; {
		x, step := d, uint8(4)
		x.Sub += n
		for step > 1 && (step > d.N-n || at%int64(4*step) != 0 || (int64(f.Regs[d.Reg].Phys)+int64(x.Sub))%int64(step) != 0) {
			step /= 2
		}
		x.N = step
		addr := ori.Addr(f.Words(base), at)
		if i.Kind == regalloc.Spill {
			a.res.Stores += int(step)
			list = append(list, f.NewInstr(op.STL, widths[step], nil, []ori.Operand{addr, x}))
		} else {
			a.res.Loads += int(step)
			list = append(list, f.NewInstr(op.LDL, widths[step], []ori.Operand{x}, []ori.Operand{addr}))
		}
		n += step
		at += 4 * int64(step)
	}
	return list
}

// transfer moves a word between register files.
func (a *applier) transfer(d, s ori.Operand) (*ori.Instr, error) {
	f := a.f
	to := func(o op.Op, m op.Mods, srcs ...ori.Operand) (*ori.Instr, error) {
		return f.NewInstr(o, m, []ori.Operand{d}, srcs), nil
	}
	compare := op.M(op.MNE, op.MU32, op.MAND)
	switch [2]ori.Class{d.Class, s.Class} {
	case [2]ori.Class{ori.R, ori.P}:
		return to(op.SEL, op.Mods{}, ori.Zero(ori.R), ori.Imm(1), s.Not())
	case [2]ori.Class{ori.P, ori.R}:
		return to(op.ISETP, compare, s, ori.Zero(ori.R), ori.Zero(ori.P))
	case [2]ori.Class{ori.UR, ori.UP}:
		return to(op.USEL, op.Mods{}, ori.Zero(ori.UR), ori.Imm(1), s.Not())
	case [2]ori.Class{ori.UP, ori.UR}:
		return to(op.UISETP, compare, s, ori.Zero(ori.UR), ori.Zero(ori.UP))
	case [2]ori.Class{ori.R, ori.UR}:
		return to(op.MOV, op.Mods{}, s)
	case [2]ori.Class{ori.UR, ori.R}:
		return to(op.R2UR, op.Mods{}, s)
	case [2]ori.Class{ori.R, ori.B}:
		return to(op.BMOV, op.M(op.M32, op.MCLEAR), s)
	case [2]ori.Class{ori.B, ori.R}:
		return to(op.BMOV, op.M(op.M32), s)
	}
	return nil, fmt.Errorf("no way to move a word from %s to %s", s.Class, d.Class)
}
