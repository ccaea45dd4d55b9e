package order

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
	TidGMMA     = 32 * (iota + 1) // products of a warp group, by committed group
	TidBulkRead                   // bulk copies out of shared memory, by group
	TidBulkDone                   // and their end
	TidCopy                       // LDGSTS, by group
	TidAtom                       // atomics of global memory
	TidRemote                     // stores to the shared memory of other blocks
	TidTensor                     // orders on tensor memory, by commit
	tidBar                        // one for each mbarrier, by phase
	numTids     = 320             // of one block of a cluster
)

// Clocks are times by clock; those that are not there are zero.
type Clocks []uint32

// At is the time of clock n.
func (c Clocks) At(n int) uint32 {
	if n < len(c) {
		return c[n]
	}
	return 0
}

// Raise makes clock n at least v.
func (c *Clocks) Raise(n int, v uint32) {
	if n >= len(*c) {
		*c = append(*c, make(Clocks, n+1-len(*c))...)
	}
	(*c)[n] = max((*c)[n], v)
}

// Merge takes the later time of each clock.
func (c *Clocks) Merge(o Clocks) {
	if len(o) > len(*c) {
		*c = append(*c, make(Clocks, len(o)-len(*c))...)
	}
	for n, v := range o {
		if v > (*c)[n] {
			(*c)[n] = v
		}
	}
}

// View is what is known, and by which proxy.
type View struct {
	Known  Clocks // known
	Proxy  Clocks // seen by the asynchronous proxy
	Device Clocks // performed for the GPU
	Maps   Clocks // seen by the tensor-map proxy
}

// Merge adds what another view knows.
func (v *View) Merge(o *View) {
	v.Known.Merge(o.Known)
	v.Proxy.Merge(o.Proxy)
	v.Device.Merge(o.Device)
	v.Maps.Merge(o.Maps)
}

// Clone is what is known now.
func (v *View) Clone() *View {
	return &View{slices.Clone(v.Known), slices.Clone(v.Proxy), slices.Clone(v.Device), slices.Clone(v.Maps)}
}

// Barrier is the order that an mbarrier makes.
type Barrier struct {
	Tid   int
	Phase uint32 // phases completed
	Open  View   // of those that arrived in this phase
	Done  View   // of those of complete phases
	Init  uint32 // warp and clock of its initialisation
	By    int    // its clock
	Pc    uint32
}

// Flip notes the end of a phase.
func (b *Barrier) Flip() {
	b.Phase++
	b.Open.Known.Raise(b.Tid, b.Phase)
	b.Open.Proxy.Raise(b.Tid, b.Phase)
	b.Done.Merge(&b.Open)
	b.Open = View{}
}

// Actor makes accesses for an order.
type Actor struct {
	Tid   uint16
	Clock uint32
	Pc    uint32
	View  *View // what the order may rely on: the issuer's at issue
	Proxy bool  // it is the asynchronous proxy that makes them
}

// NewBarrier is the state of the n-th mbarrier of a block of a cluster.
func NewBarrier(rank, n int) *Barrier {
	return &Barrier{Tid: ClockOf(rank, tidBar+n%(numTids-tidBar)), By: -1}
}

// ClockOf numbers the clocks of a cluster.
func ClockOf(rank, kind int) int { return rank*numTids + kind }
