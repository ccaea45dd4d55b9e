package machine

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/witness/sim/order"
)

// cta is one block: its warps, its shared memory and its barriers.
type cta struct {
	id     [3]uint32
	block  [3]uint32
	warps  []*Warp
	shared []byte
	bars   [16]barrier
	live   int // threads that have not exited
	m      *machine
	steps  uint64

	cluster *cluster
	rank    uint32
	ended   bool

	// of asynchronous work
	number  uint32
	flights []*flight
	due     uint64 // the first of them happens at this step
	shadow  []order.Cell
	mbars   map[uint64]*order.Barrier
	tensor  tensorState
}

// barrier is one of the sixteen barriers of a block. Threads count by warp:
// a warp whose threads have all arrived counts 32, as the hardware does for
// blocks whose size is no multiple of 32.
type barrier struct {
	arrived []uint32 // lanes of each warp
	waiting []uint32 // those that want to be told
	want    uint32   // threads; 0 = all of the block
	used    bool
	red     uint8
	popc    uint32
	and, or bool
	known   order.View // what those that arrived know
}

func (c *cta) thread(n int) [3]uint32 {
	x, y := int(c.block[0]), int(c.block[1])
	return [3]uint32{uint32(n % x), uint32(n / x % y), uint32(n / x / y)}
}

// arrive counts lanes m of w at barrier b and reports whether it could.
func (c *cta) arrive(w *Warp, b uint8, want, m uint32, waits bool) bool {
	x := &c.bars[b]
	if !x.used {
		x.used, x.want, x.popc, x.and, x.or = true, want, 0, true, false
		if x.arrived == nil {
			x.arrived, x.waiting = make([]uint32, len(c.warps)), make([]uint32, len(c.warps))
		}
	}
	if x.arrived[w.ID]&m != 0 {
		w.Fail(Lane(x.arrived[w.ID]&m), "arrives twice at barrier %d", b)
		return false
	}
	x.arrived[w.ID] |= m
	if w.async != nil {
		w.release(&x.known)
	}
	if waits {
		x.waiting[w.ID] |= m
		w.wait(m)
		w.cwait |= m
	}
	return true
}

// reduce adds the votes of lanes m to barrier b.
func (c *cta) reduce(b uint8, m, votes uint32) {
	x := &c.bars[b]
	x.popc += uint32(bits.OnesCount32(votes & m))
	x.and = x.and && votes&m == m
	x.or = x.or || votes&m != 0
}

// settle releases the barriers that are complete.
func (c *cta) settle() {
	for n := range c.bars {
		if x := &c.bars[n]; x.used && c.complete(x) {
			c.release(x)
		}
	}
}

func (c *cta) complete(x *barrier) bool {
	count, all := uint32(0), true
	for n, w := range c.warps {
		switch {
		case x.arrived[n]|w.exited == ^uint32(0) && x.arrived[n] != 0:
			count += 32
		case x.arrived[n]|w.exited == ^uint32(0):
		default:
			count += uint32(bits.OnesCount32(x.arrived[n]))
			all = false
		}
	}
	if x.want == 0 {
		return all
	}
	return count >= x.want
}

func (c *cta) release(x *barrier) {
	x.used = false
	if c.m.async != nil {
		defer func() { x.known = order.View{} }()
	}
	result := uint32(0)
	switch {
	case x.red == RedPopc:
		result = x.popc
	case x.red == redAnd && x.and, x.red == redOr && x.or:
		result = 1
	}
	for n, w := range c.warps {
		m := x.waiting[n]
		x.arrived[n], x.waiting[n] = 0, 0
		if m != 0 {
			w.result = result
			w.cwait &^= m
			w.scatter(m, &w.lpc)
			if w.async != nil {
				w.acquire(&x.known)
			}
		}
	}
}

// run gives every warp a turn and reports whether any moved and whether the
// block is done.
func (c *cta) run(turn int) (moved, done bool) {
	done = true
	for n := range c.warps {
		w := c.warps[n]
		if c.m.async != nil {
			w, turn = c.m.async.pick(c, n, turn)
		}
		before := w.steps
		if st := w.run(turn); st != stDone {
			done = false
		}
		c.steps += w.steps - before
		moved = moved || w.steps != before
		if c.m.err != nil {
			return moved, false
		}
	}
	return moved, done
}

// Kinds of BAR.RED.
const (
	RedPopc = iota
	redAnd
	redOr
)

// ArriveAt counts lanes m at barrier b of the block.
func (w *Warp) ArriveAt(b uint8, want, m uint32, waits bool) bool {
	return w.cta.arrive(w, b, want, m, waits)
}

// ReduceAt adds votes to a reduction at barrier b of the block.
func (w *Warp) ReduceAt(b, kind uint8, m, votes uint32) {
	w.cta.bars[b].red = kind
	w.cta.reduce(b, m, votes)
}

// SettleBlock releases the barriers of the block that are complete.
func (w *Warp) SettleBlock() { w.cta.settle() }

// Reduced is what the last reduction found.
func (w *Warp) Reduced() uint32 { return w.result }
