package ra

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// FirstGroupReg is where the registers of warp-group matrix operations begin,
// as in the reference's code: those below are what callbacks of tools save
// and use, and a save does not wait for the operation.
const FirstGroupReg = 24

// holdGroups keeps the registers of warp-group matrix operations until these
// are waited for: they are read and written after the last instruction that
// names them. With waits those that are only read are not: what takes them
// waits (isel.WarpGroups).
func (b *builder) holdGroups() {
	f := b.f
	if !flow.HasGroups(f) {
		return
	}
	var regs []ori.Reg // by cell
	cell := make([]int, len(f.Regs))
	for _, blk := range f.Blocks {
		for i := range blk.Instrs {
			for _, o := range i.Args {
				if i.IsGroupMMA() && o.Kind == ori.KReg && o.Class == ori.R && cell[o.Reg] == 0 {
					regs = append(regs, o.Reg)
					cell[o.Reg] = len(regs)
				}
			}
		}
	}
	if len(regs) == 0 {
		return
	}
	for _, r := range regs {
		b.p.VRegs[r].Keep = b.keep
		b.p.VRegs[r].Lo = max(b.p.VRegs[r].Lo, FirstGroupReg)
	}
	g := flow.GroupsOf(f, len(regs), flow.Take, func(o ori.Operand) (int, int) {
		if n := cell[o.Reg]; n > 0 {
			return n - 1, 1
		}
		return 0, 0
	})
	state := make([]flow.GroupCell, len(regs))
	for n, blk := range f.Blocks {
		g.Start(state, blk)
		k := b.p.Blocks[n].First
		for i := range blk.Instrs {
			if i.Op == op.WARPGROUP && i.Mods.Has(op.MDEPBAR) {
				b.holdPending(&b.p.Insts[k], regs, state)
			}
			g.Step(state, i)
			k++
		}
	}
}

// holdLoose keeps the matrices that loose operations read in registers until
// something needs their results: overwritten before, they would have to be
// waited for. It reports whether there are any.
func (b *builder) holdLoose() (any bool) {
	for n, blk := range b.f.Blocks {
		var list []*ori.Instr
		for i := range blk.Instrs {
			list = append(list, i)
		}
		for k, i := range list {
			if !i.Mods.Has(op.MLOOSE) {
				continue
			}
			for _, s := range i.Srcs() {
				if s.Kind != ori.KReg || s.Class != ori.R || s.Reg == i.Args[0].Reg {
					continue
				}
				if at := overBy(list, k); at >= 0 {
					b.holdAt(&b.p.Insts[b.p.Blocks[n].First+int32(at)], s.Reg)
					any = true
				}
			}
		}
	}
	return any
}

// overBy returns the first of a block's instructions, going on at its top for
// an operation that may be pending there, by which loose operation k is over
// because something touches its result or that of a younger one; -1 if there
// is none.
func overBy(list []*ori.Instr, k int) int {
	results := map[ori.Reg]bool{list[k].Args[0].Reg: true}
	for n := k + 1; n != k; n++ {
		if n == len(list) {
			if b := list[k].Block(); !list[k].Mods.Has(op.MOPEN) || !slices.Contains(b.Succs, b) {
				return n - 1
			}
			n = 0
			if k == 0 {
				return -1
			}
		}
		i := list[n]
		if i.Mods.Has(op.MLOOSE) {
			results[i.Args[0].Reg] = true
			continue
		}
		if i.Op == op.WARPGROUP && i.Mods.Has(op.MDEPBAR) {
			return n
		}
		for _, a := range i.Args {
			if a.HasReg() && results[a.Reg] {
				return n
			}
		}
	}
	return -1
}

// holdAt adds a register to what an instruction leaves alone.
func (b *builder) holdAt(i *regalloc.Inst, r ori.Reg) {
	ops := append([]regalloc.Operand(nil), b.p.Ops[i.First:i.First+i.N]...)
	i.First = int32(len(b.p.Ops))
	b.p.Ops = append(append(b.p.Ops, ops...), regalloc.Operand{V: int32(r), N: b.f.Regs[r].Width, Role: regalloc.Hold})
	i.N = int32(len(b.p.Ops)) - i.First
}

// holdPending adds the pending registers to an instruction, whose operands
// move to the end of the list, and notes whether there are matrices that are
// only read.
func (b *builder) holdPending(i *regalloc.Inst, regs []ori.Reg, state []flow.GroupCell) {
	ops := append([]regalloc.Operand(nil), b.p.Ops[i.First:i.First+i.N]...)
	i.First = int32(len(b.p.Ops))
	b.p.Ops = append(b.p.Ops, ops...)
	for c, r := range regs {
		if x := state[c]; x.Age > 0 {
			b.reads = b.reads || !x.Acc
			if x.Acc || !b.waits {
				b.p.Ops = append(b.p.Ops, regalloc.Operand{V: int32(r), N: b.f.Regs[r].Width, Role: regalloc.Hold})
			}
		}
	}
	i.N = int32(len(b.p.Ops)) - i.First
}
