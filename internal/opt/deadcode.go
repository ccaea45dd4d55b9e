package opt

import (
	"slices"

	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
)

// DeadCode removes instructions whose results nobody reads, blocks nobody
// reaches, and copies of a register to itself.
func DeadCode(f *ori.Func) bool {
	changed := unreachable(f)
	v := valuesOf(f)
	for again := true; again; {
		again = false
		for _, b := range slices.Backward(f.Blocks) { // readers mostly stand below
			for i := b.Last(); i != nil; {
				prev := i.Prev()
				if v.isDead(i) {
					v.Remove(i)
					again, changed = true, true
				}
				i = prev
			}
		}
	}
	v.Keep()
	return changed
}

// isDead reports whether i can go.
func (v *values) isDead(i *ori.Instr) bool {
	if i.NDst == 0 || i.Op.Has(op.Effect|op.Writes|op.Terminator) {
		return false
	}
	for _, d := range i.Dsts() {
		if d.Kind == ori.KReg && (v.ReadsOf(d) > 0 || v.Func.Regs[d.Reg].Fixed) {
			return false
		}
	}
	return !isVolatile(i)
}

// isVolatile reports whether a load must happen even if nobody wants its
// result.
func isVolatile(i *ori.Instr) bool {
	return i.Op.Has(op.Reads) && (i.Mods.Has(op.MSTRONG) || i.Mods.Has(op.MMMIO))
}

// unreachable removes blocks that no path from the entry reaches.
func unreachable(f *ori.Func) bool {
	seen := make([]bool, f.NumBlocks())
	work := []*ori.Block{f.Blocks[0]}
	seen[f.Blocks[0].ID] = true
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range b.Succs {
			if !seen[s.ID] {
				seen[s.ID] = true
				work = append(work, s)
			}
		}
	}
	var keep []*ori.Block
	for _, b := range f.Blocks {
		if seen[b.ID] {
			keep = append(keep, b)
			continue
		}
		for len(b.Succs) > 0 {
			b.RemoveEdge(b.Succs[0])
		}
	}
	if len(keep) == len(f.Blocks) {
		return false
	}
	f.SetBlocks(keep)
	return true
}
