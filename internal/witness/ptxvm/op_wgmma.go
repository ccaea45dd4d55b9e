package ptxvm

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/matrix"
)

// wgmma is the products of warp groups: each warp does its sixteen rows at
// once. The accumulator is nobody's until the group was waited for (PTX ISA,
// wgmma.mma_async): it counts as not written, and with Options.Late it holds
// its old contents until then.
func (d *decoder) wgmma() {
	d.ignore(isa.WSync, isa.WAligned)
	switch {
	case d.has(isa.WFence):
		d.out.run = func(*warp) {}
		return
	case d.has(isa.WCommitGroup):
		d.out.run = func(w *warp) { w.groups++ }
		return
	case d.has(isa.WWaitGroup):
		n := int(d.args[0].Value)
		d.out.run = func(w *warp) { w.finish(func(p *accumulator) bool { return p.group < w.groups-n }) }
		return
	}
	d.ignore(isa.WMmaAsync)
	m, n, k := d.shape()
	if m != 64 {
		d.unknown()
	}
	g := &matrix.Group{Product: *d.product(), N: n}
	g.M, g.K, g.Sparse = 16, k, d.has(isa.WSp)
	out, sum := d.fragmentOut(0, isa.B32), d.fragmentIn(0, isa.B32)
	var a fragmentIn
	var da operand
	inRegs := d.args[1].Kind == isa.KVector
	if inRegs {
		a = d.fragmentIn(1, isa.B32)
	} else {
		da = d.src(1, isa.B64)
	}
	db, next := d.src(2, isa.B64), 3
	var meta operand
	if g.Sparse {
		meta, g.Selector = d.src(3, isa.B32), int(d.args[4].Value)
		next = 5
	}
	scale := d.src(next, isa.Pred)
	d.wgmmaSigns(g, next+1, inRegs)
	sm := d.f.p.m.Opts.Arch.SM
	d.wholeWarp(func(w *warp) {
		if w.cta.grid.opts.Probe != nil {
			return
		}
		w.finish(func(p *accumulator) bool { return p.frame == w.frame && p.shares(&out) })
		x := *g
		if x.A.Float {
			x.Dot = matrix.DotOf(sm, x.A, x.Sum)
		}
		if x.Sparse {
			for l, v := range *w.col(&meta, 1) {
				x.Meta[l] = uint32(v)
			}
		}
		c := make([]matrix.Column, len(sum.ops))
		if w.col(&scale, 1)[0] != 0 {
			c = sum.read(w)
		}
		var fa []matrix.Column
		var desc matrix.Descriptor
		if inRegs {
			fa = a.read(w)
		} else {
			desc = matrix.Descriptor(w.col(&da, 2)[0])
		}
		mem := func(addr uint32) []byte { return w.bytes(isa.SpaceShared, uint64(addr), 0, 16, 16, false) }
		w.owe(&out, x.Run(w.index%4, mem, desc, matrix.Descriptor(w.col(&db, 3)[0]), fa, c))
	})
}

// accumulator is the registers of a product that was not waited for.
type accumulator struct {
	frame *frame
	out   *fragmentOut
	group int
	sums  []matrix.Column // where they are not written yet
}

// owe leaves the sums of a product where nobody may look.
func (w *warp) owe(out *fragmentOut, sums []matrix.Column) {
	p := accumulator{frame: w.frame, out: out, group: w.groups}
	if w.cta.grid.async = true; w.cta.grid.opts.Late {
		p.sums = sums
	} else {
		out.write(w, sums)
	}
	for _, to := range out.to {
		if to.slot >= 0 {
			w.frame.def[to.slot] = 0
		}
	}
	w.products = append(w.products, p)
}

// finish ends products: their registers hold the sums.
func (w *warp) finish(over func(*accumulator) bool) {
	w.products = slices.DeleteFunc(w.products, func(p accumulator) bool {
		if !over(&p) {
			return false
		}
		at := w.frame
		w.frame = p.frame
		if p.sums != nil {
			mask := w.mask
			w.mask = ^uint32(0)
			p.out.write(w, p.sums)
			w.mask = mask
		}
		for _, to := range p.out.to {
			if to.slot >= 0 {
				w.frame.def[to.slot] = ^uint32(0)
			}
		}
		w.frame = at
		return true
	})
}

// shares reports whether two products have a register in common.
func (p *accumulator) shares(out *fragmentOut) bool {
	return slices.ContainsFunc(p.out.to, func(a place) bool {
		return slices.ContainsFunc(out.to, func(b place) bool { return a.slot >= 0 && a.slot == b.slot })
	})
}

// ordered reports whether a column is the accumulator of a product.
func (w *warp) ordered(slot int32) bool {
	return slices.ContainsFunc(w.products, func(p accumulator) bool {
		return p.frame == w.frame && slices.ContainsFunc(p.out.to, func(a place) bool { return a.slot == slot })
	})
}

// wgmmaSigns reads the constants behind the predicate: signs of floats, and
// which factors lie across.
func (d *decoder) wgmmaSigns(g *matrix.Group, at int, inRegs bool) {
	rest := d.args[min(at, len(d.args)):]
	flags := []*bool{&g.NegA, &g.NegB, &g.TransA, &g.TransB}
	if inRegs {
		flags = []*bool{&g.NegA, &g.NegB, &g.TransB}
	}
	for n := range rest {
		if n >= len(flags) || rest[n].Kind != isa.KInt {
			d.unknown()
		}
		if v := int64(rest[n].Value); n < 2 {
			*flags[n] = v < 0
		} else {
			*flags[n] = v != 0
		}
	}
}
