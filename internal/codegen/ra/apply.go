package ra

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// applier writes a solution back into the function.
type applier struct {
	f      *ori.Func
	opts   *Options
	sol    *regalloc.Solution
	instrs []*ori.Instr
	res    Result
	made   []*ori.Instr // see added
	read   []bool       // of each virtual register, whether something reads it
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
	a.read = make([]bool, len(p.VRegs))
	for n := range p.Insts {
		for _, o := range p.Operands(n) {
			a.read[o.V] = a.read[o.V] || o.Role.Reads()
		}
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
			if a.vanishes(cur) || a.unread(cur, ops) {
				cur.Remove()
			}
			continue
		}
		if err := a.added(i, ops); err != nil {
			return err
		}
		for _, made := range a.made {
			put(b, made, at)
		}
		if i.Slot >= 0 {
			a.res.Weight += float64(int(ops[0].N)) * float64(uint64(1)<<(3*x.Depth))
		}
	}
	return nil
}

// put places an added instruction before another, or at the end of b.
func put(b *ori.Block, made, at *ori.Instr) {
	if at != nil {
		made.Line, made.Loc = at.Line, at.Loc
		b.InsertBefore(made, at)
		return
	}
	if prev := b.Last(); prev != nil {
		made.Line, made.Loc = prev.Line, prev.Loc
	}
	b.Append(made)
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

// unread reports whether i made a value that is made again wherever it is
// read.
func (a *applier) unread(i *ori.Instr, ops []regalloc.Operand) bool {
	return len(ops) > 0 && ops[0].Role == regalloc.Def && a.sol.Problem.VRegs[ops[0].V].Of >= 0 && !a.read[ops[0].V] && (repeatable(i) || derives(i))
}

func (a *applier) operand(o regalloc.Operand) ori.Operand {
	return ori.Operand{Kind: ori.KReg, Class: a.f.Regs[o.V].Class, Reg: ori.Reg(o.V), Sub: o.Sub, N: o.N}
}

// added makes the Ori instructions for spill code, in a.made.
func (a *applier) added(i *regalloc.Inst, ops []regalloc.Operand) error {
	f := a.f
	a.made = a.made[:0]
	d := a.operand(ops[0])
	switch {
	case i.Kind == regalloc.Remat:
		old := a.instrs[i.Orig]
		made := f.NewInstr(old.Op, old.Mods, []ori.Operand{d}, old.Srcs())
		a.rename(made, ops)
		a.made = append(a.made, made)
		a.res.Moves += int(d.N)
		return nil
	case i.Slot >= 0:
		a.memory(i, d)
		return nil
	}
	a.res.Moves += int(d.N)
	s := a.operand(ops[1])
	for k := range d.N {
		dk, sk := d, s
		dk.Sub, dk.N = d.Sub+k, 1
		sk.Sub, sk.N = s.Sub+k, 1
		made, err := a.transfer(dk, sk)
		if err != nil {
			return err
		}
		a.made = append(a.made, made)
	}
	return nil
}

// widths maps words of a local memory access to its modifier.
var widths = [...]op.Mods{1: {}, 2: {op.M64}, 4: {op.M128}}

// memory makes the stores to or loads from the spill area, which lies above
// the frame the source asked for: as many words at once as the places of
// both allow.
func (a *applier) memory(i *regalloc.Inst, d ori.Operand) {
	f := a.f
	reg, slot := int(f.Regs[d.Reg].Phys)+int(d.Sub), int(i.Slot)
	for k := 0; k < int(d.N); {
		n := 4
		for n > int(d.N)-k || (reg+k)%n != 0 || (slot+k)%n != 0 {
			n /= 2
		}
		part := d
		part.Sub, part.N = d.Sub+uint8(k), uint8(n)
		base := f.NewReg(ori.R, 1)
		f.Regs[base].Phys, f.Regs[base].Fixed = int16(a.opts.StackReg), true
		addr := ori.Addr(f.Words(base), int64(a.opts.FrameBytes)+4*int64(slot+k))
		if i.Kind == regalloc.Spill {
			a.res.Stores += n
			a.made = append(a.made, f.NewInstr(op.STL, widths[n], nil, []ori.Operand{addr, part}))
		} else {
			a.res.Loads += n
			a.made = append(a.made, f.NewInstr(op.LDL, widths[n], []ori.Operand{part}, []ori.Operand{addr}))
		}
		k += n
	}
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
	}
	return nil, fmt.Errorf("no way to move a word from %s to %s", s.Class, d.Class)
}
