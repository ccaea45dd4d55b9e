package async

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// bulkTensor lowers the copies between tensors in global memory, which a
// tensor map describes, and shared memory.
func bulkTensor(l *build.Builder, reduce bool) {
	for _, w := range [...]isa.Word{isa.WTile, isa.WMbarrierCompleteTxBytes, isa.WBulkGroup, isa.WL2} {
		l.Knows(w)
	}
	dim, dims := op.NoMod, 0
	for n, d := range tensorDims {
		if l.Has(d.word) {
			dim, dims = d.mod, n+1
		}
	}
	im2col := l.Has(isa.WIm2col) || l.Has(isa.WIm2colNoOffs)
	mode := l.Which(tensorModes)
	x := bulkOrder(l)
	prefetch := l.Has(isa.WPrefetch)
	load := !prefetch && l.In.NSpaces == 2 && l.In.Spaces[0] != isa.SpaceGlobal
	tensor := &l.Args[0]
	if load {
		tensor = &l.Args[1]
	}
	coords := tensorCoords(l, tensor)
	switch {
	case prefetch:
		m := op.M(op.ML2, dim)
		x.Blocks = []build.Value{coords, flat(l, tensor)}
		switch x.Same = true; {
		case im2col:
			m = m.With(op.MIM2COL)
			x.Blocks = append(x.Blocks, build.Value{im2colOffsets(l, 1, dims)})
		case mode == op.MW || mode == op.MW128:
			m = m.With(mode)
			x.Blocks = append(x.Blocks, build.Value{im2colW(l, 1)})
		case mode != op.NoMod:
			m = m.With(mode)
		}
		x.finish(l, op.UTMAPF, m, 2)
	case load:
		if im2col {
			mode = op.MIM2COL
		}
		load := func() { tensorLoad(l, x, coords, op.M(dim), mode, dims) }
		if name := CopyRoutine(l.Arch, l.Body, l.In); name != "" {
			byRoutine(l, func() { x.callTensor(l, name, coords, im2col) }, load)
			return
		}
		load()
	default:
		m := op.M(dim)
		if im2col {
			m = m.With(op.MIM2COL)
		} else if mode != op.NoMod {
			m = m.With(mode)
		}
		x.Blocks = []build.Value{append(build.Value{sharedWord(l, &l.Args[1])}, coords...), flat(l, tensor)}
		if reduce {
			x.finish(l, op.UTMAREDG, m.With(bulkFn(l)), 2)
			return
		}
		x.Same = true
		x.finish(l, op.UTMASTG, m, 2)
	}
}

// tensorModes are the ways of reading and writing tensors of sm_100.
var tensorModes = []build.WordName{
	{isa.WTileGather4, op.MGATHER4},
	{isa.WTileScatter4, op.MSCATTER4},
	{isa.WIm2colW, op.MW},
	{isa.WIm2colW128, op.MW128},
}

// tensorLoad lowers a copy to shared memory: offsets and the mask of the
// blocks that get it follow the barrier.
func tensorLoad(l *build.Builder, x *bulkOp, coords build.Value, m op.Mods, mode op.Mod, dims int) {
	x.Blocks = []build.Value{append(build.Value{sharedWord(l, &l.Args[0]), sharedWord(l, &l.Args[2])}, coords...), flat(l, &l.Args[1])}
	at := 3
	info := build.Value{expand.RZ(), expand.RZ()}
	offsets := true
	switch mode {
	case op.MIM2COL:
		info[0] = im2colOffsets(l, at, dims)
	case op.MW, op.MW128:
		info[0] = im2colW(l, at)
	default:
		offsets = false
	}
	if mode != op.NoMod {
		m = m.With(mode)
	}
	if offsets {
		at++
	}
	cast := l.Has(isa.WMulticastCluster)
	if cast {
		m = m.With(op.MMULTICAST)
		info[1] = l.Src1(at, isa.B16)
	}
	l.Knows(isa.WCtaGroup1)
	m = group2(l, m)
	if offsets || cast {
		x.Blocks = append(x.Blocks, build.Value{halves(l, info[0], info[1])})
	}
	x.finish(l, op.UTMALDG, m, 2)
}

// haloBits is where the offset of im2col::w stands, above the halo.
const haloBits = 11

// im2colW packs the halo and the offset of im2col::w.
func im2colW(l *build.Builder, n int) ori.Operand {
	es := l.Elements(n)
	if len(es) != 2 {
		l.Unsupported()
	}
	halo, off := l.Read(&es[0], isa.U16)[0], l.Read(&es[1], isa.U16)[0]
	return l.Iadd(l.Shl1(l.Reg(off), ori.Imm(haloBits)), halo)
}

// tensorCoords returns the words of the coordinates behind a tensor map.
func tensorCoords(l *build.Builder, a *sema.Operand) build.Value {
	es := l.Body.Of(a.Elems)
	if len(es) == 1 && es[0].Kind == isa.KVector {
		es = l.Body.Of(es[0].Elems)
	}
	var v build.Value
	for k := range es {
		v = append(v, l.Read(&es[k], isa.S32)[0])
	}
	if len(v) == 0 {
		l.Unsupported()
	}
	return v
}

// im2colOffsets packs the offsets of im2col: one of 16 bits, two of 8, three of 5.
func im2colOffsets(l *build.Builder, n, dims int) ori.Operand {
	if n >= len(l.Args) {
		l.Unsupported()
	}
	es := l.Elements(n)
	bits := [...]int64{3: 16, 4: 8, 5: 5}
	if dims < 3 || len(es) != dims-2 {
		l.Unsupported()
	}
	sum := expand.RZ()
	for k := range es {
		w := l.Read(&es[k], isa.U16)[0]
		if w.Kind == ori.KReg {
			w = l.And2(w, ori.Imm(1<<bits[dims]-1))
		}
		if k > 0 {
			w = l.Shl1(l.Reg(w), ori.Imm(int64(k)*bits[dims]))
		}
		if k == 0 {
			sum = w
		} else {
			sum = l.Or2(sum, w)
		}
	}
	return sum
}
