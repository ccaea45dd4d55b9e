package regalloc

import (
	"cmp"
	"slices"
)

// manySpills is the number of spilled registers from which memory words are
// shared by a quicker rule: looking for the first word that is free at
// every point takes time with the square of their number.
const manySpills = 2048

// slotter gives spilled registers their memory words.
type slotter struct {
	r     *rewriter
	base  int      // first word
	taken [][]span // of each word from base on
	many  bool
	next  int         // first word never used, if many
	free  [3][]unused // by alignment 1, 2 and 4, if many
}

// unused is a run of words nobody needs after a point.
type unused struct{ slot, from int32 }

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
	n, align, class := int(s.r.old.VRegs[v].Width), 1, 0
	for align < n && align < 4 {
		align *= 2
		class++
	}
	if s.many {
		return s.quick(v, n, align, class)
	}
	all := s.spans(v)
	at := (align - s.base%align) % align
	for !slotsFree(s.taken, at, n, all) {
		at += align
	}
	for len(s.taken) < at+n {
		s.taken = append(s.taken, nil)
	}
	for k := range n {
		s.taken[at+k] = union(s.taken[at+k], all)
	}
	return int32(s.base + at)
}

// quick gives v, whose life begins after that of all before it, words whose
// last owner is dead for good, or new ones. Runs are kept by alignment, the
// one that is free first at the root of a heap.
func (s *slotter) quick(v int32, n, align, class int) int32 {
	all := s.spans(v)
	from, to := int32(0), int32(0)
	if len(all) > 0 {
		from, to = all[0].from, all[len(all)-1].to
	}
	h := s.free[class]
	if n <= align && len(h) > 0 && h[0].from <= from {
		slot := h[0].slot
		h[0].from = to
		sink(h)
		return slot
	}
	if s.next == 0 {
		s.next = s.base
	}
	slot := (s.next + align - 1) / align * align
	s.next = slot + max(n, align)
	if n <= align {
		s.free[class] = append(h, unused{int32(slot), to})
		rise(s.free[class])
	}
	return int32(slot)
}

func (u unused) before(x unused) bool {
	return u.from < x.from || u.from == x.from && u.slot < x.slot
}

// rise moves the last element of a heap to its place.
func rise(h []unused) {
	for i := len(h) - 1; i > 0 && h[i].before(h[(i-1)/2]); i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
}

// sink moves the first element of a heap to its place.
func sink(h []unused) {
	for i := 0; 2*i+1 < len(h); {
		k := 2*i + 1
		if k+1 < len(h) && h[k+1].before(h[k]) {
			k++
		}
		if !h[k].before(h[i]) {
			return
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
}

func slotsFree(taken [][]span, at, n int, spans []span) bool {
	for k := at; k < at+n && k < len(taken); k++ {
		if overlap(taken[k], spans) {
			return false
		}
	}
	return true
}
