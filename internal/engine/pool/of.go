package pool

import "unsafe"

// Of hands out zeroed values of type T from pages of a pool. Pointers and
// slices stay valid until the pool is destroyed. An Of belongs to one
// goroutine at a time.
//
// The zero Of is usable: its pages are counted nowhere and live on the heap.
type Of[T any] struct {
	page []T // the page being filled
	n    int // values of page handed out

	p      *Pool
	pages  [][]T // all pages; page is the last regular one of them
	used   []int // values of each page handed out, but of page itself
	at     int   // page == pages[at] when page != nil
	isDead bool
}

// Bind makes the pages of an empty zero Of part of p.
func (o *Of[T]) Bind(p *Pool) {
	if o.p != nil || len(o.pages) != 0 {
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

func (o *Of[T]) slice(n int) []T {
	if n > o.pageLen()/4 { // a page of its own
		s := o.newPage(n, n)
		o.pages, o.used = append(o.pages, s), append(o.used, n)
		return s[:n:n]
	}
	// The rest of the old page is short: at most a quarter of it is lost.
	o.next(n)
	o.n = n
	return o.page[:n:n]
}

func (o *Of[T]) size() int {
	var v T
	return max(1, int(unsafe.Sizeof(v)))
}

// pageLen returns the number of values the next regular page would have.
func (o *Of[T]) pageLen() int {
	return max(8, min(firstPage<<min(len(o.pages), 20), fullPage)/o.size())
}

// next moves to a new page with room for n values.
func (o *Of[T]) next(n int) {
	if o.page != nil {
		o.used[o.at] = o.n
	}
	o.page, o.n = o.newPage(n, max(n, o.pageLen())), 0
	o.at = len(o.pages)
	o.pages, o.used = append(o.pages, o.page), append(o.used, 0)
}

// newPage returns a page with room for n values and better for want: one that a
// destroyed pool left, or one from the heap.
func (o *Of[T]) newPage(n, want int) []T {
	switch {
	case o.isDead:
		panic("pool: use of typed pages of a destroyed pool")
	case o.p == nil:
		return make([]T, want)
	}
	if pg := adopt[T](o.p, n, want); pg != nil {
		return pg
	}
	o.p.charge(int64(want)*int64(o.size()), nil)
	return make([]T, want)
}

// donate gives the pages, cleared, to q, the parent of the pool, which is being
// destroyed.
func (o *Of[T]) donate(q *Pool) {
	p, pages := o.p, o.pages
	if o.page != nil {
		o.used[o.at] = o.n
	}
	for i, pg := range pages {
		clear(pg[:o.used[i]])
	}
	d := donated[T]{pages, int64(o.size())}
	*o = Of[T]{isDead: true}
	if q != nil {
		d.give(p, q)
	}
}

// allocated returns the bytes handed out.
func (o *Of[T]) allocated() int64 {
	n := 0
	for i := range o.used {
		n += o.used[i]
	}
	if o.page != nil {
		n += o.n - o.used[o.at]
	}
	return int64(n) * int64(o.size())
}
