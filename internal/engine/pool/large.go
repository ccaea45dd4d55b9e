package pool

import "encoding/binary"

// Boundary-tag pages, after Knuth. Every block, free or not, begins and ends
// with a tag word: its whole size, with bit 0 set while it is handed out. The
// two tags let Free find both neighbours and merge with the free ones in
// constant time. A free block also holds the links of its free list, as numbers
// (page, offset), never as pointers. A page begins and ends with a used tag, so
// that no neighbour lies outside.
//
//	page: | used | tag … block … tag | tag … block … tag | used |

const (
	tagSize  = 8
	overhead = 2 * tagSize // the tags of a block
	// minLarge is the smallest block: two tags and two links. A remainder
	// under it is not split off.
	minLarge  = overhead + 16
	numOrders = 48
)

// pageFor returns the page size that one block of n bytes needs.
func pageFor(n int) int { return (n+7)&^7 + overhead + 2*tagSize }

type largePage struct {
	mem []byte
	id  uint32
}

// link names a free block, page number + 1 above offset; 0 is none.
type link uint64

type largeSpace struct {
	pages []*largePage
	heads [numOrders]link
	top   int // no list above it is in use
}

func (lp *largePage) tag(off int) uint64 { return binary.LittleEndian.Uint64(lp.mem[off:]) }

func (lp *largePage) setTag(off int, v uint64) { binary.LittleEndian.PutUint64(lp.mem[off:], v) }

// mark writes both tags of the block at off.
func (lp *largePage) mark(off, size int, used uint64) {
	lp.setTag(off, uint64(size)|used)
	lp.setTag(off+size-tagSize, uint64(size)|used)
}

func (l *largeSpace) at(k link) (*largePage, int) {
	return l.pages[uint32(k>>32)-1], int(uint32(k))
}

func (l *largeSpace) add(mem []byte) *largePage {
	lp := &largePage{mem: mem, id: uint32(len(l.pages))}
	l.pages = append(l.pages, lp)
	l.open(lp)
	return lp
}

// open makes the whole of lp one free block.
func (l *largeSpace) open(lp *largePage) {
	n := len(lp.mem) &^ 7
	lp.setTag(0, 1)
	lp.setTag(n-tagSize, 1)
	lp.mark(tagSize, n-2*tagSize, 0)
	l.push(lp, tagSize)
}

func (l *largeSpace) reset() {
	l.heads, l.top = [numOrders]link{}, 0
	for _, lp := range l.pages {
		l.open(lp)
	}
}

// alloc returns a block with room for n bytes and its whole size, or nil when
// no free block is large enough.
func (l *largeSpace) alloc(n int) ([]byte, int) {
	need := max((n+7)&^7+overhead, minLarge)
	for k := order(need); k <= l.top; k++ {
		for at := l.heads[k]; at != 0; {
			lp, off := l.at(at)
			size := int(lp.tag(off))
			if size < need {
				at = link(lp.tag(off + tagSize))
				continue
			}
			l.unlink(lp, off)
			if rest := size - need; rest >= minLarge {
				lp.mark(off+need, rest, 0)
				l.push(lp, off+need)
				size = need
			}
			lp.mark(off, size, 1)
			lo := off + tagSize
			return lp.mem[lo : lo+n : off+size-tagSize], size
		}
	}
	return nil, 0
}

// free gives back the block whose bytes begin at off in lp, merges it with free
// neighbours, and returns its size; false when there is no such block.
func (l *largeSpace) free(lp *largePage, off int) (int, bool) {
	off -= tagSize
	if off < tagSize || off%8 != 0 || lp.tag(off)&1 == 0 {
		return 0, false
	}
	size := int(lp.tag(off) &^ 1)
	if size < minLarge || off+size > len(lp.mem)-tagSize || lp.tag(off+size-tagSize) != lp.tag(off) {
		return 0, false
	}
	freed := size
	if next := lp.tag(off + size); next&1 == 0 {
		l.unlink(lp, off+size)
		size += int(next)
	}
	// The old tag must not look like a block to a second Free.
	lp.setTag(off, 0)
	if prev := lp.tag(off - tagSize); prev&1 == 0 {
		off -= int(prev)
		l.unlink(lp, off)
		size += int(prev)
	}
	lp.mark(off, size, 0)
	l.push(lp, off)
	return freed, true
}

func (l *largeSpace) push(lp *largePage, off int) {
	k := order(int(lp.tag(off)))
	l.top = max(l.top, k)
	self := link(lp.id+1)<<32 | link(off)
	head := l.heads[k]
	lp.setTag(off+tagSize, uint64(head))
	lp.setTag(off+2*tagSize, 0)
	if head != 0 {
		hp, ho := l.at(head)
		hp.setTag(ho+2*tagSize, uint64(self))
	}
	l.heads[k] = self
}

func (l *largeSpace) unlink(lp *largePage, off int) {
	next, prev := link(lp.tag(off+tagSize)), link(lp.tag(off+2*tagSize))
	if prev != 0 {
		pp, po := l.at(prev)
		pp.setTag(po+tagSize, uint64(next))
	} else {
		l.heads[order(int(lp.tag(off)))] = next
	}
	if next != 0 {
		np, no := l.at(next)
		np.setTag(no+2*tagSize, uint64(prev))
	}
}

// each calls f for every block of lp.
func (lp *largePage) each(f func(off, size int, used bool)) {
	end := len(lp.mem)&^7 - tagSize
	for off := tagSize; off < end; {
		t := lp.tag(off)
		size := int(t &^ 1)
		f(off, size, t&1 != 0)
		off += size
	}
}
