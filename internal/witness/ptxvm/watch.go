package ptxvm

import (
	"math"
	"math/bits"
)

// Access is one thread's access to global or shared memory, told before it
// happens.
type Access struct {
	// Buffer counts the pointers of the launch in the order of the arguments;
	// variables of the module and the heap are below zero.
	Buffer        int
	Offset        uint64
	Mem           []byte // the bytes as they are now; a write fills them after the call
	Write, Atomic bool
	Block, Thread int // of the grid, of the block
	Phase         int // barriers that the block has passed
}

// Shared is the Buffer of accesses to shared memory; Block tells whose.
const Shared = math.MinInt

// tellShared reports an access to the shared memory of a block.
func (w *warp) tellShared(c *cta, a uint64, b []byte, lane int, write bool) {
	w.cta.grid.opts.Watch(&Access{
		Buffer: Shared, Offset: a, Mem: b, Write: write, Atomic: w.atomic, Block: c.number(), Thread: w.index*lanes + lane, Phase: c.phase,
	})
}

// number counts the blocks of the grid.
func (c *cta) number() int {
	g := c.grid.launch.Grid
	return int(c.id[0] + g[0]*(c.id[1]+g[1]*c.id[2]))
}

// tell reports an access to segment n.
func (w *warp) tell(n int, off uint64, b []byte, lane int, write bool) {
	c, g := w.cta, w.cta.grid
	buffer := n - len(g.p.lay.global)
	if buffer >= g.buffers {
		buffer = -1 - n
	}
	g.opts.Watch(&Access{
		Buffer: buffer, Offset: off, Mem: b, Write: write, Atomic: w.atomic,
		Block: c.number(), Thread: w.index*lanes + lane, Phase: c.phase,
	})
}

// external decodes a call of a function of the system, which has no body. A
// failed assertion is a fault, and so is every function but those of the
// heap, which never runs out here, and printing, which shows nothing and
// returns zero.
func (d *decoder) external(name string, site *callSite) {
	switch name {
	case "__assertfail":
		d.out.run = func(w *warp) { w.fail(bits.TrailingZeros32(w.mask), "an assertion does not hold") }
	case "vprintf":
		d.out.run = func(w *warp) {
			for k := range site.rets {
				w.zero(&site.rets[k])
			}
		}
	case "free":
		d.out.run = func(*warp) {}
	case "malloc":
		if len(site.args) != 1 || len(site.rets) != 1 {
			d.unknown()
		}
		d.out.run = func(w *warp) { w.malloc(&site.args[0], &site.rets[0]) }
	default:
		d.out.run = func(w *warp) { w.fail(bits.TrailingZeros32(w.mask), "a call of %s, which has no body", name) }
	}
}

// maxHeap is the most that one call of malloc gives.
const maxHeap = 1 << 20

// malloc gives each lane memory of its own.
func (w *warp) malloc(size, to *actual) {
	g := w.cta.grid
	g.open = true
	for m := w.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		var n uint64
		if size.frame >= 0 {
			at := w.frame.base[l] + uint32(size.frame)
			n = get(w.local[l][at : at+8])
		} else {
			n = w.col(&size.value, 1)[l]
		}
		var a uint64 // the machine returns null when it has no more
		if n <= maxHeap && len(g.mem.segments) < 1<<16 {
			b := make([]byte, n)
			g.dirty(b)
			a = g.mem.alloc(b)
		}
		switch {
		case to.none:
		case to.frame >= 0:
			at := w.frame.base[l] + uint32(to.frame)
			put(w.local[l][at:at+8], a)
		default:
			w.frame.regs[to.reg.slot][l] = a
			w.frame.def[to.reg.slot] |= 1 << l
		}
	}
}

// zero makes a result of a call zero in the lanes of w.mask.
func (w *warp) zero(to *actual) {
	if to.none {
		return
	}
	for m := w.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if to.frame >= 0 {
			at := w.frame.base[l] + uint32(to.frame)
			clear(w.local[l][at : at+4])
			continue
		}
		w.frame.regs[to.reg.slot][l] = 0
		w.frame.def[to.reg.slot] |= 1 << l
	}
}
