package scoreboard

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// fact is something left behind in a register.
type fact struct {
	at    int   // cycle of issue; an age, negated, between blocks
	cover uint8 // barriers of which any tells that it is over
	class target.Class
	guard uint16 // cell of its guard plus one, as long as the guard keeps its value
	not   bool   // its guard is taken when false
	read  bool   // it is a read, not a result
	timed bool   // it is over after some cycles; else only a barrier tells
}

// same reports whether two facts differ in age only.
func (f fact) same(g fact) bool {
	f.at = g.at
	return f == g
}

// elsewhere reports whether the threads that left the fact are not those
// that run e, because their guards exclude each other.
func (f fact) elsewhere(e *timing.Event) bool {
	return f.guard != 0 && e.Guarded && f.guard == e.Guard+1 && f.not != e.Negated
}

// guardOf returns the guard of e for a fact.
func guardOf(e *timing.Event) (uint16, bool) {
	if !e.Guarded || overlaps(e.Writes, e.Guard) {
		return 0, false
	}
	return e.Guard + 1, e.Negated
}

// factState is what may be true at a place.
type factState struct {
	facts [timing.NumCells][]fact
	room  []fact                  // for facts about cells to come
	cells []uint16                // those with facts, and some without
	known [timing.NumCells]bool   // is in cells
	set   [timing.NumBarriers]int // cycle at which each barrier was last set
	gaps  []fact
	left  [op.NumWorks][]fact // work that goes on unseen
	fence uint8
}

// quiet is a cycle so long ago that it matters no more.
const quiet = -1 << 20

// placed is a fact about a cell.
type placed struct {
	cell uint16
	fact
}

// summary is what may be true at the start of a block. Its facts are sorted
// by cell and their cycles count from the start of the block.
type summary struct {
	facts []placed
	set   [timing.NumBarriers]int
	gaps  []fact
	left  [op.NumWorks][]fact
	fence uint8
}

func newSummary() *summary {
	s := &summary{}
	for b := range s.set {
		s.set[b] = quiet
	}
	return s
}

// absorb adds the facts of y, whose block ended at cycle end, and reports
// whether any is new.
func (s *summary) absorb(y *factState, end int) bool {
	grew := false
	for _, c := range y.cells {
		for _, f := range y.facts[c] {
			f.at -= end
			if !f.timed || f.at > -horizon {
				grew = s.insert(placed{c, f}) || grew
			}
		}
	}
	for _, f := range y.gaps {
		if f.at -= end; f.at > -horizon {
			grew = insert(&s.gaps, f) || grew
		}
	}
	for k := range y.left {
		for _, f := range y.left[k] {
			f.at = 0
			grew = insert(&s.left[k], f) || grew
		}
	}
	for b, at := range y.set {
		if at -= end; at > s.set[b] && at > -horizon {
			s.set[b] = at
			grew = true
		}
	}
	if y.fence&^s.fence != 0 {
		s.fence |= y.fence
		grew = true
	}
	return grew
}

// insert adds a fact, or makes one that is there younger.
func (s *summary) insert(f placed) bool {
	n, _ := slices.BinarySearchFunc(s.facts, f.cell, func(p placed, c uint16) int { return int(p.cell) - int(c) })
	for ; n < len(s.facts) && s.facts[n].cell == f.cell; n++ {
		if g := &s.facts[n]; g.same(f.fact) {
			if f.at > g.at && f.timed {
				g.at = f.at
				return true
			}
			return false
		}
	}
	s.facts = slices.Insert(s.facts, n, f)
	return true
}

// load makes the state what a summary says.
func (s *factState) load(y *summary) {
	for _, c := range s.cells {
		s.facts[c], s.known[c] = s.facts[c][:0], false
	}
	s.cells = s.cells[:0]
	for _, f := range y.facts {
		s.note(f.cell, f.fact)
	}
	s.set, s.fence = y.set, y.fence
	s.gaps = append(s.gaps[:0], y.gaps...)
	for k := range s.left {
		s.left[k] = append(s.left[k][:0], y.left[k]...)
	}
}

// note adds a fact about a cell.
func (s *factState) note(c uint16, f fact) bool {
	if !s.known[c] {
		s.known[c] = true
		s.cells = append(s.cells, c)
	}
	if cap(s.facts[c]) == 0 {
		if len(s.room) < fewFacts {
			s.room = make([]fact, 32*fewFacts)
		}
		s.facts[c], s.room = s.room[:0:fewFacts], s.room[fewFacts:]
	}
	return insert(&s.facts[c], f)
}

// fewFacts is how many facts there are about most cells at most.
const fewFacts = 2

// insert adds a fact, or makes one that is there younger.
func insert(list *[]fact, f fact) bool {
	for n := range *list {
		if g := &(*list)[n]; g.same(f) {
			if f.at > g.at && f.timed {
				g.at = f.at
				return true
			}
			return false
		}
	}
	*list = append(*list, f)
	return true
}
