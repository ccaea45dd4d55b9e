package machine

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/tmem"
)

// tensorState is the tensor memory of a block and what it has on its way.
type tensorState struct {
	mem    *tmem.Memory
	closed bool     // the right to allocate was given up
	given  []uint32 // addresses that the other block of the pair allocated for both
	orders []func() // late ones
	begun  int      // orders that have happened
	firsts map[uint32]int
}

// memory is the tensor memory of a block.
func (c *cta) memory() *tmem.Memory {
	if c.tensor.mem == nil {
		c.tensor.mem = tmem.New(uint32(c.grid.filler(0)))
		c.grid.open = true
	}
	return c.tensor.mem
}

// pairBlocks are the blocks an operation is of: the warp's own, or the even
// and the odd one of its pair.
func (w *Warp) pairBlocks(pair bool) []*cta {
	if !pair {
		return []*cta{w.cta}
	}
	even := w.cta.rank &^ 1
	if int(even)+1 >= len(w.cta.cluster.blocks) {
		w.Fail(-1, "an operation of a pair of blocks in a cluster of %d", len(w.cta.cluster.blocks))
	}
	return w.cta.cluster.blocks[even : even+2]
}

// TensorOrder does something now or later.
func (w *Warp) TensorOrder(run func()) {
	w.cta.grid.async = true
	if !w.cta.grid.opts.Late {
		run()
		return
	}
	t := &w.cta.tensor
	t.orders = append(t.orders, run)
}

// until lets the first n orders of a block happen.
func (t *tensorState) until(n int) {
	for t.begun < n {
		t.begun++
		t.orders[t.begun-1]()
		t.orders[t.begun-1] = nil
	}
}

// TensorBlocks are the memories that an operation uses.
func (w *Warp) TensorBlocks(pair bool, l int) []*tmem.Block {
	var out []*tmem.Block
	for _, b := range w.pairBlocks(pair) {
		there := uint64(0)
		if b != w.cta {
			there = Block(uint64(b.rank))
		}
		out = append(out, &tmem.Block{Mem: b.memory(), Shared: func(addr uint32) []byte {
			return w.Bytes(isa.SpaceShared, uint64(addr)|there, l, 16, 16, false)
		}})
	}
	return out
}

// TensorMemory is that of the warp's block.
func (w *Warp) TensorMemory() *tmem.Memory { return w.cta.memory() }

// RelinquishTensor gives up the right to allocate.
func (w *Warp) RelinquishTensor() { w.cta.tensor.closed = true }

// WaitTensorStores does the stores of the warp to tensor memory.
func (w *Warp) WaitTensorStores() { w.happen(func(x *later) bool { return x.kind == LateTensor }) }

// AllocTensor takes columns. Of a pair whoever comes first takes them for
// both.
func (w *Warp) AllocTensor(pair bool, columns uint64) uint32 {
	t := &w.cta.tensor
	switch {
	case t.closed:
		w.Fail(0, "tensor memory is allocated after the right to do so was given up")
	case columns < tmem.Unit || columns > tmem.Columns || columns&(columns-1) != 0:
		w.Fail(0, "%d columns of tensor memory", columns)
	}
	var first uint32
	if pair && len(t.given) > 0 {
		first, t.given = t.given[0], t.given[1:]
		return first
	}
	for k, b := range w.pairBlocks(pair) {
		f, ok := b.memory().Find(int(columns/tmem.Unit), true)
		if !ok || k > 0 && uint32(f*tmem.Unit) != first {
			w.Fail(0, "no %d columns of tensor memory are free", columns)
		}
		first = uint32(f * tmem.Unit)
		if b != w.cta {
			b.tensor.given = append(b.tensor.given, first)
		}
		if b.tensor.firsts == nil {
			b.tensor.firsts = map[uint32]int{}
		}
		b.tensor.firsts[first] = int(columns)
	}
	return first
}

// FreeTensor gives columns back.
func (w *Warp) FreeTensor(first uint32, columns int) {
	t := &w.cta.tensor
	if was, ok := t.firsts[first&0xffff]; !ok || was != columns {
		w.Fail(0, "%d columns of tensor memory at %v are given back and were not allocated so", columns, tmem.Address(first))
	}
	delete(t.firsts, first&0xffff)
	m := w.cta.memory()
	m.Hold(m.Held() &^ (uint32(1<<(columns/tmem.Unit)-1) << (first & 0xffff / tmem.Unit)))
}

// TensorOrders does the orders that the block has given so far.
func (w *Warp) TensorOrders() func() {
	t := &w.cta.tensor
	n := len(t.orders)
	return func() { t.until(n) }
}
