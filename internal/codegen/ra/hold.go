package ra

import (
	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Uniform registers and barriers belong to the warp, not to a thread. While
// its threads are at different places, a value that some of them will read must
// survive what the others do, though no path of one thread leads from there to
// the read. So whatever lives where threads part is held in every block they
// may be in until they are together again. Of barriers that concerns threads
// that leave a loop before the others: they may not note themselves in the
// barrier at which those gather.

// holds adds those operands to the last instruction of the blocks.
func (b *builder) holds() {
	f := b.f
	left := forsaken(f)
	live := flow.LiveAmong(f, func(r ori.Reg) bool {
		c := f.Regs[r].Class
		return c == ori.UR || c == ori.UP || c == ori.B && left[r]
	})
	held := make([]bits.Set, f.NumBlocks())
	for _, r := range flow.ApartOf(f, flow.UniformityOf(f)).Regions {
		for _, file := range [...]int{fileUR, fileUP, fileB} {
			b.p.Files[file].Held = true
		}
		all := live.End(r.From[0]).Clone()
		for _, b := range r.From[1:] {
			all.Or(live.End(b))
		}
		if all.IsEmpty() {
			continue
		}
		for _, x := range r.Blocks {
			if held[x.ID] == nil {
				held[x.ID] = all.Clone()
			} else {
				held[x.ID].Or(all)
			}
		}
	}
	for n, blk := range f.Blocks {
		if x := &b.p.Blocks[n]; held[blk.ID] != nil && x.N > 0 {
			b.hold(&b.p.Insts[x.First+x.N-1], live, held[blk.ID])
		}
	}
}

// forsaken finds the barriers that threads leave before they gather there.
func forsaken(f *ori.Func) map[ori.Reg]bool {
	m := map[ori.Reg]bool{}
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.BREAK {
				m[i.Srcs()[0].Reg] = true
			}
		}
	}
	return m
}

// hold adds the operands to one instruction, whose operands move to the end
// of the list.
func (b *builder) hold(i *regalloc.Inst, live *flow.Live, held bits.Set) {
	ops := append([]regalloc.Operand(nil), b.p.Ops[i.First:i.First+i.N]...)
	i.First = int32(len(b.p.Ops))
	b.p.Ops = append(b.p.Ops, ops...)
	last := ori.NoReg
	for n := range held.All() {
		if r := live.Reg(n); r != last { // words of one register follow each other
			last = r
			b.p.Ops = append(b.p.Ops, regalloc.Operand{V: int32(r), N: b.f.Regs[r].Width, Role: regalloc.Hold})
		}
	}
	i.N = int32(len(b.p.Ops)) - i.First
}
