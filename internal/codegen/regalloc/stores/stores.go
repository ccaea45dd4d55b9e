// Package stores takes stores to memory out of allocations that nobody loads.
package stores

import (
	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/engine/bits"
)

// A register that stays in place over several writes is stored behind each
// of them, for it might still be chosen to live in memory alone. Once all have
// their registers, stores that another one overwrites before anybody loads
// are of no use.

// Drop takes stores to memory out of a solution that nobody loads, and puts
// words together that are never needed at the same time.
func Drop(s *regalloc.Solution) {
	if s.Slots == 0 {
		return
	}
	p := s.Problem
	live := slotsLive(p, s.Slots)
	dead := make([]bool, len(p.Insts))
	n := 0
	for b := range p.Blocks {
		now := slotsOut(p, b, live, s.Slots)
		blk := &p.Blocks[b]
		for k := blk.First + blk.N - 1; k >= blk.First; k-- {
			if i := &p.Insts[k]; i.Kind == regalloc.Spill && i.Slot >= 0 && !anyLive(p, i, now) {
				dead[k] = true
				n++
				continue
			}
			slotStep(p, &p.Insts[k], now)
		}
	}
	if n > 0 {
		s.Problem = without(p, dead)
		s.Spills -= n
	}
	pack(s)
}

// slotsLive finds the words of memory that somebody loads before they are
// stored, at the start of every block.
func slotsLive(p *regalloc.Problem, words int) []bits.Set {
	live := make([]bits.Set, len(p.Blocks))
	for b := range live {
		live[b] = bits.NewSet(words)
	}
	for changed := true; changed; {
		changed = false
		for b := len(p.Blocks) - 1; b >= 0; b-- {
			now := slotsOut(p, b, live, words)
			blk := &p.Blocks[b]
			for k := blk.First + blk.N - 1; k >= blk.First; k-- {
				slotStep(p, &p.Insts[k], now)
			}
			if !now.Equal(live[b]) {
				live[b] = now
				changed = true
			}
		}
	}
	return live
}

// slotsOut is what is loaded behind block b.
func slotsOut(p *regalloc.Problem, b int, live []bits.Set, words int) bits.Set {
	now := bits.NewSet(words)
	for _, t := range p.Blocks[b].Succs {
		now.Or(live[t])
	}
	return now
}

// slotStep goes back over one instruction.
func slotStep(p *regalloc.Problem, i *regalloc.Inst, now bits.Set) {
	if i.Slot < 0 || i.Kind != regalloc.Spill && i.Kind != regalloc.Reload {
		return
	}
	for k := i.Slot; k < i.Slot+int32(p.Ops[i.First].N); k++ {
		if i.Kind == regalloc.Spill {
			now.Del(int(k))
		} else {
			now.Add(int(k))
		}
	}
}

// anyLive reports whether somebody loads a word that i stores.
func anyLive(p *regalloc.Problem, i *regalloc.Inst, now bits.Set) bool {
	for k := i.Slot; k < i.Slot+int32(p.Ops[i.First].N); k++ {
		if now.Has(int(k)) {
			return true
		}
	}
	return false
}

// without is the problem without some instructions.
func without(p *regalloc.Problem, dead []bool) *regalloc.Problem {
	q := *p
	q.Blocks = append([]regalloc.Block(nil), p.Blocks...)
	q.Insts = make([]regalloc.Inst, 0, len(p.Insts))
	for b := range q.Blocks {
		blk := &q.Blocks[b]
		first := int32(len(q.Insts))
		for k := blk.First; k < blk.First+blk.N; k++ {
			if !dead[k] {
				q.Insts = append(q.Insts, p.Insts[k])
			}
		}
		blk.First, blk.N = first, int32(len(q.Insts))-first
	}
	return &q
}
