package ptxvm

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Probe is told what a launch does with tensor maps. Such a run needs no
// maps: copies of tensors bring nothing, products of warp groups leave their
// sums as they are, and barriers wait for arrivals only. It shows which map
// is used how, so that maps can be made for a real run.
type Probe struct {
	Copy   func(c *TensorCopy)
	Expect func(block int, bar, bytes uint64)
}

// TensorCopy is one copy of a box.
type TensorCopy struct {
	Param int // where in the parameters the map lies, or -1
	Rank  int
	At    [5]int32
	Load  bool
	// Shared is the address of the box in shared memory, Bar the barrier that
	// a load tells.
	Shared, Bar uint64
	Block       int
}

// probeCopy tells of the copies of the running lanes.
func (w *warp) probeCopy(maps, shared, bar *column, coords []operand) {
	for m := w.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		c := TensorCopy{Param: -1, Rank: len(coords), Load: bar != nil, Shared: shared[l], Block: w.cta.number()}
		if space, a := resolve(maps[l]); space == isa.SpaceParam {
			c.Param = int(a)
		}
		if bar != nil {
			c.Bar = bar[l]
		}
		for n := range coords {
			c.At[n] = int32(w.col(&coords[n], 1)[l])
		}
		w.cta.grid.opts.Probe.Copy(&c)
	}
}

// expectTx adds bytes to what a barrier waits for.
func (w *warp) expectTx(v, addr, n uint64) uint64 {
	if p := w.cta.grid.opts.Probe; p != nil {
		p.Expect(w.cta.number(), addr, n)
		return v
	}
	return addTx(v, int64(n))
}

// completeTx takes bytes that came from what a barrier waits for.
func (w *warp) completeTx(mem []byte, n uint64) {
	if w.cta.grid.opts.Probe == nil {
		put(mem, settle(addTx(get(mem), -int64(n))))
	}
}
