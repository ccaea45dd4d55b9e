package regalloc

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/slots"
)

// manySpills is the number of spilled registers from which memory words are
// shared by a quicker rule: looking for the first word that is free at
// every point takes time with the square of their number.
const manySpills = 2048

// slotter gives spilled registers their memory words.
type slotter struct {
	r *rewriter
	slots.Finder[[]span]
}

func (w *rewriter) slotter(many bool) *slotter {
	return &slotter{w, slots.Finder[[]span]{Base: w.s.sol.Slots, Many: many, Overlap: overlap, Union: union}}
}

// spans returns the points at which some word of v lives.
func (s *slotter) spans(v int32) (all []span) {
	for k := range s.r.old.VRegs[v].Width {
		all = union(all, s.r.s.live.of(v, k))
	}
	return all
}

// byStart sorts registers by the first point at which they live.
func (s *slotter) byStart(list []*split) []*split {
	start := make([]int32, len(s.r.old.VRegs))
	for _, x := range list {
		if all := s.spans(x.v); len(all) > 0 {
			start[x.v] = all[0].from
		}
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b *split) int {
		return cmp.Or(cmp.Compare(start[a.v], start[b.v]), cmp.Compare(a.v, b.v))
	})
	return list
}

// find returns the first word for v.
func (s *slotter) find(v int32) int32 {
	all, ends := s.spans(v), span{}
	if len(all) > 0 {
		ends = span{all[0].from, all[len(all)-1].to}
	}
	return s.Find(int(s.r.old.VRegs[v].Width), all, ends.from, ends.to)
}
