package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// tensorDims are the modifiers for the number of dimensions.
var tensorDims = [...]struct {
	word isa.Word
	mod  op.Mod
}{{isa.W1d, op.M1D}, {isa.W2d, op.M2D}, {isa.W3d, op.M3D}, {isa.W4d, op.M4D}, {isa.W5d, op.M5D}}

// bulkTensor lowers the copies between tensors in global memory, which a
// tensor map describes, and shared memory.
func (l *lowerer) bulkTensor(reduce bool) {
	for _, w := range [...]isa.Word{isa.WTile, isa.WMbarrierCompleteTxBytes, isa.WBulkGroup, isa.WL2} {
		l.knows(w)
	}
	dim, dims := op.NoMod, 0
	for n, d := range tensorDims {
		if l.has(d.word) {
			dim, dims = d.mod, n+1
		}
	}
	im2col := l.has(isa.WIm2col) || l.has(isa.WIm2colNoOffs)
	mode := l.which(tensorModes)
	x := l.bulkOrder()
	prefetch := l.has(isa.WPrefetch)
	load := !prefetch && l.in.NSpaces == 2 && l.in.Spaces[0] != isa.SpaceGlobal
	tensor := &l.args[0]
	if load {
		tensor = &l.args[1]
	}
	coords := l.tensorCoords(tensor)
	switch {
	case prefetch:
		m := op.M(op.ML2, dim)
		x.blocks = []value{coords, l.flat(tensor)}
		switch x.same = true; {
		case im2col:
			m = m.With(op.MIM2COL)
			x.blocks = append(x.blocks, value{l.im2col(1, dims)})
		case mode == op.MW || mode == op.MW128:
			m = m.With(mode)
			x.blocks = append(x.blocks, value{l.im2colW(1)})
		case mode != op.NoMod:
			m = m.With(mode)
		}
		x.finish(l, op.UTMAPF, m, 2)
	case load:
		if im2col {
			mode = op.MIM2COL
		}
		l.tensorLoad(x, coords, op.M(dim), mode, dims)
	default:
		m := op.M(dim)
		if im2col {
			m = m.With(op.MIM2COL)
		} else if mode != op.NoMod {
			m = m.With(mode)
		}
		x.blocks = []value{append(value{l.sharedWord(&l.args[1])}, coords...), l.flat(tensor)}
		if reduce {
			x.finish(l, op.UTMAREDG, m.With(l.bulkFn()), 2)
			return
		}
		x.same = true
		x.finish(l, op.UTMASTG, m, 2)
	}
}

// tensorModes are the ways of reading and writing tensors of sm_100.
var tensorModes = []wordName{
	{isa.WTileGather4, op.MGATHER4},
	{isa.WTileScatter4, op.MSCATTER4},
	{isa.WIm2colW, op.MW},
	{isa.WIm2colW128, op.MW128},
}

// tensorLoad lowers a copy to shared memory: offsets and the mask of the
// blocks that get it follow the barrier.
func (l *lowerer) tensorLoad(x *bulkOp, coords value, m op.Mods, mode op.Mod, dims int) {
	x.blocks = []value{append(value{l.sharedWord(&l.args[0]), l.sharedWord(&l.args[2])}, coords...), l.flat(&l.args[1])}
	at := 3
	info := value{rz(), rz()}
	offsets := true
	switch mode {
	case op.MIM2COL:
		info[0] = l.im2col(at, dims)
	case op.MW, op.MW128:
		info[0] = l.im2colW(at)
	default:
		offsets = false
	}
	if mode != op.NoMod {
		m = m.With(mode)
	}
	if offsets {
		at++
	}
	cast := l.has(isa.WMulticastCluster)
	if cast {
		m = m.With(op.MMULTICAST)
		info[1] = l.src1(at, isa.B16)
	}
	l.knows(isa.WCtaGroup1)
	m = l.group2(m)
	if offsets || cast {
		x.blocks = append(x.blocks, value{l.halves(info[0], info[1])})
	}
	x.finish(l, op.UTMALDG, m, 2)
}

// haloBits is where the offset of im2col::w stands, above the halo.
const haloBits = 11

// im2colW packs the halo and the offset of im2col::w.
func (l *lowerer) im2colW(n int) ori.Operand {
	es := l.elements(n)
	if len(es) != 2 {
		l.unsupported()
	}
	halo, off := l.read(&es[0], isa.U16)[0], l.read(&es[1], isa.U16)[0]
	return l.iadd(l.shl1(l.reg(off), ori.Imm(haloBits)), halo)
}

// tensorCoords returns the words of the coordinates behind a tensor map.
func (l *lowerer) tensorCoords(a *sema.Operand) value {
	es := l.body.Of(a.Elems)
	if len(es) == 1 && es[0].Kind == isa.KVector {
		es = l.body.Of(es[0].Elems)
	}
	var v value
	for k := range es {
		v = append(v, l.read(&es[k], isa.S32)[0])
	}
	if len(v) == 0 {
		l.unsupported()
	}
	return v
}

// im2col packs the offsets of im2col: one of 16 bits, two of 8, three of 5.
func (l *lowerer) im2col(n, dims int) ori.Operand {
	if n >= len(l.args) {
		l.unsupported()
	}
	es := l.elements(n)
	bits := [...]int64{3: 16, 4: 8, 5: 5}
	if dims < 3 || len(es) != dims-2 {
		l.unsupported()
	}
	sum := rz()
	for k := range es {
		w := l.read(&es[k], isa.U16)[0]
		if w.Kind == ori.KReg {
			w = l.and2(w, ori.Imm(1<<bits[dims]-1))
		}
		if k > 0 {
			w = l.shl1(l.reg(w), ori.Imm(int64(k)*bits[dims]))
		}
		if k == 0 {
			sum = w
		} else {
			sum = l.or2(sum, w)
		}
	}
	return sum
}
