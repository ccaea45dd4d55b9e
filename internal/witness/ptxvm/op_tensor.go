package ptxvm

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// Tensor copies and the fields of tensor maps.

// reduceOps are the operations of reductions.
var reduceOps = [...]struct {
	word isa.Word
	op   tensor.Op
}{
	{isa.WAdd, tensor.Add},
	{isa.WMin, tensor.Min},
	{isa.WMax, tensor.Max},
	{isa.WInc, tensor.Inc},
	{isa.WDec, tensor.Dec},
	{isa.WAnd, tensor.And},
	{isa.WOr, tensor.Or},
	{isa.WXor, tensor.Xor},
}

func (d *decoder) reduceOp() tensor.Op {
	for _, r := range reduceOps {
		if d.has(r.word) {
			return r.op
		}
	}
	d.unknown()
	return 0
}

// tensorCopy is cp.async.bulk.tensor and cp.reduce.async.bulk.tensor of tiles.
func (d *decoder) tensorCopy() {
	d.ignore(isa.WTensor, isa.WTile, isa.W1d, isa.W2d, isa.W3d, isa.W4d, isa.W5d)
	if d.has(isa.WPrefetch) {
		d.ignore(isa.WTileGather4)
		d.out.run = func(*warp) {}
		return
	}
	load := d.in.NSpaces == 2 && d.in.Spaces[0].Base() != isa.SpaceGlobal
	n := 0
	if load {
		n = 1
	}
	at, coords := d.tensorPlace(n)
	if load {
		d.tensorLoad(at, coords)
		return
	}
	put := func(_ *tensor.Map, to, from []byte) { copy(to, from) }
	if d.has(isa.WReduce) {
		op := d.reduceOp()
		put = func(t *tensor.Map, to, from []byte) {
			size := int(t.Elem())
			for k := 0; k+size <= len(to); k += size {
				tensor.Reduce(t.Type, op, to[k:k+size], from[k:k+size])
			}
		}
	}
	d.tensorStore(at, coords, put)
}

// tensorPlace reads the address of a map and the coordinates behind it.
func (d *decoder) tensorPlace(n int) (at func(*warp, int) *column, coords []operand) {
	es := d.body.Of(d.args[n].Elems)
	if len(es) == 1 && es[0].Kind == isa.KVector {
		es = d.body.Of(es[0].Elems)
	}
	for k := range es {
		coords = append(coords, d.read(&es[k], isa.B32))
	}
	all := d.args
	d.args = append([]sema.Operand(nil), all...)
	d.args[n].Elems.Len = 0
	at = d.addr(n)
	d.args = all
	return at, coords
}

// mapOf reads the tensor map of a lane and where its copy begins. Parameters
// lie where the constant bank has them, which is aligned to 64 there only.
func (w *warp) mapOf(addr uint64, coords []operand, l int) (*tensor.Map, [5]int32) {
	t, err := tensor.Decode(w.bytes(isa.Generic, addr, l, tensor.Size, 16, false))
	var at [5]int32
	switch {
	case err != nil:
		w.fail(l, "%v", err)
	case t.Rank != len(coords) || t.Interleave != 0:
		w.fail(l, "%d coordinates for a tensor of %d dimensions, interleave %d", len(coords), t.Rank, t.Interleave)
	}
	for n := range coords {
		at[n] = int32(w.col(&coords[n], 1)[l])
	}
	return t, at
}

func (d *decoder) tensorLoad(from func(*warp, int) *column, coords []operand) {
	to, bar, mask := d.addr(0), d.addr(2), d.multicast(3)
	d.out.run = func(w *warp) {
		dst, src, told := *w.col8(to), *from(w, 7), *bar(w, 6)
		if w.cta.grid.opts.Probe != nil {
			w.probeCopy(&src, &dst, &told, coords)
			return
		}
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			t, at := w.mapOf(src[l], coords, l)
			w.everywhere(mask, l, dst[l], told[l], func(to uint64, mem []byte) {
				w.beginTold(mem, func() {
					w.tileIn(t, at, uint32(to), l)
					w.completeTx(mem, uint64(t.Bytes()))
				})
			})
		}
		if w.cta.races != nil {
			w.cta.races.leave(w)
		}
	}
}

// tileIn copies a box to shared memory.
func (w *warp) tileIn(t *tensor.Map, at [5]int32, to uint32, l int) {
	fill := t.Fill()
	t.Tile(at, func(p tensor.Piece) bool {
		b := w.bytes(isa.SpaceShared, uint64(t.Swizzled(to+p.Shared)), l, uint64(p.Bytes), 1, true)
		if p.Outside {
			for k := range b {
				b[k] = fill[k%len(fill)]
			}
			return true
		}
		copy(b, w.bytes(isa.SpaceGlobal, p.Global, l, uint64(p.Bytes), 1, false))
		return true
	})
}

func (d *decoder) tensorStore(to func(*warp, int) *column, coords []operand, put func(t *tensor.Map, to, from []byte)) {
	from := d.addr(1)
	d.out.run = func(w *warp) {
		src, dst := *w.col8(from), *to(w, 7)
		if w.cta.grid.opts.Probe != nil {
			w.probeCopy(&dst, &src, nil, coords)
			return
		}
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			t, at := w.mapOf(dst[l], coords, l)
			from := uint32(src[l])
			w.begin(l, lateBulk, func() {
				t.Tile(at, func(p tensor.Piece) bool {
					if !p.Outside {
						b := w.bytes(isa.SpaceShared, uint64(t.Swizzled(from+p.Shared)), l, uint64(p.Bytes), 1, false)
						put(t, w.bytes(isa.SpaceGlobal, p.Global, l, uint64(p.Bytes), 1, true), b)
					}
					return true
				})
			})
		}
	}
}

// mapFields are the fields that tensormap.replace names.
var mapFields = [...]struct {
	word  isa.Word
	field tensor.Field
}{
	{isa.WGlobalAddress, tensor.GlobalAddress},
	{isa.WRank, tensor.Rank},
	{isa.WBoxDim, tensor.BoxDim},
	{isa.WGlobalDim, tensor.GlobalDim},
	{isa.WGlobalStride, tensor.GlobalStride},
	{isa.WElementStride, tensor.ElementStride},
	{isa.WElemtype, tensor.ElemType},
	{isa.WInterleaveLayout, tensor.InterleaveLayout},
	{isa.WSwizzleMode, tensor.SwizzleMode},
	{isa.WFillMode, tensor.FillMode},
}

// tensormap changes a field of a map, or copies one to global memory.
func (d *decoder) tensormap() {
	d.ignore(isa.WTile)
	if d.has(isa.WCpFenceproxy) {
		d.mapCopy()
		return
	}
	if !d.has(isa.WReplace) {
		d.unknown()
	}
	for _, f := range mapFields {
		if d.has(f.word) {
			d.mapReplace(f.field)
			return
		}
	}
	d.unknown()
}

func (d *decoder) mapReplace(f tensor.Field) {
	last, n := len(d.args)-1, 0
	if last == 2 {
		n = int(d.args[1].Value)
	}
	t := isa.B32
	if f == tensor.GlobalAddress || f == tensor.GlobalStride {
		t = isa.B64
	}
	addr, v, space := d.addr(0), d.src(last, t), d.space(0)
	d.out.run = func(w *warp) {
		a, x := w.col8(addr), w.col(&v, 1)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if !tensor.Replace(w.bytes(space, a[l], l, tensor.Size, 64, true), f, n, x[l]) {
				w.fail(l, "a tensor map of elements of type %d", x[l])
			}
		}
	}
}

// mapCopy is tensormap.cp_fenceproxy, which all lanes do together.
func (d *decoder) mapCopy() {
	for _, w := range d.body.ModsOf(d.in) {
		d.ignore(w)
	}
	to, from := d.addr(0), d.addr(1)
	d.wholeWarp(func(w *warp) {
		dst, src := *w.col8(to), *from(w, 7)
		copy(w.bytes(isa.SpaceGlobal, dst[0], 0, tensor.Size, 128, true), w.bytes(isa.SpaceShared, src[0], 0, tensor.Size, 128, false))
	})
}
