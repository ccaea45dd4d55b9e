package stores

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/slots"
)

// Words of memory are given out while it is not known when registers come back
// from them: a word is taken for as long as its register lives, and each round of
// spilling has words of its own. Once all have their registers, words that are
// never needed at the same time are put together: what a thread keeps in memory
// should stay in the first cache.

// span is a run of instructions, by number.
type span struct{ from, to int32 }

// unit is a run of words that instructions access together.
type unit struct {
	first, n int32
	life     []span
}

// pad is how many words stand before the first one so that those that one
// instruction moves stay aligned.
func (u *unit) pad() int32 {
	if u.n > 2 {
		return u.first % widest
	}
	return 0
}

// pack gives words that are never needed together the same place.
func pack(s *regalloc.Solution) {
	p := s.Problem
	units := unitsOf(p, s.Slots)
	lives(p, s.Slots, units)
	list := make([]*unit, 0, len(units))
	for k, u := range units {
		if u != nil && int(u.first) == k {
			list = append(list, u)
		}
	}
	slices.SortStableFunc(list, func(a, b *unit) int {
		return cmp.Or(cmp.Compare(min(b.n, widest), min(a.n, widest)), cmp.Compare(a.first, b.first))
	})
	f := slots.Finder[[]span]{Overlap: overlap, Union: union}
	to, words := make([]int32, s.Slots), int32(0)
	for _, u := range list {
		at := f.Find(int(u.pad()+u.n), u.life, 0, 0) + u.pad()
		for k := range u.n {
			to[u.first+k] = at + k
		}
		words = max(words, at+u.n)
	}
	if int(words) >= s.Slots {
		return
	}
	q := *p
	q.Insts = slices.Clone(p.Insts)
	for n := range q.Insts {
		if i := &q.Insts[n]; isMove(i) {
			i.Slot = to[i.Slot]
		}
	}
	s.Problem, s.Slots = &q, int(words)
}

// widest is how many words one instruction moves at most.
const widest = 4

// isMove reports whether i moves words to or from memory.
func isMove(i *regalloc.Inst) bool {
	return i.Slot >= 0 && (i.Kind == regalloc.Spill || i.Kind == regalloc.Reload)
}

// unitsOf finds for each word the run that it belongs to; nil if nobody
// accesses it.
func unitsOf(p *regalloc.Problem, words int) []*unit {
	joined, used := make([]bool, words+1), make([]bool, words) // with the word before it
	for n := range p.Insts {
		if i := &p.Insts[n]; isMove(i) {
			for k := range int32(p.Ops[i.First].N) {
				used[i.Slot+k] = true
				joined[i.Slot+k] = joined[i.Slot+k] || k > 0
			}
		}
	}
	list := make([]*unit, words)
	for k := range list {
		switch {
		case !used[k]:
		case joined[k]:
			list[k] = list[k-1]
			list[k].n++
		default:
			list[k] = &unit{first: int32(k), n: 1}
		}
	}
	return list
}

// lives finds when words of each unit are needed: from their stores on until
// nobody loads them any more.
func lives(p *regalloc.Problem, words int, units []*unit) {
	live := slotsLive(p, words)
	until := make([]int32, words)
	for b := range p.Blocks {
		blk := &p.Blocks[b]
		now := slotsOut(p, b, live, words)
		end := blk.First + blk.N
		for k := range words {
			if until[k] = 0; now.Has(k) {
				until[k] = end
			}
		}
		for n := end - 1; n >= blk.First; n-- {
			i := &p.Insts[n]
			if !isMove(i) {
				continue
			}
			for k := i.Slot; k < i.Slot+int32(p.Ops[i.First].N); k++ {
				switch {
				case i.Kind == regalloc.Spill:
					units[k].life = append(units[k].life, span{n, max(n+1, until[k])})
					until[k] = 0
				case until[k] == 0:
					until[k] = n + 1
				}
			}
		}
		for k := range words {
			if until[k] > 0 {
				units[k].life = append(units[k].life, span{blk.First, until[k]})
			}
		}
	}
	for k, u := range units {
		if u != nil && int(u.first) == k {
			u.life = settled(u.life)
		}
	}
}

// settled is a list of spans in order, with those that touch made one.
func settled(list []span) []span {
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	kept := list[:0]
	for _, x := range list {
		if n := len(kept); n > 0 && x.from <= kept[n-1].to {
			kept[n-1].to = max(kept[n-1].to, x.to)
		} else {
			kept = append(kept, x)
		}
	}
	return kept
}

// union is the points of both.
func union(a, b []span) []span { return settled(slices.Concat(a, b)) }

// overlap reports whether two lives share a point.
func overlap(a, b []span) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].to <= b[0].from:
			a = a[1:]
		case b[0].to <= a[0].from:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}
