package ra

import (
	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// firstGroupReg is where the registers of warp-group matrix operations begin,
// as in the reference's code: those below are what callbacks of tools save
// and use, and a save does not wait for the operation.
const firstGroupReg = 24

// holdGroups keeps the registers of warp-group matrix operations until these
// are waited for: they are read and written after the last instruction that
// names them.
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
		b.p.VRegs[r].Lo = max(b.p.VRegs[r].Lo, firstGroupReg)
	}
	g := flow.GroupsOf(f, len(regs), true, func(o ori.Operand) (int, int) {
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

// holdPending adds the pending registers to an instruction, whose operands
// move to the end of the list.
func (b *builder) holdPending(i *regalloc.Inst, regs []ori.Reg, state []flow.GroupCell) {
	ops := append([]regalloc.Operand(nil), b.p.Ops[i.First:i.First+i.N]...)
	i.First = int32(len(b.p.Ops))
	b.p.Ops = append(b.p.Ops, ops...)
	for c, r := range regs {
		if state[c].Age > 0 {
			b.p.Ops = append(b.p.Ops, regalloc.Operand{V: int32(r), N: b.f.Regs[r].Width, Role: regalloc.Hold})
		}
	}
	i.N = int32(len(b.p.Ops)) - i.First
}
