package mma

import (
	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/matrix"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
)

// wmma leaves open which lane holds which element; here they lie where mma
// wants them.

// Wmma loads, stores and multiplies fragments.
func Wmma(d *machine.Decoder) {
	m, n, k := shape(d)
	byColumn, _ := layouts(d)
	switch {
	case d.Has(isa.WMma):
		wmmaMma(d, m, n, k)
	case d.Has(isa.WLoad):
		which := byte('c')
		switch {
		case d.Has(isa.WA):
			which = 'a'
		case d.Has(isa.WB):
			which = 'b'
		}
		d.Ignore(isa.WC)
		wmmaLoad(d, &matrix.Fragment{Which: which, M: m, N: n, K: k, Elem: elem(d, d.Type(0)), ByColumn: byColumn})
	case d.Has(isa.WStore):
		d.Ignore(isa.WD)
		wmmaStore(d, &matrix.Fragment{Which: 'c', M: m, N: n, K: k, Elem: elem(d, d.Type(0)), ByColumn: byColumn})
	}
}

// stride is what the operand behind the fragment says, or a line's length.
func stride(d *machine.Decoder, f *matrix.Fragment) machine.Operand {
	if len(d.Args) > 2 {
		return d.Src(2, isa.U32)
	}
	return machine.Constant(uint64(f.Line()))
}

func wmmaLoad(d *machine.Decoder, f *matrix.Fragment) {
	out, space, addr, stride := OutputsOf(d, 0, d.Type(0)), d.SpaceOf(1), d.Addr(1), stride(d, f)
	d.WholeWarp(func(w *machine.Warp) {
		a, s := *w.Addresses(addr), *w.Col(&stride, 0)
		v := make([]matrix.Column, f.Words())
		for l := range 32 {
			for n, e := range f.Elements(l) {
				at, size := f.Offset(e, s[l])
				x := machine.Get(w.Bytes(space, a[l]+at, l, size, size, false))
				f.Put(v, l, n, x)
			}
		}
		out.Write(w, v)
	})
}

func wmmaStore(d *machine.Decoder, f *matrix.Fragment) {
	in, space, addr, stride := InputsOf(d, 1, d.Type(0)), d.SpaceOf(0), d.Addr(0), stride(d, f)
	d.WholeWarp(func(w *machine.Warp) {
		a, s := *w.Addresses(addr), *w.Col(&stride, 0)
		v := in.Read(w)
		for l := range 32 {
			for n, e := range f.Elements(l) {
				at, size := f.Offset(e, s[l])
				machine.Put(w.Bytes(space, a[l]+at, l, size, size, true), f.Get(v, l, n))
			}
		}
	})
}

// wmmaMma multiplies fragments.
func wmmaMma(d *machine.Decoder, m, n, k int) {
	var p *matrix.Product
	a, b, c := d.Type(1), d.Type(2), d.Type(3)
	if d.In.NTypes == 2 {
		a, b, c = isa.F16, isa.F16, d.Type(1)
		p = &matrix.Product{A: elem(d, a), B: elem(d, b), Sum: elem(d, d.Type(0))}
	} else {
		p = product(d)
	}
	to, from := elem(d, d.Type(0)), elem(d, c)
	if from.Bits > to.Bits {
		p.Sum = from
	}
	out := OutputsOf(d, 0, d.Type(0))
	fa, fb, fc := InputsOf(d, 1, a), InputsOf(d, 2, b), InputsOf(d, 3, c)
	sm := d.Sm()
	d.WholeWarp(func(w *machine.Warp) {
		x := *p
		sum := fc.Read(w)
		if from.Bits < to.Bits {
			sum = matrix.Widen(sum)
		}
		r := x.Wide(sm, m, n, k, fa.Read(w), fb.Read(w), sum)
		if x.Sum.Bits > to.Bits {
			r = matrix.Narrow(r, fp.F16)
		}
		out.Write(w, r)
	})
}
