package mma

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/matrix"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
)

// Wgmma is the products of warp groups: each warp does its sixteen rows at
// once. The accumulator is nobody's until the group was waited for (PTX ISA,
// wgmma.mma_async): it counts as not written, and with Options.Late it holds
// its old contents until then.
func Wgmma(d *machine.Decoder) {
	d.Ignore(isa.WSync, isa.WAligned)
	switch {
	case d.Has(isa.WFence):
		d.Out.Run = func(*machine.Warp) {}
		return
	case d.Has(isa.WCommitGroup):
		d.Out.Run = (*machine.Warp).CommitProducts
		return
	case d.Has(isa.WWaitGroup):
		n := int(d.Args[0].Value)
		d.Out.Run = func(w *machine.Warp) { w.WaitProducts(n) }
		return
	}
	d.Ignore(isa.WMmaAsync)
	m, n, k := shape(d)
	if m != 64 {
		d.Unknown()
	}
	g := &matrix.Group{Product: *product(d), N: n}
	g.M, g.K, g.Sparse = 16, k, d.Has(isa.WSp)
	out, sum := OutputsOf(d, 0, isa.B32), InputsOf(d, 0, isa.B32)
	var a Inputs
	var da machine.Operand
	inRegs := d.Args[1].Kind == isa.KVector
	if inRegs {
		a = InputsOf(d, 1, isa.B32)
	} else {
		da = d.Src(1, isa.B64)
	}
	db, next := d.Src(2, isa.B64), 3
	var meta machine.Operand
	if g.Sparse {
		meta, g.Selector = d.Src(3, isa.B32), int(d.Args[4].Value)
		next = 5
	}
	scale := d.Src(next, isa.Pred)
	wgmmaSigns(d, g, next+1, inRegs)
	sm := d.Sm()
	d.WholeWarp(func(w *machine.Warp) {
		if w.Probing() {
			return
		}
		w.FinishProducts(out.To)
		x := *g
		if x.A.Float {
			x.Dot = matrix.DotOf(sm, x.A, x.Sum)
		}
		if x.Sparse {
			for l, v := range *w.Col(&meta, 1) {
				x.Meta[l] = uint32(v)
			}
		}
		c := make([]matrix.Column, len(sum.Ops))
		if w.Col(&scale, 1)[0] != 0 {
			c = sum.Read(w)
		}
		var fa []matrix.Column
		var desc matrix.Descriptor
		if inRegs {
			fa = a.Read(w)
		} else {
			desc = matrix.Descriptor(w.Col(&da, 2)[0])
		}
		mem := func(addr uint32) []byte { return w.Bytes(isa.SpaceShared, uint64(addr), 0, 16, 16, false) }
		sums := x.Run(w.Index%4, mem, desc, matrix.Descriptor(w.Col(&db, 3)[0]), fa, c)
		w.Owe(out.To, func() { out.Write(w, sums) })
	})
}

// wgmmaSigns reads the constants behind the predicate: signs of floats, and
// which factors lie across.
func wgmmaSigns(d *machine.Decoder, g *matrix.Group, at int, inRegs bool) {
	rest := d.Args[min(at, len(d.Args)):]
	flags := []*bool{&g.NegA, &g.NegB, &g.TransA, &g.TransB}
	if inRegs {
		flags = []*bool{&g.NegA, &g.NegB, &g.TransB}
	}
	for n := range rest {
		if n >= len(flags) || rest[n].Kind != isa.KInt {
			d.Unknown()
		}
		if v := int64(rest[n].Value); n < 2 {
			*flags[n] = v < 0
		} else {
			*flags[n] = v != 0
		}
	}
}
