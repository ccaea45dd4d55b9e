package pool

import (
	"math/bits"
	"slices"
	"unsafe"
)

// Byte blocks. A small block comes from a page that holds blocks of one size,
// a multiple of eight; freed blocks of a size form a stack, and blocks that were
// never handed out are counted, not listed, so that Reset costs nothing for
// each. A large block comes
// from a boundary-tag page (large.go). The page of a block to be freed is found
// by address in a sorted list, so blocks carry no header and a wrong Free is
// noticed.

// minBlock is the smallest size class, as in the reference.
const minBlock = 16

// blocks is the byte-block half of a Pool, guarded by Pool.mu.
type blocks struct {
	bins  []bin // by size / 8
	small []*smallPage
	large largeSpace
	index []pageRef // all pages, sorted by address
}

// bin holds the free blocks of one size.
type bin struct {
	free  []slot       // freed blocks, the last freed on top
	pages []*smallPage // all pages of the size
	at    int          // pages before it have no fresh block
}

// slot names one block of a small page.
type slot struct {
	page *smallPage
	n    int32
}

type smallPage struct {
	mem   []byte
	size  int      // bytes of each block
	n     int      // blocks
	fresh int      // blocks from here on were not handed out since reset
	free  int      // blocks not handed out now
	used  []uint64 // bit n: block n is handed out
}

type pageRef struct {
	base  uintptr
	end   uintptr
	small *smallPage // nil for a large page
	large *largePage
}

func addrOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// Alloc returns n zeroed bytes that stay valid until Free, Reset or Destroy.
// It may be called from any goroutine.
func (p *Pool) Alloc(n int) []byte {
	if n <= 0 {
		return nil
	}
	var b []byte
	if size := max(minBlock, (n+7)&^7); n <= p.sizes.SmallMax {
		b = p.allocSmall(n, size)
	} else {
		b = p.allocLarge(n)
	}
	clear(b)
	return b
}

// Free gives a block from Alloc back. Freeing anything else is a bug and
// panics.
func (p *Pool) Free(b []byte) {
	if cap(b) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mustLive()
	a := addrOf(b)
	ref := p.bytes.lookup(a)
	if ref == nil {
		panic("pool: block is not of pool " + p.name)
	}
	if sp := ref.small; sp != nil {
		off := int(a - ref.base)
		n := off / sp.size
		if off%sp.size != 0 || sp.used[n/64]>>(n%64)&1 == 0 {
			panic("pool: block freed twice or not a block, pool " + p.name)
		}
		sp.used[n/64] &^= 1 << (n % 64)
		sp.free++
		b := &p.bytes.bins[sp.size/8]
		b.free = append(b.free, slot{sp, int32(n)})
		p.counts.freed += int64(sp.size)
		return
	}
	n, ok := p.bytes.large.free(ref.large, int(a-ref.base))
	if !ok {
		panic("pool: block freed twice or not a block, pool " + p.name)
	}
	p.counts.freed += int64(n)
}

// Realloc returns a block of n bytes that starts with the bytes of b and frees
// b, unless b already has room.
func (p *Pool) Realloc(b []byte, n int) []byte {
	if n <= cap(b) {
		if n > len(b) {
			clear(b[len(b):n])
		}
		return b[:n]
	}
	g := p.Alloc(n)
	copy(g, b)
	p.Free(b)
	return g
}

func (p *Pool) allocSmall(n, size int) []byte {
	for {
		if b := p.popSmall(n, size); b != nil {
			return b
		}
		// Taking a page may charge ancestors, so it happens unlocked.
		mem := p.takePage(size * max(1, p.sizes.SmallPage/size))
		p.mu.Lock()
		p.bytes.addSmall(mem, size)
		p.mu.Unlock()
	}
}

// popSmall returns n bytes of a free block of the given size, or nil.
func (p *Pool) popSmall(n, size int) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mustLive()
	if p.bytes.bins == nil {
		p.bytes.bins = make([]bin, (p.sizes.SmallMax+7)/8+3)
	}
	s, ok := p.bytes.bins[size/8].pop()
	if !ok {
		return nil
	}
	s.page.free--
	s.page.used[s.n/64] |= 1 << (s.n % 64)
	p.counts.blocks += int64(size)
	lo := int(s.n) * size
	return s.page.mem[lo : lo+n : lo+size]
}

// pop takes a free block, the last freed first, then fresh ones.
func (b *bin) pop() (slot, bool) {
	if last := len(b.free) - 1; last >= 0 {
		s := b.free[last]
		b.free = b.free[:last]
		return s, true
	}
	for ; b.at < len(b.pages); b.at++ {
		if sp := b.pages[b.at]; sp.fresh < sp.n {
			sp.fresh++
			return slot{sp, int32(sp.fresh - 1)}, true
		}
	}
	return slot{}, false
}

// len returns the number of free blocks.
func (b *bin) len() int {
	n := len(b.free)
	for _, sp := range b.pages[b.at:] {
		n += sp.n - sp.fresh
	}
	return n
}

func (p *Pool) allocLarge(n int) []byte {
	for {
		if b := p.popLarge(n); b != nil {
			return b
		}
		mem := p.takePage(max(p.sizes.LargePage, pageFor(n)))
		p.mu.Lock()
		lp := p.bytes.large.add(mem)
		p.bytes.insert(pageRef{base: addrOf(mem), end: addrOf(mem) + uintptr(len(mem)), large: lp})
		p.mu.Unlock()
	}
}

// popLarge returns n bytes of a free boundary-tag block, or nil.
func (p *Pool) popLarge(n int) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mustLive()
	b, got := p.bytes.large.alloc(n)
	p.counts.blocks += int64(got)
	return b
}

func (b *blocks) addSmall(mem []byte, size int) {
	n := len(mem) / size
	sp := &smallPage{mem: mem, size: size, n: n, free: n, used: make([]uint64, (n+63)/64)}
	b.small = append(b.small, sp)
	of := &b.bins[size/8]
	of.pages = append(of.pages, sp)
	b.insert(pageRef{base: addrOf(mem), end: addrOf(mem) + uintptr(len(mem)), small: sp})
}

func (b *blocks) insert(r pageRef) {
	i, _ := slices.BinarySearchFunc(b.index, r.base, func(x pageRef, a uintptr) int {
		if x.base < a {
			return -1
		}
		return 1
	})
	b.index = slices.Insert(b.index, i, r)
}

// lookup returns the page that holds address a.
func (b *blocks) lookup(a uintptr) *pageRef {
	lo, hi := 0, len(b.index)
	for lo < hi {
		mid := (lo + hi) / 2
		if b.index[mid].end <= a {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(b.index) && b.index[lo].base <= a {
		return &b.index[lo]
	}
	return nil
}

// reset frees all blocks and keeps the pages.
func (b *blocks) reset() {
	for _, sp := range b.small {
		sp.fresh, sp.free = 0, sp.n
		clear(sp.used)
		of := &b.bins[sp.size/8]
		of.free, of.at = of.free[:0], 0
	}
	b.large.reset()
}

// takePages empties b and returns its pages, appended to pages.
func (b *blocks) takePages(pages [][]byte) [][]byte {
	for _, sp := range b.small {
		pages = append(pages, sp.mem)
	}
	for _, lp := range b.large.pages {
		pages = append(pages, lp.mem)
	}
	*b = blocks{}
	return pages
}

// order is the index of the free list for a block of n bytes: floor(log2 n).
func order(n int) int { return bits.Len(uint(n)) - 1 }
