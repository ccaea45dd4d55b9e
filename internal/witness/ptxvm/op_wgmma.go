package ptxvm

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/matrix"
)

// wgmma is the products of warp groups: done at once here, each warp its
// sixteen rows. Fences, groups and waits have nothing left to do.
func (d *decoder) wgmma() {
	d.ignore(isa.WSync, isa.WAligned)
	if d.has(isa.WFence) || d.has(isa.WCommitGroup) || d.has(isa.WWaitGroup) {
		d.out.run = func(*warp) {}
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
		out.write(w, x.Run(w.index%4, mem, desc, matrix.Descriptor(w.col(&db, 3)[0]), fa, c))
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
