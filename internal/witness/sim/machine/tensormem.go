package machine

import (
	"encoding/binary"
	"slices"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/witness/sim/order"
	"github.com/goptxas/goptxas/internal/witness/tmem"
)

// When work on tensor memory happens. Orders of a block happen one after the
// other: the pairs that the PTX ISA calls pipelined keep their order, and for
// others this is one of the orders that may come about. A launch with a time
// for asynchronous work lets the whole row of them wait until a commit's
// barrier is looked at.

// tensorState is the tensor memory of a block and what it has on its way.
type tensorState struct {
	mem    *tmem.Memory
	orders []*flight
}

// tensorPattern is what tensor memory holds that nobody wrote.
const tensorPattern = 0x7fbadbad

// memory is the tensor memory of a block.
func (c *cta) memory() *tmem.Memory {
	if c.tensor.mem == nil {
		c.tensor.mem = tmem.New(tensorPattern)
	}
	return c.tensor.mem
}

// TensorError ends the launch where tensor memory was used wrongly.
func (w *Warp) TensorError(err error) {
	if err != nil {
		w.Fail(-1, "%v", err)
	}
}

// pairOf are the blocks an operation is of: the warp's own, or the even and
// the odd one of its pair.
func (w *Warp) pairOf(two bool) []*cta {
	if !two {
		return []*cta{w.cta}
	}
	even := int(w.cta.rank &^ 1)
	if even+1 >= len(w.cta.cluster.blocks) {
		w.Fail(-1, "an operation of a pair of blocks in a cluster of %d", len(w.cta.cluster.blocks))
		return nil
	}
	return w.cta.cluster.blocks[even : even+2]
}

// TensorBlocks are the memories that an operation uses.
func (w *Warp) TensorBlocks(two bool) []*tmem.Block {
	var out []*tmem.Block
	for _, b := range w.pairOf(two) {
		there := uint64(b.rank) << RankShift
		out = append(out, &tmem.Block{Mem: b.memory(), Shared: func(addr uint32) []byte {
			return w.Bytes(SpaceShared, 0, there|uint64(addr), 16, false)
		}})
	}
	return out
}

// OrderTensor gives an order its time, behind those before it.
func (w *Warp) OrderTensor(run func()) {
	f := &flight{}
	c := w.cta
	f.run = run
	a := w.async
	if a == nil {
		run()
		return
	}
	n := len(c.tensor.orders)
	f.run = func() {
		c.tensorUntil(n)
		run()
	}
	f.Actor = order.Actor{Tid: uint16(w.tid(order.TidTensor)), Clock: a.commits + 1, Pc: w.At, View: a.Clone(), Proxy: true}
	c.tensor.orders = append(c.tensor.orders, f)
	w.start(f)
}

// tensorUntil lets the first n orders of a block happen.
func (c *cta) tensorUntil(n int) {
	for k := range n {
		if f := c.tensor.orders[k]; !f.done {
			c.finish(f)
		}
	}
}

// TensorCommit tells the barrier at an address when the orders given so far
// are over.
func (w *Warp) TensorCommit(bar uint64) {
	c, a := w.cta, w.async
	if a == nil {
		w.Tell(bar, 1, 0, nil)
		return
	}
	a.commits++
	mine := a.Clone()
	mine.Known.Raise(w.tid(order.TidTensor), a.commits)
	n := len(c.tensor.orders)
	f := &flight{bar: c.barrierAt(bar)}
	w.useBarrier(f.bar, bar)
	f.Actor = order.Actor{Pc: w.At, View: mine}
	f.run = func() {
		c.tensorUntil(n)
		w.Tell(bar, 1, 0, mine)
	}
	w.start(f)
}

// Later runs f now, or when the barrier that the instruction sets is waited
// for.
func (w *Warp) Later(i *Inst, f func()) {
	c := i.In.Ctrl()
	m := w.m.async
	if m == nil || c.WrBar < 0 && c.RdBar < 0 || m.when == AsEarly || m.when == BySeed && m.rng.IntN(2) == 0 {
		f()
		return
	}
	pc, done := w.At, false
	w.whenWaited(i, func() {
		if !done {
			at := w.At
			w.At, done = pc, true
			f()
			w.At = at
		}
	})
}

// TensorStore writes tensor memory now, or when a fence of it was waited for.
func (w *Warp) TensorStore(run func()) {
	f := &flight{run: run}
	a := w.async
	if a == nil {
		run()
		return
	}
	f.Actor = order.Actor{Tid: uint16(w.tid(0)), Clock: a.Known.At(w.tid(0)), Pc: w.At, View: a.Clone()}
	a.stores = append(a.stores, f)
	w.start(f)
}

// TensorFence lets the stores to tensor memory before an instruction be over
// once it was waited for.
func (w *Warp) TensorFence(i *Inst) {
	a := w.async
	if a == nil {
		return
	}
	list := slices.Clone(a.stores)
	a.stores = a.stores[:0]
	w.whenWaited(i, func() {
		for _, f := range list {
			w.cta.finish(f)
		}
	})
}

// The account of tensor memory in the shared memory that the system keeps,
// which is empty when a block starts. Pairs of blocks meet at a barrier of one
// arrival; the even block is the first to tell the other, so its phase counts
// as over. The reference's code of tcgen05.alloc asks for all of this.
const (
	accountAt    = 0x40
	accountAt110 = 0xc0 // behind room for a workaround
	accountSize  = 0x20
	accountBar   = 8
	accountPhase = 0x10
	oneArrival   = 0x7ffff800_001ffffe
)

// enterTensor prepares the account where the kernel says that it uses it.
func (m *machine) enterTensor(c *cta) {
	at := accountAt
	if m.prog.Arch.SM == 110 {
		at = accountAt110
	}
	for _, a := range m.prog.kernel.Attrs {
		if a.ID == cubin.AttrReservedSmemUsed && len(c.shared) >= at+accountSize {
			account := c.shared[at : at+accountSize]
			clear(account)
			binary.LittleEndian.PutUint64(account[accountBar:], oneArrival)
			account[accountPhase] = byte(c.rank&1 ^ 1)
		}
	}
}

// TensorMemory is that of the warp's block.
func (w *Warp) TensorMemory() *tmem.Memory { return w.cta.memory() }

// TensorMemories are those of the blocks that an operation is of.
func (w *Warp) TensorMemories(two bool) []*tmem.Memory {
	var out []*tmem.Memory
	for _, b := range w.pairOf(two) {
		out = append(out, b.memory())
	}
	return out
}
