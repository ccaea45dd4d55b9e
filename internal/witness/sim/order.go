package sim

import "slices"

// What the rules order. Every warp, and every kind of asynchronous work a
// warp orders, has a clock; a view says of each clock how far it is known.
// Barriers, mbarriers and strong accesses carry views from warp to warp. An
// access is ordered behind an earlier one when the view of who makes it
// covers the earlier one's clock. There are views for what is known at all,
// for what the asynchronous proxy sees, for what was performed for the whole
// GPU, and for what the tensor-map proxy sees (PTX ISA, Memory Consistency
// Model: causality order and proxies).

// Clocks of a block, by warp where there is one for each.
const (
	tidGMMA     = 32 * (iota + 1) // products of a warp group, by committed group
	tidBulkRead                   // bulk copies out of shared memory, by group
	tidBulkDone                   // and their end
	tidCopy                       // LDGSTS, by group
	tidAtom                       // atomics of global memory
	tidRemote                     // stores to the shared memory of other blocks
	tidTensor                     // orders on tensor memory, by commit
	tidBar                        // one for each mbarrier, by phase
	numTids     = 320             // of one block of a cluster
)

// clocks are times by clock; those that are not there are zero.
type clocks []uint32

func (c clocks) at(n int) uint32 {
	if n < len(c) {
		return c[n]
	}
	return 0
}

// raise makes clock n at least v.
func (c *clocks) raise(n int, v uint32) {
	if n >= len(*c) {
		*c = append(*c, make(clocks, n+1-len(*c))...)
	}
	(*c)[n] = max((*c)[n], v)
}

func (c *clocks) merge(o clocks) {
	if len(o) > len(*c) {
		*c = append(*c, make(clocks, len(o)-len(*c))...)
	}
	for n, v := range o {
		if v > (*c)[n] {
			(*c)[n] = v
		}
	}
}

// tid is the clock of a kind of work of the warp.
func (w *warp) tid(kind int) int { return int(w.cta.rank)*numTids + kind + w.id }

// view is what is known, and by which proxy.
type view struct {
	g clocks // known
	a clocks // seen by the asynchronous proxy
	r clocks // performed for the GPU
	t clocks // seen by the tensor-map proxy
}

func (v *view) merge(o *view) {
	v.g.merge(o.g)
	v.a.merge(o.a)
	v.r.merge(o.r)
	v.t.merge(o.t)
}

// clone is what is known now.
func (v *view) clone() *view {
	return &view{slices.Clone(v.g), slices.Clone(v.a), slices.Clone(v.r), slices.Clone(v.t)}
}

// release gives what a warp knows to v; what it does later is later.
func (w *warp) release(v *view) {
	a := w.async
	v.merge(&a.view)
	a.tick(w)
}

// tick makes what the warp does from now on later.
func (a *asyncWarp) tick(w *warp) { a.g.raise(w.tid(0), a.g.at(w.tid(0))+1) }

// acquire takes what v knows.
func (w *warp) acquire(v *view) { w.async.merge(v) }

// mbarState is the order that an mbarrier makes.
type mbarState struct {
	tid   int
	phase uint32 // phases completed
	open  view   // of those that arrived in this phase
	done  view   // of those of complete phases
	init  uint32 // warp and clock of its initialisation
	by    int    // its clock
	pc    uint32
}

// barrierAt returns the state of the mbarrier at an address.
func (c *cta) barrierAt(addr uint64) *mbarState {
	if o, off := c.owner(addr); o != nil {
		c, addr = o, off
	}
	if b := c.mbars[addr]; b != nil {
		return b
	}
	if c.mbars == nil {
		c.mbars = map[uint64]*mbarState{}
	}
	b := &mbarState{tid: int(c.rank)*numTids + tidBar + len(c.mbars)%(numTids-tidBar), by: -1}
	c.mbars[addr] = b
	return b
}

// flip notes the end of a phase.
func (b *mbarState) flip() {
	b.phase++
	b.open.g.raise(b.tid, b.phase)
	b.open.a.raise(b.tid, b.phase)
	b.done.merge(&b.open)
	b.open = view{}
}

// useBarrier checks that a warp that uses an mbarrier knows that it was made.
func (w *warp) useBarrier(b *mbarState, addr uint64) {
	if b.by >= 0 && b.by != w.tid(0) && w.async.g.at(b.by) < b.init {
		w.m.race(b.pc, w.at, "is used before its initialisation is known", sharedName(addr))
	}
}

// membar is MEMBAR: what the warp did is performed, for the GPU when the
// scope is that wide.
func membar(w *warp, i *inst, _ uint32) {
	a := w.async
	if a == nil {
		return
	}
	if i.sub != 0 { // wider than the block
		a.g.raise(w.tid(tidRemote), a.remote)
		a.r.merge(a.g)
		a.r.raise(w.tid(tidAtom), a.atoms)
	}
	a.fenced.merge(a.g)
	a.tick(w)
}

// proxyFence is FENCE.VIEW.ASYNC: what was performed is seen by the
// asynchronous proxy, once the fence was waited for.
func proxyFence(w *warp, i *inst, _ uint32) {
	a := w.async
	if a == nil {
		return
	}
	if i.sub != 0 {
		tensorFence(w, i)
		return
	}
	seen := slices.Clone(a.fenced)
	w.whenWaited(i, func() { a.a.merge(seen) })
}

// cctl is CCTL: invalidating the first cache shows what bulk stores left.
func cctl(w *warp, i *inst, _ uint32) {
	if a := w.async; a != nil && i.sub != 0 {
		a.g.raise(w.tid(tidBulkDone), a.stored)
	}
}

// tensorAcquire is UTMACCTL.IV: the tensor-map proxy sees what was performed
// for the GPU.
func tensorAcquire(w *warp, i *inst, _ uint32) {
	if a := w.async; a != nil && i.sub != 0 {
		a.t.merge(a.r)
	}
}
