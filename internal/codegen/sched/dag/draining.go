package dag

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// A loop that waits in every turn for all that it copied has nothing to hide
// the copies behind but what is left of the turn that makes them. So its turns
// begin with what reads the last copies, then come the barrier that says so to
// others and the next copies, and the products run beside these. Where
// a wait leaves a group to the next turn, a whole turn hides them, and
// products stay on their side of the barrier.

// drainsOf tells of each block of f, by ID, whether it ends groups of copies that the
// next turn of a loop waits for; nil if none does.
func drainsOf(f *ori.Func, tune *tuning.Tuning) []bool {
	if tune.Copied <= 0 || flow.HasGroups(f) { // what groups read they have read only when their products are there
		return nil
	}
	var list []bool
	for _, l := range flow.LoopsOf(f, flow.DomOf(f)).All {
		if !drains(l) {
			continue
		}
		if list == nil {
			list = make([]bool, f.NumBlocks())
		}
		for _, b := range l.Blocks {
			list[b.ID] = true
		}
	}
	return list
}

// drains reports whether a loop makes groups of copies and no wait in it leaves one running.
func drains(l *flow.Loop) bool {
	ends, waits := false, false
	for _, b := range l.Blocks {
		for i := range b.Instrs {
			switch {
			case i.Op == op.LDGDEPBAR:
				ends = true
			case i.Op == op.DEPBAR && i.Mods.Has(op.MLE):
				if n := i.Srcs(); len(n) == 0 || n[len(n)-1].Imm != 0 {
					return false
				}
				waits = true
			}
		}
	}
	return ends && waits
}

// Drains reports whether some loop waits in every turn for all that it copied.
func (b *Grapher) Drains() bool { return b.drains != nil }

// DrainsIn reports whether a turn of a loop ends groups of copies in a block that the next
// waits for.
func (b *Grapher) DrainsIn(at *ori.Block) bool { return b.drains != nil && b.drains[at.ID] }

// copied is how long copies of a block take that the next turn waits for; 0 if none does, or
// regions end at barriers.
func (b *Grapher) copied(at *ori.Block) int32 {
	if b.Far == places.UpToBarriers || !b.DrainsIn(at) {
		return 0
	}
	return int32(b.tune.Copied)
}

// Awaited is how long before the end of the turn instruction k should issue, which ends a
// group of copies; 0 for all others.
func (g *Graph) Awaited(k int32) int32 {
	if g.copied > 0 && g.Instrs[k].Op == op.LDGDEPBAR {
		return g.copied
	}
	return 0
}

// settled is how long behind instruction k, which touches memory, one stands that no such passes.
func (g *Graph) settled(k int32, i *ori.Instr) int32 {
	if i.Op == op.DEPBAR {
		return max(1, g.Awaited(k))
	}
	return 1
}
