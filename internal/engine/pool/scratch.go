package pool

import "unsafe"

// Scratch is memory for the tables of one step of work: slices of plain data
// that are forgotten together, so that the next step finds their memory warm
// instead of asking for more. It belongs to one goroutine at a time. A nil
// Scratch takes everything from the heap.
type Scratch struct {
	pages []page
	at    int // the page being filled
	used  int // units of it handed out
	total int // units of all pages
}

// page is memory without pointers, in units of the strictest alignment.
type page struct {
	mem   []uint64
	dirty int // units that were handed out before
}

// Sizes of the pages of a Scratch, in units: from the first to the full size
// they double. What does not fit into the most is taken from the heap.
const (
	firstUnits = 8 << 10
	fullUnits  = 256 << 10
	mostUnits  = 512 << 10
)

// Make returns n zeroed values, which are gone with the next Reset. T holds no
// pointers: builds with the race detector panic if it does.
func Make[T any](s *Scratch, n int) []T { return Room[T](s, n)[:n] }

// Room returns an empty slice with zeroed room for n values.
func Room[T any](s *Scratch, n int) []T {
	var v T
	size := unsafe.Sizeof(v)
	if s == nil || n == 0 || size == 0 {
		return make([]T, 0, n)
	}
	if checked {
		mustBePlain(v)
	}
	mem := s.units((n*int(size) + 7) / 8)
	return unsafe.Slice((*T)(unsafe.Pointer(&mem[0])), n)[:0]
}

// units returns n zeroed units.
func (s *Scratch) units(n int) []uint64 {
	for s.at < len(s.pages) && s.used+n > len(s.pages[s.at].mem) {
		s.at++
		s.used = 0
	}
	if s.at == len(s.pages) {
		want := max(n, min(firstUnits<<min(s.at, 20), fullUnits))
		if s.total+want > mostUnits {
			return make([]uint64, n)
		}
		s.pages = append(s.pages, page{mem: make([]uint64, want)})
		s.total += want
	}
	p := &s.pages[s.at]
	mem := p.mem[s.used : s.used+n : s.used+n]
	clear(mem[:min(n, max(0, p.dirty-s.used))])
	s.used += n
	p.dirty = max(p.dirty, s.used)
	return mem
}

// Mark is a place in a Scratch.
type Mark struct{ at, used int }

// Mark returns the place behind all that was handed out.
func (s *Scratch) Mark() Mark {
	if s == nil {
		return Mark{}
	}
	return Mark{s.at, s.used}
}

// Release forgets what was handed out behind a mark.
func (s *Scratch) Release(m Mark) {
	if s == nil {
		return
	}
	s.at, s.used = m.at, m.used
	if checked {
		s.poison()
	}
}

// Reset forgets all that was handed out.
func (s *Scratch) Reset() { s.Release(Mark{}) }

// poison fills what is not handed out, so that who still reads it notices.
func (s *Scratch) poison() {
	from := s.used
	for n := s.at; n < len(s.pages); n++ {
		p := &s.pages[n]
		for k := from; k < p.dirty; k++ {
			p.mem[k] = 0xdbdbdbdbdbdbdbdb
		}
		from = 0
	}
}
