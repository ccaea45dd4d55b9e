package machine

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

// ProbeCopy tells of the copies of the running lanes.
func (w *Warp) ProbeCopy(maps, shared, bar *Column, coords []Operand) {
	for m := w.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		c := TensorCopy{Param: -1, Rank: len(coords), Load: bar != nil, Shared: shared[l], Block: w.cta.number()}
		if space, a := Resolve(maps[l]); space == isa.SpaceParam {
			c.Param = int(a)
		}
		if bar != nil {
			c.Bar = bar[l]
		}
		for n := range coords {
			c.At[n] = int32(w.Col(&coords[n], 1)[l])
		}
		w.cta.grid.opts.Probe.Copy(&c)
	}
}

// Probing tells that a Probe watches this launch.
func (w *Warp) Probing() bool { return w.cta.grid.opts.Probe != nil }
