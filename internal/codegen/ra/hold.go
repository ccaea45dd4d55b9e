package ra

import (
	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
)

// Uniform registers belong to the warp, not to a thread. While its threads are
// at different places, a value that some of them will read must survive what
// the others do, though no path of one thread leads from there to the read. So
// whatever lives where threads part is held in every block they may be in until
// they are together again. Of barriers some are (flow.HeldBarriers).

// holds adds those operands to the last instruction of the blocks.
func (b *builder) holds() {
	h := b.held
	if !h.known {
		*h = heldIn(b.f)
	}
	if !h.apart {
		return
	}
	for _, file := range [...]int{fileUR, fileUP, fileB} {
		b.p.Files[file].Held = true
	}
	for n := range b.f.Blocks {
		if x := &b.p.Blocks[n]; len(h.regs[n]) > 0 && x.N > 0 {
			b.hold(&b.p.Insts[x.First+x.N-1], h.regs[n])
		}
	}
}

// held is what blocks hold. It is the same for all orders of the instructions
// in them: what lives at their ends, and which threads come there, does not
// depend on it.
type held struct {
	known bool
	apart bool        // threads may be apart somewhere
	regs  [][]ori.Reg // by the block's place
}

// heldIn finds what the blocks of f hold.
func heldIn(f *ori.Func) held {
	apart := flow.DivergenceOf(f, flow.UniformityOf(f))
	if len(apart.Regions) == 0 {
		return held{known: true}
	}
	live := flow.LiveAmong(f, func(r ori.Reg) bool {
		c := f.Regs[r].Class
		return c == ori.UR || c == ori.UP
	})
	in := make([]bits.Set, f.NumBlocks())
	for _, r := range apart.Regions {
		all := live.End(r.From[0]).Clone()
		for _, b := range r.From[1:] {
			all.Or(live.End(b))
		}
		if all.IsEmpty() {
			continue
		}
		for _, x := range r.Blocks {
			if in[x.ID] == nil {
				in[x.ID] = all.Clone()
			} else {
				in[x.ID].Or(all)
			}
		}
	}
	h := held{known: true, apart: true, regs: make([][]ori.Reg, len(f.Blocks))}
	barriers := flow.HeldBarriers(f, apart)
	for n, blk := range f.Blocks {
		for k := range in[blk.ID].All() {
			if r, regs := live.Reg(k), h.regs[n]; len(regs) == 0 || regs[len(regs)-1] != r { // words of one register follow each other
				h.regs[n] = append(regs, r)
			}
		}
		if barriers != nil {
			h.regs[n] = append(h.regs[n], barriers[blk.ID]...)
		}
	}
	return h
}

// hold adds the operands to one instruction, whose operands move to the end
// of the list.
func (b *builder) hold(i *regalloc.Inst, regs []ori.Reg) {
	ops := append([]regalloc.Operand(nil), b.p.Ops[i.First:i.First+i.N]...)
	i.First = int32(len(b.p.Ops))
	b.p.Ops = append(b.p.Ops, ops...)
	for _, r := range regs {
		b.p.Ops = append(b.p.Ops, regalloc.Operand{V: int32(r), N: b.f.Regs[r].Width, Role: regalloc.Hold})
	}
	i.N = int32(len(b.p.Ops)) - i.First
}
