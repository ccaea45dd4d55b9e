package sim

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
	tidBar                        // one for each mbarrier, by phase
	numTids     = 256
)

type clocks [numTids]uint32

func (c *clocks) merge(o *clocks) {
	for n, v := range o {
		if v > c[n] {
			c[n] = v
		}
	}
}

// view is what is known, and by which proxy.
type view struct {
	g clocks // known
	a clocks // seen by the asynchronous proxy
	r clocks // performed for the GPU
	t clocks // seen by the tensor-map proxy
}

func (v *view) merge(o *view) {
	v.g.merge(&o.g)
	v.a.merge(&o.a)
	v.r.merge(&o.r)
	v.t.merge(&o.t)
}

// release gives what a warp knows to v; what it does later is later.
func (w *warp) release(v *view) {
	a := w.async
	v.merge(&a.view)
	a.g[w.id]++
}

// acquire takes what v knows.
func (w *warp) acquire(v *view) { w.async.merge(v) }

// mbarState is the order that an mbarrier makes.
type mbarState struct {
	tid   int
	phase uint32 // phases completed
	open  view   // of those that arrived in this phase
	done  view   // of those of complete phases
	init  uint32 // warp and clock of its initialisation
	by    int
	pc    uint32
}

// barrierAt returns the state of the mbarrier at an address.
func (c *cta) barrierAt(addr uint64) *mbarState {
	if b := c.mbars[addr]; b != nil {
		return b
	}
	if c.mbars == nil {
		c.mbars = map[uint64]*mbarState{}
	}
	b := &mbarState{tid: tidBar + len(c.mbars)%(numTids-tidBar), by: -1}
	c.mbars[addr] = b
	return b
}

// flip notes the end of a phase.
func (b *mbarState) flip() {
	b.phase++
	b.open.g[b.tid] = b.phase
	b.open.a[b.tid] = b.phase
	b.done.merge(&b.open)
	b.open = view{}
}

// useBarrier checks that a warp that uses an mbarrier knows that it was made.
func (w *warp) useBarrier(b *mbarState, addr uint64) {
	if b.by >= 0 && b.by != w.id && w.async.g[b.by] < b.init {
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
	a.fenced.merge(&a.g)
	if i.sub != 0 {
		a.r.merge(&a.g)
		a.r[tidAtom+w.id] = a.atoms
	}
	a.g[w.id]++
}

// proxyFence is FENCE.VIEW.ASYNC: what was performed is seen by the
// asynchronous proxy, once the fence was waited for.
func proxyFence(w *warp, i *inst, _ uint32) {
	a := w.async
	if a == nil {
		return
	}
	seen := a.fenced
	w.whenWaited(i, func() { a.a.merge(&seen) })
}

// cctl is CCTL: invalidating the first cache shows what bulk stores left.
func cctl(w *warp, i *inst, _ uint32) {
	if a := w.async; a != nil && i.sub != 0 {
		n := tidBulkDone + w.id
		a.g[n] = max(a.g[n], a.stored)
	}
}

// tensorAcquire is UTMACCTL.IV: the tensor-map proxy sees what was performed
// for the GPU.
func tensorAcquire(w *warp, i *inst, _ uint32) {
	if a := w.async; a != nil && i.sub != 0 {
		a.t.merge(&a.r)
	}
}
