package machine

import (
	"github.com/goptxas/goptxas/internal/witness/sim/order"
)

// tid is the clock of a kind of work of the warp.
func (w *Warp) tid(kind int) int { return order.ClockOf(int(w.cta.rank), kind+w.ID) }

// release gives what a warp knows to v; what it does later is later.
func (w *Warp) release(v *order.View) {
	a := w.async
	v.Merge(&a.View)
	a.tick(w)
}

// tick makes what the warp does from now on later.
func (a *asyncWarp) tick(w *Warp) { a.Known.Raise(w.tid(0), a.Known.At(w.tid(0))+1) }

// acquire takes what v knows.
func (w *Warp) acquire(v *order.View) { w.async.Merge(v) }

// barrierAt returns the state of the mbarrier at an address.
func (c *cta) barrierAt(addr uint64) *order.Barrier {
	if o, off := c.owner(addr); o != nil {
		c, addr = o, off
	}
	if b := c.mbars[addr]; b != nil {
		return b
	}
	if c.mbars == nil {
		c.mbars = map[uint64]*order.Barrier{}
	}
	b := order.NewBarrier(int(c.rank), len(c.mbars))
	c.mbars[addr] = b
	return b
}

// useBarrier checks that a warp that uses an mbarrier knows that it was made.
func (w *Warp) useBarrier(b *order.Barrier, addr uint64) {
	if b.By >= 0 && b.By != w.tid(0) && w.async.Known.At(b.By) < b.Init {
		w.m.race(b.Pc, w.At, "is used before its initialisation is known", sharedName(addr))
	}
}
