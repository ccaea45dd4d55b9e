package pool

import (
	"math/bits"
	"slices"
	"unsafe"
)

// Of hands out zeroed values of type T from pages of a pool. Pointers and
// slices stay valid until Reset of the Of or of its pool. An Of belongs to one
// goroutine at a time.
//
// The zero Of is usable: its pages are counted nowhere and no limit holds.
type Of[T any] struct {
	page []T // the page being filled
	n    int // values of page handed out

	p      *Pool
	pages  [][]T // all regular pages, in order of filling
	at     int   // page == pages[at] when page != nil
	big    []bigPage[T]
	bins   [maxBin][]spare[T]
	binned uint64 // bit k: bins[k] is not empty
	past   int64  // values handed out before the last Reset
	spare  int64  // values given back by Recycle since Reset
	taken  int64  // values handed out from bins or big pages since Reset
	held   int64  // bytes of all pages
	isDead bool
}

// bigPage is a page made for one long slice.
type bigPage[T any] struct {
	s   []T
	out bool // handed out since Reset, so not clean
}

// spare is a clean slice that may be handed out again: a big page whole, or what
// Recycle got.
type spare[T any] struct {
	s   []T
	big int32 // index in Of.big, or -1
}

// maxBin bounds the size classes of recycled slices: class k holds slices with
// capacity at least 1<<k.
const maxBin = 32

// binMin is the smallest class kept; shorter slices cost more to track than
// they save.
const binMin = 2

// For returns a new Of[T] with pages in p. It lives as long as p, also over
// Reset, so a worker makes it once, not for each function.
func For[T any](p *Pool) *Of[T] {
	o := &Of[T]{p: p}
	p.add(o)
	return o
}

// Bind makes the pages of an empty zero Of part of p, for an Of that is a field
// of something larger.
func (o *Of[T]) Bind(p *Pool) {
	if o.p != nil || o.held != 0 {
		panic("pool: Bind of typed pages in use")
	}
	o.p = p
	p.add(o)
}

// New returns a pointer to a zeroed T.
func (o *Of[T]) New() *T {
	if o.n == len(o.page) {
		o.next(1)
	}
	v := &o.page[o.n]
	o.n++
	return v
}

// Slice returns n zeroed values in a row, with capacity n.
func (o *Of[T]) Slice(n int) []T {
	if n <= len(o.page)-o.n {
		s := o.page[o.n : o.n+n : o.n+n]
		o.n += n
		return s
	}
	return o.slice(n)
}

// Copy returns a copy of s in the pool.
func (o *Of[T]) Copy(s []T) []T {
	if len(s) == 0 {
		return nil
	}
	c := o.Slice(len(s))
	copy(c, s)
	return c
}

func (o *Of[T]) slice(n int) []T {
	if n <= 0 {
		return nil
	}
	if s := o.recycled(n); s != nil {
		return s
	}
	if n > o.pageLen()/4 {
		s := make([]T, o.book(n))
		o.big = append(o.big, bigPage[T]{s, true})
		o.taken += int64(n)
		return s[:n:n]
	}
	// The rest of the old page is short: at most a quarter of it is lost.
	o.next(n)
	s := o.page[:n:n]
	o.n = n
	return s
}

// Grow returns a slice that starts with the values of s and has length n and
// capacity at least n. When s was the last thing handed out it grows in place;
// otherwise the values move and the room of s is recycled, so s must not be
// used any more.
func (o *Of[T]) Grow(s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	if c := cap(s); c > 0 && o.n >= c && len(o.page)-o.n >= n-c && &o.page[o.n-c] == unsafe.SliceData(s) {
		lo := o.n - c
		o.n = lo + n
		return o.page[lo:o.n:o.n]
	}
	g := o.Slice(n)
	copy(g, s)
	o.Recycle(s)
	return g
}

// Recycle gives the room of s, which came from o, back for later slices. No
// copy of s may be used afterwards.
func (o *Of[T]) Recycle(s []T) {
	c := cap(s)
	if c < 1<<binMin {
		return
	}
	s = s[:c]
	clear(s)
	o.put(spare[T]{s, -1})
	o.spare += int64(c)
}

// put makes x available to Slice.
func (o *Of[T]) put(x spare[T]) {
	k := min(bits.Len(uint(len(x.s)))-1, maxBin-1)
	o.bins[k] = append(o.bins[k], x)
	o.binned |= 1 << k
}

// recycled returns a slice of length n from the bins, or nil: from the class
// of n itself if one of its newest is long enough, else from up to two classes
// above it. A still larger one would waste more than a new page costs.
func (o *Of[T]) recycled(n int) []T {
	low := max(binMin, bits.Len(uint(n))-1)
	if o.binned>>low == 0 {
		return nil
	}
	for k := low; k <= min(low+2, maxBin-1); k++ {
		b := o.bins[k]
		for i := len(b) - 1; i >= max(0, len(b)-8); i-- {
			if s := b[i].s; len(s) >= n {
				o.take(k, i)
				return s[:n]
			}
		}
	}
	return nil
}

// take removes slice i of class k from the bins.
func (o *Of[T]) take(k, i int) {
	b := o.bins[k]
	last := len(b) - 1
	o.taken += int64(len(b[i].s))
	if n := b[i].big; n >= 0 {
		o.big[n].out = true
	}
	b[i] = b[last]
	b[last] = spare[T]{}
	o.bins[k] = b[:last]
	if last == 0 {
		o.binned &^= 1 << k
	}
}

// Reset takes back everything o handed out and keeps the pages. All pointers
// and slices from o become invalid.
func (o *Of[T]) Reset() { o.reset() }

// Len returns the number of values handed out since Reset.
func (o *Of[T]) Len() int { return int(o.live()) }

func (o *Of[T]) live() int64 {
	n := o.taken - o.spare + int64(o.n)
	for _, pg := range o.pages[:min(o.at, len(o.pages))] {
		n += int64(len(pg))
	}
	return n
}

func (o *Of[T]) size() int {
	var v T
	return max(1, int(unsafe.Sizeof(v)))
}

// pageLen returns the number of values the next regular page would have.
func (o *Of[T]) pageLen() int {
	s := DefaultSizes()
	if o.p != nil {
		s = o.p.sizes
	}
	want := min(s.FirstPage<<min(len(o.pages), 20), s.Page)
	return max(8, want/o.size())
}

// book charges the pool for n values and returns n.
func (o *Of[T]) book(n int) int {
	if o.isDead {
		panic("pool: use of typed pages of a destroyed pool")
	}
	b := int64(n) * int64(o.size())
	if o.p != nil {
		o.p.charge(b, nil)
	}
	o.held += b
	return n
}

// next moves to a page with room for n values: a kept one or a new one.
func (o *Of[T]) next(n int) {
	for o.page != nil && o.at+1 < len(o.pages) || o.page == nil && len(o.pages) > 0 {
		if o.page != nil {
			o.at++
		}
		o.page, o.n = o.pages[o.at], 0
		if n <= len(o.page) {
			return
		}
	}
	pg := o.newPage(n)
	o.pages = append(o.pages, pg)
	o.at = len(o.pages) - 1
	o.page, o.n = pg, 0
}

// newPage returns a page with room for n values: one that a destroyed pool left,
// or one from the heap.
func (o *Of[T]) newPage(n int) []T {
	want := max(n, o.pageLen())
	if o.p != nil && !o.isDead {
		if pg := adopt[T](o.p, n, want); pg != nil {
			o.held += int64(len(pg)) * int64(o.size())
			return pg
		}
	}
	return make([]T, o.book(want))
}

func (o *Of[T]) reset() {
	o.past += o.live() + o.spare
	o.spare, o.taken = 0, 0
	o.resetBins()
	// Clearing at Reset, in bulk, is cheaper than in New, and drops what the
	// old values pointed to.
	for i, pg := range o.pages {
		if i < o.at {
			clear(pg)
		} else if i == o.at {
			clear(pg[:o.n])
		}
	}
	o.page, o.n, o.at = nil, 0, 0
	if len(o.pages) > 0 {
		o.page = o.pages[0]
	}
}

// resetBins leaves exactly the big pages in the bins, all clean.
func (o *Of[T]) resetBins() {
	for k := range o.bins {
		if o.binned>>k&1 == 0 {
			continue
		}
		o.bins[k] = slices.DeleteFunc(o.bins[k], func(x spare[T]) bool { return x.big < 0 })
		if len(o.bins[k]) == 0 {
			o.binned &^= 1 << k
		}
	}
	for i := range o.big {
		if b := &o.big[i]; b.out {
			clear(b.s)
			b.out = false
			o.put(spare[T]{b.s, int32(i)})
		}
	}
}

// release drops all pages of an empty o and returns their bytes; the pool
// books them off.
func (o *Of[T]) release() int64 {
	o.past += o.live() + o.spare
	n, past, p := o.held, o.past, o.p
	*o = Of[T]{p: p, past: past}
	return n
}

// donate gives the pages to q, the parent of the pool, which is being destroyed.
func (o *Of[T]) donate(q *Pool) {
	p := o.p
	o.reset()
	d := donated[T]{o.pages, int64(o.size())}
	for i := range o.big {
		d.pages = append(d.pages, o.big[i].s)
	}
	*o = Of[T]{isDead: true}
	if q != nil {
		d.give(p, q)
	}
}

func (o *Of[T]) allocated() int64 { return (o.past + o.live() + o.spare) * int64(o.size()) }

func (o *Of[T]) usage() typedUsage {
	return typedUsage{
		size:  o.size(),
		pages: len(o.pages) + len(o.big),
		total: o.held,
		inUse: o.live() * int64(o.size()),
	}
}
