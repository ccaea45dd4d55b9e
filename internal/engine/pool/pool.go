// Package pool gives the compiler's IR its memory: pools in a tree, whose
// contents die together.
//
// A Pool hands out typed pages, Of[T]: pointers and slices of one Go type that
// stay valid until the pool is destroyed. A kernel's functions, blocks,
// instructions and operands live in one pool; when it is destroyed its pages
// go to the pool above it, empty, where the next kernel finds them.
//
// Nothing is hidden from the garbage collector: pages are ordinary []T.
//
// Ownership. A pool's pages belong to one goroutine at a time and take no
// lock. The tree and the counters may be used from any goroutine.
package pool

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Names of the pools of a compile. The spelling is that of the reference
// compiler's statistics.
const (
	NameTop    = "Top level ptxas memory pool"
	NameKernel = "Permanent OCG memory pool"
)

// Sizes of pages in bytes, chosen with the benchmarks of this package: pages of
// one type double from the first to the full size. keepMax bounds the empty
// pages a pool keeps for those below it.
const (
	fullPage  = 64 << 10
	firstPage = 4 << 10
	keepMax   = 16 << 20
)

// section is what a Pool knows about one family of typed pages.
type section interface {
	donate(q *Pool)   // give the pages to q, which may be nil, and refuse further use
	allocated() int64 // bytes handed out so far
}

// Pool is one named memory space. Use New; the zero Pool is not usable.
type Pool struct {
	name     string
	parent   *Pool
	reserved atomic.Int64 // bytes of pages of this pool and all below it

	mu       sync.Mutex // guards everything below
	children []*Pool
	sections []section
	donors   []donor // pages of destroyed children
	past     int64   // bytes handed out by destroyed children
	dead     bool
}

// New returns a pool named name below parent; a nil parent makes a root.
func New(parent *Pool, name string) *Pool {
	p := &Pool{name: name, parent: parent}
	if parent == nil {
		return p
	}
	parent.mu.Lock()
	defer parent.mu.Unlock()
	parent.mustLive()
	parent.children = append(parent.children, p)
	return p
}

// Reserved returns the bytes of pages held by p and all pools below it.
func (p *Pool) Reserved() int64 { return p.reserved.Load() }

// Destroy gives all memory of p and of every pool below it to the pool above
// and removes p from the tree. Using p or anything from it afterwards is a bug.
func (p *Pool) Destroy() {
	if q := p.parent; q != nil {
		q.mu.Lock()
		if i := slices.Index(q.children, p); i >= 0 {
			q.children = slices.Delete(q.children, i, i+1)
		}
		q.mu.Unlock()
	}
	p.teardown()
}

func (p *Pool) teardown() {
	p.mu.Lock()
	kids := p.children
	p.children = nil
	p.mu.Unlock()
	for _, k := range kids {
		k.teardown()
	}
	p.mu.Lock()
	if p.dead {
		p.mu.Unlock()
		return
	}
	p.dead = true
	past, sections := p.past, p.sections
	p.sections, p.donors = nil, nil
	p.mu.Unlock()
	for _, s := range sections {
		past += s.allocated()
		s.donate(p.parent)
	}
	if q := p.parent; q != nil {
		q.mu.Lock()
		q.past += past
		q.mu.Unlock()
	}
	// What is left did not fit into the parent's stock; the collector takes it.
	p.charge(-p.reserved.Load(), nil)
}

// mustLive panics when p was destroyed. The caller holds p.mu.
func (p *Pool) mustLive() {
	if p.dead {
		panic("pool: use of destroyed pool " + p.name)
	}
}

// add makes s part of p, so that Destroy reaches it.
func (p *Pool) add(s section) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mustLive()
	p.sections = append(p.sections, s)
}

// charge books n bytes of pages on p and its ancestors below stop.
func (p *Pool) charge(n int64, stop *Pool) {
	for q := p; q != stop && q != nil; q = q.parent {
		q.reserved.Add(n)
	}
}

// donor is a stock of empty pages that pools below may use.
type donor interface{ bytes() int64 }

// donated is the stock of one type.
type donated[T any] struct {
	pages [][]T
	size  int64 // bytes of one T
}

func (d *donated[T]) bytes() int64 {
	n := int64(0)
	for _, pg := range d.pages {
		n += int64(len(pg))
	}
	return n * d.size
}

// give hands the pages of the dying pool p to q, its parent, where the pools of
// later kernels find them; what is beyond q's stock is dropped.
func (d *donated[T]) give(p, q *Pool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.dead {
		return
	}
	var held int64
	var stock *donated[T]
	for _, x := range q.donors {
		held += x.bytes()
		if s, ok := x.(*donated[T]); ok {
			stock = s
		}
	}
	if stock == nil {
		stock = &donated[T]{size: d.size}
		q.donors = append(q.donors, stock)
	}
	for _, pg := range d.pages {
		n := int64(len(pg)) * d.size
		if held += n; held > keepMax {
			return
		}
		stock.pages = append(stock.pages, pg)
		p.charge(-n, q)
	}
}

// adopt returns an empty page from the stocks of p's ancestors with room for n
// values and at most twice want, booked on p, or nil.
func adopt[T any](p *Pool, n, want int) []T {
	for q := p.parent; q != nil; q = q.parent {
		if pg := adoptFrom[T](p, q, n, want); pg != nil {
			return pg
		}
	}
	return nil
}

func adoptFrom[T any](p, q *Pool, n, want int) []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, x := range q.donors {
		d, ok := x.(*donated[T])
		if !ok {
			continue
		}
		for i := len(d.pages) - 1; i >= 0; i-- {
			pg := d.pages[i]
			if len(pg) < n || len(pg) > 2*want {
				continue
			}
			last := len(d.pages) - 1
			d.pages[i] = d.pages[last]
			d.pages[last] = nil
			d.pages = d.pages[:last]
			p.charge(int64(len(pg))*d.size, q)
			return pg
		}
	}
	return nil
}
