// Package pool gives the compiler its memory: named pools in a tree, whose
// contents die together.
//
// A Pool is a name, a place in the tree, a limit and a set of pages. What it
// hands out comes in three shapes, each with its own file:
//
//   - typed pages, Of[T]: pointers and slices of one Go type that stay valid
//     until Reset (of.go). IR nodes live here.
//   - growable vectors and hash maps on typed pages (vec.go, hashmap.go).
//   - byte blocks that can be freed one by one: size-class bins for small
//     blocks, boundary tags with coalescing for large ones (block.go,
//     large.go). Text buffers and section contents live here.
//
// Nothing is hidden from the garbage collector: typed pages are ordinary
// []T, and byte pages hold only integers of the allocator and bytes of the
// caller.
//
// Ownership. A pool's typed pages belong to one goroutine at a time and take
// no lock. Byte blocks take the pool's lock and may be shared. The tree,
// the limits and the counters of pages may be used from any goroutine.
//
// A pool that cannot get a page under its limits first asks the whole tree
// for emergency reclaim and then panics with *OutOfMemory, which the guard of
// the kernel being compiled turns into an error for that kernel alone.
package pool

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Names of the pools every compile has. The spelling is that of the reference
// compiler's statistics.
const (
	NameTop     = "Top level ptxas memory pool"
	NameOptions = "Command option parser"
	NameParse   = "PTX parsing state"
	NameKernel  = "Permanent OCG memory pool"
	NameELF     = "elfw memory space"
)

// Sizes holds the page sizes and thresholds of a pool: tuning is data.
type Sizes struct {
	Page      int // byte size of a full typed page
	FirstPage int // byte size of the first typed page; pages double up to Page
	SmallMax  int // largest byte block served by a size-class bin
	SmallPage int // byte size of a page of one size class, before rounding to it
	LargePage int // smallest page of boundary-tag blocks
	CacheMax  int // bytes of free byte pages a pool keeps for its children
}

// DefaultSizes returns the sizes used when none are given. The threshold of
// 4999 bytes between small and large blocks is the reference's; the page sizes
// were chosen with the benchmarks of this package.
func DefaultSizes() Sizes {
	return Sizes{
		Page:      64 << 10,
		FirstPage: 4 << 10,
		SmallMax:  4999,
		SmallPage: 16 << 10,
		LargePage: 256 << 10,
		CacheMax:  16 << 20,
	}
}

// OutOfMemory is the panic value raised when a limit is reached and emergency
// reclaim did not help. It ends the work that asked, not the process.
type OutOfMemory struct {
	Pool    string // the pool that was asked
	Bytes   int64  // the bytes that were asked for
	Limit   int64  // the limit that stood in the way
	LimitOf string // the pool that has the limit
}

// Error returns the message shown to the user.
func (e *OutOfMemory) Error() string {
	return fmt.Sprintf("out of memory in pool %s, %d bytes (limit of %s: %d bytes)", e.Pool, e.Bytes, e.LimitOf, e.Limit)
}

// Abort marks OutOfMemory as an error that ends the guarded work without
// being a Bug of the compiler.
func (e *OutOfMemory) Abort() {}

// section is what a Pool knows about one family of typed pages.
type section interface {
	reset()               // empty, keep pages
	release() int64       // drop the pages, return their bytes
	donate(q *Pool)       // give the pages to q, which may be nil, and refuse further use
	usage() typedUsage    // sizes for statistics
	allocated() (n int64) // bytes handed out so far, over all resets
}

// Pool is one named memory space. Use New; the zero Pool is not usable.
type Pool struct {
	name   string
	parent *Pool
	root   *Pool
	sizes  Sizes

	limit    atomic.Int64 // 0: none
	reserved atomic.Int64 // bytes of pages of this pool and all below it
	peak     atomic.Int64 // highest reserved since New or ResetPeak

	mu       sync.Mutex // guards everything below
	children []*Pool
	sections []section
	bytes    blocks
	cache    pageCache
	donors   []donor // typed pages of destroyed children
	parked   bool
	dead     bool
	reclaims []func() int64 // root only: what emergency reclaim may call
	counts   counters
}

// counters are the running totals behind Snapshot; guarded by Pool.mu.
type counters struct {
	blocks int64 // bytes handed out as byte blocks, ever, with destroyed children
	freed  int64 // bytes of byte blocks given back one by one, ever
	typed  int64 // bytes handed out by typed pages of destroyed children, ever
}

// New returns a pool named name below parent. A nil parent makes a root: the
// memory of one compile, to which a process-wide limit may be set.
func New(parent *Pool, name string) *Pool {
	if parent == nil {
		return NewRoot(name, DefaultSizes())
	}
	p := &Pool{name: name, parent: parent, root: parent.root, sizes: parent.sizes}
	parent.mu.Lock()
	defer parent.mu.Unlock()
	parent.mustLive()
	parent.children = append(parent.children, p)
	return p
}

// NewRoot returns a root pool with sizes of its own; pools below inherit them.
func NewRoot(name string, s Sizes) *Pool {
	p := &Pool{name: name, sizes: s}
	p.root = p
	return p
}

// Name returns the pool's name.
func (p *Pool) Name() string { return p.name }

// SetLimit bounds the bytes of pages that p and all pools below it may hold
// together; zero removes the bound. The limit of a root is the limit of the
// compile. Pages already held stay.
func (p *Pool) SetLimit(n int64) { p.limit.Store(n) }

// Reserved returns the bytes of pages held by p and all pools below it.
func (p *Pool) Reserved() int64 { return p.reserved.Load() }

// Peak returns the highest value Reserved had since New or ResetPeak.
func (p *Pool) Peak() int64 { return p.peak.Load() }

// ResetPeak makes the present use the peak, as at the start of a timed part.
func (p *Pool) ResetPeak() { p.peak.Store(p.reserved.Load()) }

// Reset empties p: all pointers, slices and blocks from it become invalid, its
// children are destroyed, and its pages are kept for reuse.
func (p *Pool) Reset() {
	p.endChildren()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mustLive()
	for _, s := range p.sections {
		s.reset()
	}
	p.bytes.reset()
	p.counts.freed = p.counts.blocks
}

// Park resets p and lets emergency reclaim take its pages until Wake. A worker
// parks its pool between kernels.
func (p *Pool) Park() {
	p.Reset()
	p.mu.Lock()
	p.parked = true
	p.mu.Unlock()
}

// Wake takes a parked pool back into use.
func (p *Pool) Wake() {
	p.mu.Lock()
	p.parked = false
	p.mu.Unlock()
}

// Destroy gives all memory of p and of every pool below it back and removes p
// from the tree. Using p or anything from it afterwards is a bug.
func (p *Pool) Destroy() {
	if q := p.parent; q != nil {
		q.mu.Lock()
		for i, k := range q.children {
			if k == p {
				q.children = append(q.children[:i], q.children[i+1:]...)
				break
			}
		}
		q.mu.Unlock()
	}
	p.teardown()
}

func (p *Pool) endChildren() {
	p.mu.Lock()
	kids := p.children
	p.children = nil
	p.mu.Unlock()
	for _, k := range kids {
		k.teardown()
	}
}

func (p *Pool) teardown() {
	p.endChildren()
	p.mu.Lock()
	if p.dead {
		p.mu.Unlock()
		return
	}
	p.dead = true
	end := p.counts
	sections := p.sections
	p.sections, p.donors = nil, nil
	for _, s := range sections {
		end.typed += s.allocated()
	}
	pages := p.bytes.takePages(p.cache.takeAll())
	p.mu.Unlock()
	if q := p.parent; q != nil {
		q.mu.Lock()
		q.counts.typed += end.typed
		q.counts.blocks += end.blocks
		q.counts.freed += end.blocks
		q.mu.Unlock()
	}
	p.givePages(pages)
	for _, s := range sections {
		s.donate(p.parent)
	}
	// What is left did not fit into the parent's caches; the collector takes it.
	p.uncharge(p.reserved.Load(), nil)
}

// mustLive panics when p was destroyed. The caller holds p.mu.
func (p *Pool) mustLive() {
	if p.dead {
		panic("pool: use of destroyed pool " + p.name)
	}
}

// add makes s part of p, so that Reset and Destroy reach it.
func (p *Pool) add(s section) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mustLive()
	p.sections = append(p.sections, s)
}

// charge books n bytes of pages on p and its ancestors below stop, or panics
// with *OutOfMemory after trying reclaim. The caller holds no pool lock.
func (p *Pool) charge(n int64, stop *Pool) {
	at := p.tryCharge(n, stop)
	if at == nil {
		return
	}
	p.root.Reclaim()
	if at = p.tryCharge(n, stop); at != nil {
		panic(&OutOfMemory{Pool: p.name, Bytes: n, Limit: at.limit.Load(), LimitOf: at.name})
	}
}

// tryCharge books n bytes or returns the pool whose limit forbids it.
func (p *Pool) tryCharge(n int64, stop *Pool) *Pool {
	for q := p; q != stop && q != nil; q = q.parent {
		now := q.reserved.Add(n)
		if limit := q.limit.Load(); limit > 0 && now > limit {
			q.reserved.Add(-n)
			for r := p; r != q; r = r.parent {
				r.reserved.Add(-n)
			}
			return q
		}
	}
	for q := p; q != stop && q != nil; q = q.parent {
		now := q.reserved.Load()
		for old := q.peak.Load(); now > old; old = q.peak.Load() {
			if q.peak.CompareAndSwap(old, now) {
				break
			}
		}
	}
	return nil
}

func (p *Pool) uncharge(n int64, stop *Pool) {
	for q := p; q != stop && q != nil; q = q.parent {
		q.reserved.Add(-n)
	}
}

// OnReclaim registers f to be called by emergency reclaim; f drops a cache and
// returns about how many bytes that freed. f must not use any pool of the tree.
func (p *Pool) OnReclaim(f func() int64) {
	r := p.root
	r.mu.Lock()
	r.reclaims = append(r.reclaims, f)
	r.mu.Unlock()
}

// Reclaim frees whatever the tree can spare, the cached pages of every pool
// and all pages of parked pools, calls the registered functions, and returns
// the bytes freed.
func (p *Pool) Reclaim() int64 {
	r := p.root
	n := r.reclaimTree()
	r.mu.Lock()
	fs := append([]func() int64(nil), r.reclaims...)
	r.mu.Unlock()
	for _, f := range fs {
		n += f()
	}
	return n
}

func (p *Pool) reclaimTree() int64 {
	p.mu.Lock()
	var n int64
	for _, pg := range p.cache.takeAll() {
		n += int64(len(pg))
	}
	for _, d := range p.donors {
		n += d.bytes()
	}
	p.donors = nil
	if p.parked && !p.dead {
		for _, s := range p.sections {
			n += s.release()
		}
		for _, pg := range p.bytes.takePages(nil) {
			n += int64(len(pg))
		}
	}
	kids := append([]*Pool(nil), p.children...)
	p.mu.Unlock()
	p.uncharge(n, nil)
	for _, k := range kids {
		n += k.reclaimTree()
	}
	return n
}
