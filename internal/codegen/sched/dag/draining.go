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
	if drainTime(f, tune) <= 0 {
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

// DrainsOpen reports whether such a loop of f leaves products of warp groups running.
func (b *Grapher) DrainsOpen(f *ori.Func) bool {
	for _, at := range f.Blocks {
		if b.DrainsIn(at) {
			for i := range at.Instrs {
				if isOpen(i) {
					return true
				}
			}
		}
	}
	return false
}

// DrainsIn reports whether a turn of a loop ends groups of copies in a block that the next
// waits for.
func (b *Grapher) DrainsIn(at *ori.Block) bool { return b.drains != nil && b.drains[at.ID] }

// copied is how long copies of a block take that the next turn waits for; 0 if none does, or
// regions end at barriers.
func (b *Grapher) copied(at *ori.Block) int32 {
	if b.Far == places.UpToBarriers || !b.DrainsIn(at) {
		return 0
	}
	return int32(b.DrainTime())
}

// DrainTime is how long copies take that the products of the function make room for.
func (b *Grapher) DrainTime() int { return drainTime(b.Names.F, b.tune) }

// drainTime is how long copies take that products of f make room for. What products of warp groups
// read they have read only when they are over, so copies pass those alone that the source leaves running.
func drainTime(f *ori.Func, tune *tuning.Tuning) int {
	if flow.HasGroups(f) {
		return tune.Open
	}
	return tune.Copied
}

// isOpen reports whether i is a product that the source leaves running when its block ends:
// neither a barrier nor copies behind it find it over.
func isOpen(i *ori.Instr) bool { return i.Mods.Has(op.MLOOSE) && i.Mods.Has(op.MOPEN) }

// passesOpen reports whether i may stand before open products that stand before it in the source.
func (g *Graph) passesOpen(i *ori.Instr) bool {
	return g.groups && g.copied > 0 && (places.IsBarrier(i) || i.Op == op.LDGDEPBAR || i.Op == op.LDGSTS)
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
