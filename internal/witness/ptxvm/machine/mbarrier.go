package machine

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// An mbarrier is 64 bits of shared memory: pending arrivals in bits 0 to 19,
// expected ones in 20 to 39, pending bytes in 40 to 62 (with a sign), and the
// phase in bit 63. PTX leaves the layout open; programs see it only through
// the instructions.
const (
	PendingMask = 1<<20 - 1
	mbTx        = 1<<23 - 1
	mbPhase     = 1 << 63
)

// settle begins a new phase if nothing is pending.
func settle(v uint64) uint64 {
	if v&PendingMask == 0 && v>>40&mbTx == 0 {
		v = v&^PendingMask | v>>20&PendingMask
		v ^= mbPhase
	}
	return v
}

// addTx changes the pending bytes.
func addTx(v uint64, n int64) uint64 {
	tx := uint64(Sx(v>>40, 23)+n) & mbTx
	return v&^(mbTx<<40) | tx<<40
}

// BarrierAt is an mbarrier's bytes, to be changed.
func (w *Warp) BarrierAt(space isa.Space, a uint64, l int) []byte {
	return w.BarrierFor(space, a, l, true)
}

// BarrierFor is an mbarrier's bytes; accesses to it never race.
func (w *Warp) BarrierFor(space isa.Space, a uint64, l int, write bool) []byte {
	r := w.cta.races
	w.cta.races = nil
	b := w.Bytes(space, a, l, 8, 8, write)
	w.cta.races = r
	return b
}

// maxPolls is how often warps may find mbarriers not complete while nobody
// writes anything.
const maxPolls = 1 << 16

// Poll lets other warps run after a wait in vain. Where all only wait, nothing
// will ever change.
func (w *Warp) Poll() {
	g := w.cta.grid
	w.yields = true
	if g.polls++; g.polls > maxPolls {
		w.Fail(bits.TrailingZeros32(w.Mask), "waits for an mbarrier that never completes")
	}
}

// ExpectTx adds bytes to what a barrier waits for.
func (w *Warp) ExpectTx(v, addr, n uint64) uint64 {
	if p := w.cta.grid.opts.Probe; p != nil {
		p.Expect(w.cta.number(), addr, n)
		return v
	}
	return addTx(v, int64(n))
}

// CompleteTx takes bytes that came from what a barrier waits for.
func (w *Warp) CompleteTx(mem []byte, n uint64) {
	Put(mem, w.WithoutTx(Get(mem), n))
}

// ArriveAt counts so many arrivals at the mbarrier in mem, which must expect
// them.
func (w *Warp) ArriveAt(mem []byte, v, count uint64, drop bool, l int) {
	if v&PendingMask < count {
		w.Fail(l, "%d threads arrive where %d are expected", count, v&PendingMask)
	}
	v -= count
	if drop {
		v -= count << 20
	}
	Put(mem, settle(v))
}

// WithoutTx is an mbarrier after bytes that it waits for came.
func (w *Warp) WithoutTx(v, n uint64) uint64 {
	if w.Probing() {
		return v
	}
	return settle(addTx(v, -int64(n)))
}

// ArriveOne is an mbarrier after one arrival.
func (w *Warp) ArriveOne(v uint64, l int) uint64 {
	if v&PendingMask == 0 {
		w.Fail(l, "an arrival where none is expected")
	}
	return settle(v - 1)
}
