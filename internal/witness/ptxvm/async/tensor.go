package async

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
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

func reduceOp(d *machine.Decoder) tensor.Op {
	for _, r := range reduceOps {
		if d.Has(r.word) {
			return r.op
		}
	}
	d.Unknown()
	return 0
}

// tensorCopy is cp.async.bulk.tensor and cp.reduce.async.bulk.tensor of tiles.
func tensorCopy(d *machine.Decoder) {
	d.Ignore(isa.WTensor, isa.WTile, isa.W1d, isa.W2d, isa.W3d, isa.W4d, isa.W5d, isa.WCtaGroup1)
	rows := d.Has(isa.WTileGather4) || d.Has(isa.WTileScatter4)
	if d.Has(isa.WPrefetch) {
		d.Ignore(isa.WIm2col)
		d.Out.Run = func(*machine.Warp) {}
		return
	}
	load := d.In.NSpaces == 2 && d.In.Spaces[0].Base() != isa.SpaceGlobal
	n := 0
	if load {
		n = 1
	}
	at, coords := tensorPlace(d, n)
	if load {
		tensorLoad(d, at, coords, rows)
		return
	}
	put := func(_ *tensor.Map, to, from []byte) { copy(to, from) }
	if d.Has(isa.WReduce) {
		op := reduceOp(d)
		put = func(t *tensor.Map, to, from []byte) {
			size := int(t.Elem())
			for k := 0; k+size <= len(to); k += size {
				tensor.Reduce(t.Type, op, to[k:k+size], from[k:k+size])
			}
		}
	}
	tensorStore(d, at, coords, rows, put)
}

// tensorPlace reads the address of a map and the coordinates behind it.
func tensorPlace(d *machine.Decoder, n int) (at func(*machine.Warp, int) *machine.Column, coords []machine.Operand) {
	es := d.Body.Of(d.Args[n].Elems)
	if len(es) == 1 && es[0].Kind == isa.KVector {
		es = d.Body.Of(es[0].Elems)
	}
	for k := range es {
		coords = append(coords, d.Read(&es[k], isa.B32))
	}
	all := d.Args
	d.Args = append([]sema.Operand(nil), all...)
	d.Args[n].Elems.Len = 0
	at = d.Addr(n)
	d.Args = all
	return at, coords
}

// box is a box of a tensor and where it lies behind the address in shared
// memory.
type box struct {
	at     [5]int32
	shared uint32
}

// boxesOf reads the tensor map of a lane and what its copy moves: a box, or,
// for rows, four boxes of one row each: the first coordinate is where they
// begin, the others are their rows, and they follow each other in shared
// memory (PTX ISA, tile::gather4 and tile::scatter4). Parameters lie where the
// constant bank has them, which is aligned to 64 there only.
func boxesOf(w *machine.Warp, addr uint64, coords []machine.Operand, im2col, rows bool, l int) (*tensor.Map, []box) {
	t, err := tensor.Decode(w.Bytes(isa.Generic, addr, l, tensor.Size, 16, false))
	at := make([]int32, len(coords))
	for n := range coords {
		at[n] = int32(w.Col(&coords[n], 1)[l])
	}
	switch {
	case err != nil:
		w.Fail(l, "%v", err)
	case t.Im2col != im2col:
		w.Fail(l, "im2col %v of a tensor map with %v", im2col, t.Im2col)
	case rows && (t.Rank != 2 || t.Box[1] != 1):
		w.Fail(l, "rows of a tensor of %d dimensions, boxes of %d rows", t.Rank, t.Box[1])
	case !rows && t.Rank != len(coords):
		w.Fail(l, "%d coordinates for a tensor of %d dimensions", len(coords), t.Rank)
	case rows:
		var list []box
		for n, row := range at[1:] {
			list = append(list, box{[5]int32{at[0], row}, uint32(n) * t.Bytes()})
		}
		return t, list
	}
	var one box
	copy(one.at[:], at)
	return t, []box{one}
}

func tensorLoad(d *machine.Decoder, from func(*machine.Warp, int) *machine.Column, coords []machine.Operand, rows bool) {
	im2col, last, pair := d.Has(isa.WIm2col), 3, d.Has(isa.WCtaGroup2)
	var offs []machine.Operand
	if im2col {
		es := d.Body.Of(d.Args[last].Elems)
		for k := range es {
			offs = append(offs, d.Read(&es[k], isa.U16))
		}
		last++
	}
	to, bar, mask := d.Addr(0), d.Addr(2), Multicast(d, last)
	d.Out.Run = func(w *machine.Warp) {
		dst, src, told := *w.Addresses(to), *from(w, 7), *bar(w, 6)
		if w.Probing() {
			w.ProbeCopy(&src, &dst, &told, coords)
			return
		}
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			t, list := boxesOf(w, src[l], coords, im2col, rows, l)
			if !rows && !t.Begins(list[0].at, false) {
				w.Fail(l, "a copy that begins at %v, outside of the box of pixels", list[0].at[:t.Rank])
			}
			var off [3]int32
			for n := range offs {
				off[n] = int32(uint16(w.Col(&offs[n], 1)[l]))
			}
			Everywhere(w, mask, pair, l, dst[l], told[l], func(to uint64, mem []byte) {
				w.BeginTold(mem, func() {
					for _, b := range list {
						tileIn(w, t, b.at, off, uint32(to)+b.shared, l)
					}
					w.CompleteTx(mem, uint64(t.Told())*uint64(len(list)))
				})
			})
		}
		w.Published()
	}
}

// tileIn copies a box to shared memory.
func tileIn(w *machine.Warp, t *tensor.Map, at [5]int32, off [3]int32, to uint32, l int) {
	fill := t.Fill()
	t.Tile(at, off, func(p tensor.Piece) bool {
		b := w.Bytes(isa.SpaceShared, uint64(t.Swizzled(to+p.Shared)), l, uint64(p.Bytes), 1, true)
		if p.Outside {
			for k := range b {
				b[k] = fill[k%len(fill)]
			}
			return true
		}
		copy(b, w.Bytes(isa.SpaceGlobal, p.Global, l, uint64(p.Bytes), 1, false))
		return true
	})
}

func tensorStore(d *machine.Decoder, to func(*machine.Warp, int) *machine.Column, coords []machine.Operand, rows bool, put func(t *tensor.Map, to, from []byte)) {
	from, im2col := d.Addr(1), d.Has(isa.WIm2colNoOffs)
	d.Out.Run = func(w *machine.Warp) {
		src, dst := *w.Addresses(from), *to(w, 7)
		if w.Probing() {
			w.ProbeCopy(&dst, &src, nil, coords)
			return
		}
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			t, list := boxesOf(w, dst[l], coords, im2col, rows, l)
			if !rows && !t.Begins(list[0].at, true) {
				w.Fail(l, "a store that begins at %v, outside of the tensor", list[0].at[:t.Rank])
			}
			from := uint32(src[l])
			w.Begin(l, machine.LateBulk, func() {
				for _, x := range list {
					t.Tile(x.at, [3]int32{}, func(p tensor.Piece) bool {
						if !p.Outside {
							b := w.Bytes(isa.SpaceShared, uint64(t.Swizzled(from+x.shared+p.Shared)), l, uint64(p.Bytes), 1, false)
							put(t, w.Bytes(isa.SpaceGlobal, p.Global, l, uint64(p.Bytes), 1, true), b)
						}
						return true
					})
				}
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
	{isa.WSwizzleAtomicity, tensor.SwizzleAtomicity},
}

// Tensormap changes a field of a map, or copies one to global memory.
func Tensormap(d *machine.Decoder) {
	d.Ignore(isa.WTile)
	if d.Has(isa.WCpFenceproxy) {
		mapCopy(d)
		return
	}
	if !d.Has(isa.WReplace) {
		d.Unknown()
	}
	for _, f := range mapFields {
		if d.Has(f.word) {
			mapReplace(d, f.field)
			return
		}
	}
	d.Unknown()
}

func mapReplace(d *machine.Decoder, f tensor.Field) {
	last, n := len(d.Args)-1, 0
	if last == 2 {
		n = int(d.Args[1].Value)
	}
	t := isa.B32
	if f == tensor.GlobalAddress || f == tensor.GlobalStride {
		t = isa.B64
	}
	addr, v, space := d.Addr(0), d.Src(last, t), d.Space(0)
	d.Out.Run = func(w *machine.Warp) {
		a, x := w.Addresses(addr), w.Col(&v, 1)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if !tensor.Replace(w.Bytes(space, a[l], l, tensor.Size, 64, true), f, n, x[l]) {
				w.Fail(l, "a tensor map of elements of type %d", x[l])
			}
		}
	}
}

// mapCopy is tensormap.cp_fenceproxy, which all lanes do together.
func mapCopy(d *machine.Decoder) {
	for _, w := range d.Body.ModsOf(d.In) {
		d.Ignore(w)
	}
	to, from := d.Addr(0), d.Addr(1)
	d.WholeWarp(func(w *machine.Warp) {
		dst, src := *w.Addresses(to), *from(w, 7)
		copy(w.Bytes(isa.SpaceGlobal, dst[0], 0, tensor.Size, 128, true), w.Bytes(isa.SpaceShared, src[0], 0, tensor.Size, 128, false))
	})
}
