package ptxvm

import (
	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/matrix"
)

// wmma leaves open which lane holds which element; here they lie where mma
// wants them.

// wmma loads, stores and multiplies fragments.
func (d *decoder) wmma() {
	m, n, k := d.shape()
	byColumn, _ := d.layouts()
	switch {
	case d.has(isa.WMma):
		d.wmmaMma(m, n, k)
	case d.has(isa.WLoad):
		which := byte('c')
		switch {
		case d.has(isa.WA):
			which = 'a'
		case d.has(isa.WB):
			which = 'b'
		}
		d.ignore(isa.WC)
		d.wmmaLoad(&matrix.Fragment{Which: which, M: m, N: n, K: k, Elem: d.elem(d.typ(0)), ByColumn: byColumn})
	case d.has(isa.WStore):
		d.ignore(isa.WD)
		d.wmmaStore(&matrix.Fragment{Which: 'c', M: m, N: n, K: k, Elem: d.elem(d.typ(0)), ByColumn: byColumn})
	}
}

// stride is what the operand behind the fragment says, or a line's length.
func (d *decoder) stride(f *matrix.Fragment) operand {
	if len(d.args) > 2 {
		return d.src(2, isa.U32)
	}
	return constant(uint64(f.Line()))
}

func (d *decoder) wmmaLoad(f *matrix.Fragment) {
	out, space, addr, stride := d.fragmentOut(0, d.typ(0)), d.spaceOf(1), d.addr(1), d.stride(f)
	d.wholeWarp(func(w *warp) {
		a, s := *w.col8(addr), *w.col(&stride, 0)
		v := make([]matrix.Column, f.Words())
		for l := range 32 {
			for n, e := range f.Elements(l) {
				at, size := f.Offset(e, s[l])
				x := get(w.bytes(space, a[l]+at, l, size, size, false))
				f.Put(v, l, n, x)
			}
		}
		out.write(w, v)
	})
}

func (d *decoder) wmmaStore(f *matrix.Fragment) {
	in, space, addr, stride := d.fragmentIn(1, d.typ(0)), d.spaceOf(0), d.addr(0), d.stride(f)
	d.wholeWarp(func(w *warp) {
		a, s := *w.col8(addr), *w.col(&stride, 0)
		v := in.read(w)
		for l := range 32 {
			for n, e := range f.Elements(l) {
				at, size := f.Offset(e, s[l])
				put(w.bytes(space, a[l]+at, l, size, size, true), f.Get(v, l, n))
			}
		}
	})
}

// wmmaMma multiplies fragments.
func (d *decoder) wmmaMma(m, n, k int) {
	var p *matrix.Product
	a, b, c := d.typ(1), d.typ(2), d.typ(3)
	if d.in.NTypes == 2 {
		a, b, c = isa.F16, isa.F16, d.typ(1)
		p = &matrix.Product{A: d.elem(a), B: d.elem(b), Sum: d.elem(d.typ(0))}
	} else {
		p = d.product()
	}
	to, from := d.elem(d.typ(0)), d.elem(c)
	if from.Bits > to.Bits {
		p.Sum = from
	}
	out := d.fragmentOut(0, d.typ(0))
	fa, fb, fc := d.fragmentIn(1, a), d.fragmentIn(2, b), d.fragmentIn(3, c)
	sm := d.f.p.m.Opts.Arch.SM
	d.wholeWarp(func(w *warp) {
		x := *p
		sum := fc.read(w)
		if from.Bits < to.Bits {
			sum = matrix.Widen(sum)
		}
		r := x.Wide(sm, m, n, k, fa.read(w), fb.read(w), sum)
		if x.Sum.Bits > to.Bits {
			r = matrix.Narrow(r, fp.F16)
		}
		out.write(w, r)
	})
}
