// Package slots gives what is spilled its words of memory. Words are shared by
// those that never live at the same time.
package slots

// Finder gives out words. What it knows of a life is which share a point, and
// which is that of two together; nil is that of nobody.
type Finder[Life any] struct {
	Base    int  // first word
	Many    bool // lives come by their start, and are told from each other by that and their end alone
	Overlap func(a, b Life) bool
	Union   func(a, b Life) Life

	taken []Life      // of each word from Base on
	next  int         // first word never used, if there are many
	free  [3][]unused // by alignment 1, 2 and 4, if there are many
}

// unused is a run of words nobody needs after a point.
type unused struct{ slot, from int32 }

// Find returns the first of n words, aligned as an access to them wants, for
// a life between two points.
func (s *Finder[Life]) Find(n int, life Life, from, to int32) int32 {
	align, class := 1, 0
	for align < n && align < 4 {
		align *= 2
		class++
	}
	if s.Many {
		return s.quick(n, align, class, from, to)
	}
	at := (align - s.Base%align) % align
	for !s.isFree(at, n, life) {
		at += align
	}
	for len(s.taken) < at+n {
		var nobody Life
		s.taken = append(s.taken, nobody)
	}
	for k := range n {
		s.taken[at+k] = s.Union(s.taken[at+k], life)
	}
	return int32(s.Base + at)
}

// isFree reports whether nobody has one of n words during a life.
func (s *Finder[Life]) isFree(at, n int, life Life) bool {
	for k := at; k < at+n && k < len(s.taken); k++ {
		if s.Overlap(s.taken[k], life) {
			return false
		}
	}
	return true
}

// quick gives a life that begins after all before it words whose
// last owner is dead for good, or new ones. Runs are kept by alignment, the
// one that is free first at the root of a heap.
func (s *Finder[Life]) quick(n, align, class int, from, to int32) int32 {
	h := s.free[class]
	if n <= align && len(h) > 0 && h[0].from <= from {
		slot := h[0].slot
		h[0].from = to
		sink(h)
		return slot
	}
	if s.next == 0 {
		s.next = s.Base
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
