package ptxvm

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/matrix"
	"github.com/goptxas/goptxas/internal/witness/tmem"
)

// tcgen05 is the operations on tensor memory. Copies, shifts and products are
// asynchronous: with Options.Late they happen when a wait finds the mbarrier
// that a commit tells not complete, in the order in which the block gave them;
// stores happen when they are waited for (PTX ISA, Memory Consistency Model
// for 5th generation of TensorCore operations).
func (d *decoder) tcgen05() {
	pair := d.has(isa.WCtaGroup2)
	d.ignore(isa.WCtaGroup1, isa.WSync, isa.WAligned)
	switch {
	case d.has(isa.WAlloc):
		d.tensorAlloc(pair)
	case d.has(isa.WDealloc):
		d.tensorFree()
	case d.has(isa.WRelinquishAllocPermit):
		d.wholeWarp(func(w *warp) { w.cta.tensor.closed = true })
	case d.has(isa.WFenceBeforeThreadSync), d.has(isa.WFenceAfterThreadSync), d.has(isa.WWaitLd):
		d.out.run = func(*warp) {}
	case d.has(isa.WWaitSt):
		d.wholeWarp(func(w *warp) { w.happen(func(x *later) bool { return x.kind == lateTensor }) })
	case d.has(isa.WRed):
		d.unknown()
	case d.has(isa.WLd):
		d.tensorLoadRegs()
	case d.has(isa.WSt):
		d.tensorStoreRegs()
	case d.has(isa.WCommit):
		d.tensorCommit()
	case d.has(isa.WCp):
		d.tensorFill(pair)
	case d.has(isa.WShift):
		d.ignore(isa.WDown)
		at := d.addr(0)
		d.eachOrder(func(w *warp, l int) func() {
			to := tmem.Address(w.col8(at)[l])
			return func() {
				for _, b := range w.pairBlocks(pair) {
					w.tensorError(l, tmem.Shift(b.memory(), to))
				}
			}
		})
	case d.has(isa.WMma):
		d.tensorProduct(pair)
	default:
		d.unknown()
	}
}

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
func (w *warp) pairBlocks(pair bool) []*cta {
	if !pair {
		return []*cta{w.cta}
	}
	even := w.cta.rank &^ 1
	if int(even)+1 >= len(w.cta.cluster.blocks) {
		w.fail(-1, "an operation of a pair of blocks in a cluster of %d", len(w.cta.cluster.blocks))
	}
	return w.cta.cluster.blocks[even : even+2]
}

func (w *warp) tensorError(l int, err error) {
	if err != nil {
		w.fail(l, "%v", err)
	}
}

// one is the value of an operand that all lanes of the warp must agree on.
func (w *warp) one(c *column) uint64 {
	first := bits.TrailingZeros32(w.mask)
	for m := w.mask; m != 0; m &= m - 1 {
		if l := bits.TrailingZeros32(m); c[l] != c[first] {
			w.fail(l, "threads of a warp say %#x and %#x where they must agree", c[first], c[l])
		}
	}
	return c[first]
}

// tensorAlloc takes columns and stores where they begin. Of a pair whoever
// comes first takes them for both.
func (d *decoder) tensorAlloc(pair bool) {
	to, n, space := d.addr(0), d.src(1, isa.U32), d.spaceOf(0)
	d.wholeWarp(func(w *warp) {
		at, columns := w.one(w.col8(to)), w.one(w.col(&n, 1))
		t := &w.cta.tensor
		switch {
		case t.closed:
			w.fail(0, "tensor memory is allocated after the right to do so was given up")
		case columns < tmem.Unit || columns > tmem.Columns || columns&(columns-1) != 0:
			w.fail(0, "%d columns of tensor memory", columns)
		}
		var first uint32
		if pair && len(t.given) > 0 {
			first, t.given = t.given[0], t.given[1:]
		} else {
			for k, b := range w.pairBlocks(pair) {
				f, ok := b.memory().Find(int(columns/tmem.Unit), true)
				if !ok || k > 0 && uint32(f*tmem.Unit) != first {
					w.fail(0, "no %d columns of tensor memory are free", columns)
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
		}
		put(w.bytes(space, at, 0, 4, 4, true), uint64(first))
	})
}

// tensorFree gives columns back.
func (d *decoder) tensorFree() {
	at, n := d.src(0, isa.U32), d.src(1, isa.U32)
	d.wholeWarp(func(w *warp) {
		first, columns := uint32(w.one(w.col(&at, 0))), int(w.one(w.col(&n, 1)))
		t := &w.cta.tensor
		if was, ok := t.firsts[first&0xffff]; !ok || was != columns {
			w.fail(0, "%d columns of tensor memory at %v are given back and were not allocated so", columns, tmem.Address(first))
		}
		delete(t.firsts, first&0xffff)
		m := w.cta.memory()
		m.Hold(m.Held() &^ (uint32(1<<(columns/tmem.Unit)-1) << (first & 0xffff / tmem.Unit)))
	})
}

// eachOrder makes the current instruction one that threads give alone: f
// reads the operands of a lane and returns what happens later.
func (d *decoder) eachOrder(f func(w *warp, l int) func()) {
	d.out.run = func(w *warp) {
		if w.cta.grid.opts.Probe != nil {
			return
		}
		for m := w.mask; m != 0; m &= m - 1 {
			w.tensorOrder(f(w, bits.TrailingZeros32(m)))
		}
	}
}

// tensorOrder does something now or later.
func (w *warp) tensorOrder(run func()) {
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

// tensorCommit tells an mbarrier when the orders before it are over. Those of
// other threads of the block are too then, which is one of the orders that
// may come about.
func (d *decoder) tensorCommit() {
	d.ignore(isa.WMbarrierArriveOne)
	bar, mask := d.addr(0), d.multicast(1)
	space := d.mbSpace()
	d.out.run = func(w *warp) {
		at := *w.col8(bar)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			t := &w.cta.tensor
			n := len(t.orders)
			tell := func(_ uint64, mem []byte) {
				w.beginTold(mem, func() {
					t.until(n)
					v := get(mem)
					if v&mbCount == 0 {
						w.fail(l, "an arrival where none is expected")
					}
					put(mem, settle(v-1))
				})
			}
			if mask == nil {
				tell(0, w.barrierAt(space, at[l], l))
			} else {
				w.everywhere(mask, l, 0, at[l], tell)
			}
		}
		if w.cta.races != nil {
			w.cta.races.leave(w)
		}
	}
}

// copyShapes are the shapes of tcgen05.cp.
var copyShapes = [...]struct {
	word  isa.Word
	multi isa.Word
	shape tmem.CopyShape
}{
	{isa.W128x256b, isa.WNone, tmem.C128x256},
	{isa.W4x256b, isa.WNone, tmem.C4x256},
	{isa.W128x128b, isa.WNone, tmem.C128x128},
	{isa.W64x128b, isa.WWarpx20213, tmem.C64x128Even},
	{isa.W64x128b, isa.WWarpx20123, tmem.C64x128Low},
	{isa.W32x128b, isa.WWarpx4, tmem.C32x128},
}

// tensorFill is tcgen05.cp.
func (d *decoder) tensorFill(pair bool) {
	found := false
	var x tmem.Copy
	for _, s := range copyShapes {
		if d.has(s.word) && (s.multi == isa.WNone || d.has(s.multi)) {
			x.Shape, found = s.shape, true
		}
	}
	if !found {
		d.unknown()
	}
	switch d.typ(1) {
	case isa.B6x16P32:
		x.Narrow = 6
	case isa.B4x16P64:
		x.Narrow = 4
	}
	at, from := d.addr(0), d.src(1, isa.B64)
	d.eachOrder(func(w *warp, l int) func() {
		c := x
		c.At, c.From = tmem.Address(w.col8(at)[l]), tmem.Descriptor(w.col(&from, 1)[l])
		return func() {
			for _, b := range w.tensorBlocks(pair, l) {
				w.tensorError(l, c.Run(b.Mem, b.Shared))
			}
		}
	})
}

// tensorBlocks are the memories that an operation uses.
func (w *warp) tensorBlocks(pair bool, l int) []*tmem.Block {
	var out []*tmem.Block
	for _, b := range w.pairBlocks(pair) {
		there := uint64(0)
		if b != w.cta {
			there = uint64(b.rank+1) << rankShift
		}
		out = append(out, &tmem.Block{Mem: b.memory(), Shared: func(addr uint32) []byte {
			return w.bytes(isa.SpaceShared, uint64(addr)|there, l, 16, 16, false)
		}})
	}
	return out
}

// moveShapes are the shapes of loads and stores.
var moveShapes = [...]struct {
	word  isa.Word
	shape tmem.Shape
}{
	{isa.W32x32b, tmem.S32x32},
	{isa.W16x64b, tmem.S16x64},
	{isa.W16x128b, tmem.S16x128},
	{isa.W16x256b, tmem.S16x256},
	{isa.W16x32bx2, tmem.S16x32},
}

// tensorMove reads shape and address of a load or a store, whose registers
// are so many: the moves of a warp, of 16x32bx2 one for each half.
func (d *decoder) tensorMove(at, regs int, split uint64) func(w *warp) []tmem.Move {
	d.ignore(isa.WX1, isa.WX2, isa.WX4, isa.WX8, isa.WX16, isa.WX32, isa.WX64, isa.WX128)
	pack := d.has(isa.WPack16b)
	pack = d.has(isa.WUnpack16b) || pack
	addr := d.addr(at)
	x := tmem.Move{Pack: pack}
	for _, s := range moveShapes {
		if d.has(s.word) {
			x.Shape = s.shape
		}
	}
	x.Repeat = regs / x.Shape.Regs()
	return func(w *warp) []tmem.Move {
		first := x
		first.At, first.Warp = tmem.Address(w.one(w.col8(addr))), w.index%4
		if x.Shape != tmem.S16x32 {
			return []tmem.Move{first}
		}
		second := first
		second.Upper = true
		second.At += tmem.Address(split)
		return []tmem.Move{first, second}
	}
}

func (d *decoder) tensorLoadRegs() {
	out := d.fragmentOut(0, isa.B32)
	split := uint64(0)
	if len(d.args) > 2 {
		split = d.args[2].Value
	}
	moves := d.tensorMove(1, len(out.to), split)
	d.wholeWarp(func(w *warp) {
		v := make([]matrix.Column, len(out.to))
		for _, x := range moves(w) {
			w.tensorError(0, x.Load(w.cta.memory(), v))
		}
		out.write(w, v)
	})
}

func (d *decoder) tensorStoreRegs() {
	last := len(d.args) - 1
	in := d.fragmentIn(last, isa.B32)
	split := uint64(0)
	if last > 1 {
		split = d.args[1].Value
	}
	moves := d.tensorMove(0, len(in.ops), split)
	d.wholeWarp(func(w *warp) {
		v, list := in.read(w), moves(w)
		w.begin(0, lateTensor, func() {
			for _, x := range list {
				w.tensorError(0, x.Store(w.cta.memory(), v))
			}
		})
	})
}
