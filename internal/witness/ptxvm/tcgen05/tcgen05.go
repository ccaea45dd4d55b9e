package tcgen05

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/matrix"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/async"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/mma"
	"github.com/goptxas/goptxas/internal/witness/tmem"
)

// Decode is the operations on tensor memory. Copies, shifts and products are
// asynchronous: with Options.Late they happen when a wait finds the mbarrier
// that a commit tells not complete, in the order in which the block gave them;
// stores happen when they are waited for (PTX ISA, Memory Consistency Model
// for 5th generation of TensorCore operations).
func Decode(d *machine.Decoder) {
	pair := d.Has(isa.WCtaGroup2)
	d.Ignore(isa.WCtaGroup1, isa.WSync, isa.WAligned)
	switch {
	case d.Has(isa.WAlloc):
		tensorAlloc(d, pair)
	case d.Has(isa.WDealloc):
		tensorFree(d)
	case d.Has(isa.WRelinquishAllocPermit):
		d.WholeWarp((*machine.Warp).RelinquishTensor)
	case d.Has(isa.WFenceBeforeThreadSync), d.Has(isa.WFenceAfterThreadSync), d.Has(isa.WWaitLd):
		d.Out.Run = func(*machine.Warp) {}
	case d.Has(isa.WWaitSt):
		d.WholeWarp((*machine.Warp).WaitTensorStores)
	case d.Has(isa.WLd):
		tensorLoadRegs(d)
	case d.Has(isa.WSt):
		tensorStoreRegs(d)
	case d.Has(isa.WCommit):
		tensorCommit(d)
	case d.Has(isa.WCp):
		tensorFill(d, pair)
	case d.Has(isa.WShift):
		d.Ignore(isa.WDown)
		at := d.Addr(0)
		eachOrder(d, func(w *machine.Warp, l int) func() {
			to := tmem.Address(w.Addresses(at)[l])
			return func() {
				for _, b := range w.TensorBlocks(pair, l) {
					tensorError(w, l, tmem.Shift(b.Mem, to))
				}
			}
		})
	case d.Has(isa.WMma):
		tensorProduct(d, pair)
	default:
		d.Unknown()
	}
}

func tensorError(w *machine.Warp, l int, err error) {
	if err != nil {
		w.Fail(l, "%v", err)
	}
}

// one is the value of an operand that all lanes of the warp must agree on.
func one(w *machine.Warp, c *machine.Column) uint64 {
	first := bits.TrailingZeros32(w.Mask)
	for m := w.Mask; m != 0; m &= m - 1 {
		if l := bits.TrailingZeros32(m); c[l] != c[first] {
			w.Fail(l, "threads of a warp say %#x and %#x where they must agree", c[first], c[l])
		}
	}
	return c[first]
}

// tensorAlloc takes columns and stores where they begin.
func tensorAlloc(d *machine.Decoder, pair bool) {
	to, n, space := d.Addr(0), d.Src(1, isa.U32), d.SpaceOf(0)
	d.WholeWarp(func(w *machine.Warp) {
		at, columns := one(w, w.Addresses(to)), one(w, w.Col(&n, 1))
		machine.Put(w.Bytes(space, at, 0, 4, 4, true), uint64(w.AllocTensor(pair, columns)))
	})
}

// tensorFree gives columns back.
func tensorFree(d *machine.Decoder) {
	at, n := d.Src(0, isa.U32), d.Src(1, isa.U32)
	d.WholeWarp(func(w *machine.Warp) {
		first, columns := uint32(one(w, w.Col(&at, 0))), int(one(w, w.Col(&n, 1)))
		w.FreeTensor(first, columns)
	})
}

// eachOrder makes the current instruction one that threads give alone: f
// reads the operands of a lane and returns what happens later.
func eachOrder(d *machine.Decoder, f func(w *machine.Warp, l int) func()) {
	d.Out.Run = func(w *machine.Warp) {
		if w.Probing() {
			return
		}
		for m := w.Mask; m != 0; m &= m - 1 {
			w.TensorOrder(f(w, bits.TrailingZeros32(m)))
		}
	}
}

// tensorCommit tells an mbarrier when the orders before it are over. Those of
// other threads of the block are too then, which is one of the orders that
// may come about.
func tensorCommit(d *machine.Decoder) {
	d.Ignore(isa.WMbarrierArriveOne)
	bar, mask := d.Addr(0), async.Multicast(d, 1)
	space := async.MbSpace(d)
	d.Out.Run = func(w *machine.Warp) {
		at := *w.Addresses(bar)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			given := w.TensorOrders()
			tell := func(_ uint64, mem []byte) {
				w.BeginTold(mem, func() {
					given()
					machine.Put(mem, w.ArriveOne(machine.Get(mem), l))
				})
			}
			if mask == nil {
				tell(0, w.BarrierAt(space, at[l], l))
			} else {
				async.Everywhere(w, mask, false, l, 0, at[l], tell)
			}
		}
		w.Published()
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
func tensorFill(d *machine.Decoder, pair bool) {
	found := false
	var x tmem.Copy
	for _, s := range copyShapes {
		if d.Has(s.word) && (s.multi == isa.WNone || d.Has(s.multi)) {
			x.Shape, found = s.shape, true
		}
	}
	if !found {
		d.Unknown()
	}
	switch d.Type(1) {
	case isa.B6x16P32:
		x.Narrow = 6
	case isa.B4x16P64:
		x.Narrow = 4
	}
	at, from := d.Addr(0), d.Src(1, isa.B64)
	eachOrder(d, func(w *machine.Warp, l int) func() {
		c := x
		c.At, c.From = tmem.Address(w.Addresses(at)[l]), tmem.Descriptor(w.Col(&from, 1)[l])
		return func() {
			for _, b := range w.TensorBlocks(pair, l) {
				tensorError(w, l, c.Run(b.Mem, b.Shared))
			}
		}
	})
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
func tensorMove(d *machine.Decoder, at, regs int, split uint64) func(w *machine.Warp) []tmem.Move {
	d.Ignore(isa.WX1, isa.WX2, isa.WX4, isa.WX8, isa.WX16, isa.WX32, isa.WX64, isa.WX128)
	pack := d.Has(isa.WPack16b)
	pack = d.Has(isa.WUnpack16b) || pack
	addr := d.Addr(at)
	x := tmem.Move{Pack: pack}
	for _, s := range moveShapes {
		if d.Has(s.word) {
			x.Shape = s.shape
		}
	}
	x.Repeat = regs / x.Shape.Regs()
	return func(w *machine.Warp) []tmem.Move {
		first := x
		first.At, first.Warp = tmem.Address(one(w, w.Addresses(addr))), w.Index%4
		if x.Shape != tmem.S16x32 {
			return []tmem.Move{first}
		}
		second := first
		second.Upper = true
		second.At += tmem.Address(split)
		return []tmem.Move{first, second}
	}
}

func tensorLoadRegs(d *machine.Decoder) {
	out := mma.OutputsOf(d, 0, isa.B32)
	at, split := 1, uint64(0)
	combine := combination(d)
	if combine != nil {
		at = 2
	}
	if len(d.Args) > at+1 {
		split = d.Args[at+1].Value
	}
	moves := tensorMove(d, at, len(out.To), split)
	d.WholeWarp(func(w *machine.Warp) {
		v := make([]matrix.Column, len(out.To))
		for _, x := range moves(w) {
			tensorError(w, 0, x.Load(w.TensorMemory(), v))
		}
		out.Write(w, v)
		if combine != nil {
			combine(w, v)
		}
	})
}

// combination is what tcgen05.ld.red makes of the words that each lane loads:
// the least or the greatest; nil without.
func combination(d *machine.Decoder) func(w *machine.Warp, v []matrix.Column) {
	if !d.Has(isa.WRed) {
		return nil
	}
	to, t := d.Target(&d.Elements(1)[0]), d.Type(0)
	least, abs := d.Has(isa.WMin), d.Has(isa.WAbs)
	d.Ignore(isa.WMax)
	how := fp.Extremum{NaN: d.Has(isa.WNaN)}
	pick := func(a, b uint64) uint64 {
		less := a < b
		switch {
		case t == isa.F32 && least:
			return fp.F32.Min(a, b, how)
		case t == isa.F32:
			return fp.F32.Max(a, b, how)
		case t == isa.S32:
			less = int32(a) < int32(b)
		}
		if less == least {
			return a
		}
		return b
	}
	word := func(x uint32) uint64 {
		if abs {
			x &^= 1 << 31
		}
		return uint64(x)
	}
	return func(w *machine.Warp, v []matrix.Column) {
		var r machine.Column
		for l := range r {
			r[l] = word(v[0][l])
			for _, x := range v[1:] {
				r[l] = pick(r[l], word(x[l]))
			}
		}
		w.Store(to, &r)
	}
}

func tensorStoreRegs(d *machine.Decoder) {
	last := len(d.Args) - 1
	in := mma.InputsOf(d, last, isa.B32)
	split := uint64(0)
	if last > 1 {
		split = d.Args[1].Value
	}
	moves := tensorMove(d, 0, len(in.Ops), split)
	d.WholeWarp(func(w *machine.Warp) {
		v, list := in.Read(w), moves(w)
		w.Begin(0, machine.LateTensor, func() {
			for _, x := range list {
				tensorError(w, 0, x.Store(w.TensorMemory(), v))
			}
		})
	})
}
