package machine

import (
	"math"
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
func (w *Warp) tellShared(c *cta, a uint64, b []byte, lane int, write bool) {
	w.cta.grid.opts.Watch(&Access{
		Buffer: Shared, Offset: a, Mem: b, Write: write, Atomic: w.atomic, Block: c.number(), Thread: w.Index*Lanes + lane, Phase: c.phase,
	})
}

// number counts the blocks of the grid.
func (c *cta) number() int {
	g := c.grid.launch.Grid
	return int(c.id[0] + g[0]*(c.id[1]+g[1]*c.id[2]))
}

// tell reports an access to segment n.
func (w *Warp) tell(n int, off uint64, b []byte, lane int, write bool) {
	c, g := w.cta, w.cta.grid
	buffer := n - len(g.p.lay.global)
	if buffer >= g.buffers {
		buffer = -1 - n
	}
	g.opts.Watch(&Access{
		Buffer: buffer, Offset: off, Mem: b, Write: write, Atomic: w.atomic,
		Block: c.number(), Thread: w.Index*Lanes + lane, Phase: c.phase,
	})
}
