package mma

import (
	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/matrix"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
)

// Matrices of a warp. All 32 lanes take part.

// Inputs is a vector argument that is read.
type Inputs struct {
	Ops  []machine.Operand
	wide bool
}

// InputsOf decodes argument n, a vector of type t that is read.
func InputsOf(d *machine.Decoder, n int, t isa.Type) Inputs {
	f := Inputs{wide: t == isa.F64}
	typ := isa.B32
	if f.wide {
		typ = isa.B64
	}
	es := d.Elements(n)
	for k := range es {
		f.Ops = append(f.Ops, d.Read(&es[k], typ))
	}
	return f
}

// Read returns the registers as words of lanes.
func (f *Inputs) Read(w *machine.Warp) []matrix.Column {
	var out []matrix.Column
	for k := range f.Ops {
		x := *w.Col(&f.Ops[k], 0)
		var lo, hi matrix.Column
		for l, v := range x {
			lo[l], hi[l] = uint32(v), uint32(v>>32)
		}
		out = append(out, lo)
		if f.wide {
			out = append(out, hi)
		}
	}
	return out
}

// Outputs is a vector argument that is written.
type Outputs struct {
	To   []machine.Place
	wide bool
}

// OutputsOf decodes argument n, a vector of type t that is written.
func OutputsOf(d *machine.Decoder, n int, t isa.Type) Outputs {
	f := Outputs{wide: t == isa.F64}
	es := d.Elements(n)
	for k := range es {
		f.To = append(f.To, d.Target(&es[k]))
	}
	return f
}

// Write writes words of lanes; a short list repeats.
func (f *Outputs) Write(w *machine.Warp, v []matrix.Column) {
	for k, p := range f.To {
		var x machine.Column
		for l := range x {
			if f.wide {
				x[l] = uint64(v[2*k][l]) | uint64(v[2*k+1][l])<<32
			} else {
				x[l] = uint64(v[k%len(v)][l])
			}
		}
		w.Store(p, &x)
	}
}

// shape returns the numbers of the current shape.
func shape(d *machine.Decoder) (m, n, k int) {
	var num [3]int
	for _, word := range d.Body.ModsOf(d.In) {
		if !word.IsShape() {
			continue
		}
		d.Ignore(word)
		i := -1
		for _, c := range word.String() {
			if c >= '0' && c <= '9' && i >= 0 {
				num[i] = num[i]*10 + int(c-'0')
			} else {
				i++
			}
		}
	}
	return num[0], num[1], num[2]
}

// layouts tells which matrices lie by columns.
func layouts(d *machine.Decoder) (a, b bool) {
	d.Ignore(isa.WRow, isa.WCol)
	n := 0
	for _, word := range d.Body.ModsOf(d.In) {
		if word == isa.WRow || word == isa.WCol {
			if n == 0 {
				a = word == isa.WCol
			} else {
				b = word == isa.WCol
			}
			n++
		}
	}
	return a, b
}

// elems maps types to elements of matrices.
var elems = [...]struct {
	t isa.Type
	e matrix.Elem
}{
	{isa.F16, matrix.Elem{Float: true, Format: fp.F16, Bits: 16}},
	{isa.BF16, matrix.Elem{Float: true, Format: fp.BF16, Bits: 16}},
	{isa.TF32, matrix.Elem{Float: true, Format: fp.TF32, Bits: 32}},
	{isa.F32, matrix.Elem{Float: true, Format: fp.F32, Bits: 32}},
	{isa.F64, matrix.Elem{Float: true, Format: fp.F64, Bits: 64}},
	{isa.E4M3, matrix.Elem{Float: true, Format: fp.E4M3, Bits: 8}},
	{isa.E5M2, matrix.Elem{Float: true, Format: fp.E5M2, Bits: 8}},
	{isa.E2M3, matrix.Boxed(fp.E2M3)},
	{isa.E3M2, matrix.Boxed(fp.E3M2)},
	{isa.E2M1, matrix.Boxed(fp.E2M1)},
	{isa.S8, matrix.Elem{Bits: 8, Signed: true}},
	{isa.U8, matrix.Elem{Bits: 8}},
	{isa.S4, matrix.Elem{Bits: 4, Signed: true}},
	{isa.U4, matrix.Elem{Bits: 4}},
	{isa.B1, matrix.Elem{Bits: 1}},
	{isa.S32, matrix.Elem{Bits: 32, Signed: true}},
}

func elem(d *machine.Decoder, t isa.Type) matrix.Elem {
	for n := range elems {
		if elems[n].t == t {
			return elems[n].e
		}
	}
	d.Unknown()
	return matrix.Elem{}
}

// product reads types and operations of the current mma or wmma.mma.
func product(d *machine.Decoder) *matrix.Product {
	p := &matrix.Product{A: elem(d, d.Type(1)), B: elem(d, d.Type(2)), Sum: elem(d, d.Type(0))}
	d.Ignore(isa.WPopc, isa.WXor, isa.WRn, isa.WKindF8f6f4)
	p.And, p.Sat = d.Has(isa.WAnd), d.Has(isa.WSatfinite)
	p.Bytes = p.A.Bits <= 8
	switch {
	case d.Has(isa.WRz):
		p.Round = fp.RZ
	case d.Has(isa.WRm):
		p.Round = fp.RM
	case d.Has(isa.WRp):
		p.Round = fp.RP
	}
	return p
}

// Mma multiplies matrices.
func Mma(d *machine.Decoder) {
	m, _, k := shape(d)
	aCol, bCol := layouts(d)
	out := OutputsOf(d, 0, d.Type(0))
	a, b, c := InputsOf(d, 1, d.Type(1)), InputsOf(d, 2, d.Type(2)), InputsOf(d, 3, d.Type(3))
	if m == 8 && d.Type(1) == isa.F16 {
		quads(d, out, [3]Inputs{a, b, c}, aCol, bCol)
		return
	}
	p := product(d)
	p.M, p.K = m, k
	sparse, ordered := d.Has(isa.WSp), d.Has(isa.WSpOrderedMetadata)
	p.Sparse = sparse || ordered
	var meta machine.Operand
	if p.Sparse {
		meta = d.Src(4, isa.B32)
		p.Selector = int(d.Args[5].Value)
	}
	scales := scales(d, p)
	sm := d.Sm()
	d.WholeWarp(func(w *machine.Warp) {
		x := *p
		if x.Sparse {
			for l, v := range *w.Col(&meta, 1) {
				x.Meta[l] = uint32(v)
			}
		}
		if scales != nil {
			x.Scale = scales(w)
		}
		out.Write(w, x.On(sm, a.Read(w), b.Read(w), c.Read(w)))
	})
}

// scales reads those of a product with block scaling: a register of each
// factor, and which bytes of which lanes count; nil without.
func scales(d *machine.Decoder, p *matrix.Product) func(w *machine.Warp) *matrix.Scales {
	d.Ignore(isa.WKindMxf8f6f4, isa.WScaleVec1X)
	packed := d.Has(isa.WKindMxf4)
	packed = d.Has(isa.WKindMxf4nvf4) || packed
	count := 1 // scales of a row
	if packed {
		count = 2
	}
	if d.Has(isa.WScaleVec2X) {
		count = 2
	}
	if d.Has(isa.WScaleVec4X) {
		count = 4
	}
	if !d.Has(isa.WBlockScale) {
		return nil
	}
	if packed { // without boxes
		p.A = matrix.FloatElem(fp.E2M1)
		p.B, p.Bytes = p.A, p.Sparse
	}
	s := matrix.Scales{Format: fp.UE8M0, Block: p.K / count}
	if d.Type(4) == isa.UE4M3 {
		s.Format = fp.E4M3
	}
	at := 4
	if p.Sparse { // behind metadata and selector
		at = 6
	}
	data := [2]machine.Operand{d.Src(at, isa.B32), d.Src(at+2, isa.B32)}
	ids := [2]Inputs{InputsOf(d, at+1, isa.B16), InputsOf(d, at+3, isa.B16)}
	return func(w *machine.Warp) *matrix.Scales {
		x := s
		for l := range machine.Lanes {
			x.A[l], x.B[l] = uint32(w.Col(&data[0], 0)[l]), uint32(w.Col(&data[1], 1)[l])
		}
		id := func(n, k int) int { return int(w.Col(&ids[n].Ops[k], 2)[0] & 3) }
		x.ByteA, x.LanesA, x.ByteB, x.LanesB = id(0, 0), id(0, 1)&1, id(1, 0), id(1, 1)
		return &x
	}
}

// quads is the oldest shape: four products of eight lanes each, added in f32.
func quads(d *machine.Decoder, out Outputs, in [3]Inputs, aCol, bCol bool) {
	q := matrix.Quads{ACol: aCol, BRow: !bCol, D: elem(d, d.Type(0)), C: elem(d, d.Type(3))}
	d.WholeWarp(func(w *machine.Warp) {
		out.Write(w, q.Run(in[0].Read(w), in[1].Read(w), in[2].Read(w)))
	})
}

// Ldmatrix loads rows of 16 bytes, whose addresses lanes give.
func Ldmatrix(d *machine.Decoder) {
	if isBytes(d) {
		loadBytes(d)
		return
	}
	trans, out, space, addr := matrices(d, 0, 1)
	d.WholeWarp(func(w *machine.Warp) {
		a := *w.Addresses(addr)
		var v []matrix.Column
		for n := range out {
			var x matrix.Column
			for r := range 8 {
				b := w.Bytes(space, a[8*n+r], 8*n+r, 16, 16, false)
				for c := range 4 {
					x[4*r+c] = uint32(machine.Get(b[4*c : 4*c+4]))
				}
			}
			if trans {
				x = matrix.Transpose(&x)
			}
			v = append(v, x)
		}
		f := Outputs{To: out}
		f.Write(w, v)
	})
}

// matrices reads what ldmatrix and stmatrix share.
func matrices(d *machine.Decoder, vector, address int) (trans bool, out []machine.Place, space isa.Space, addr func(*machine.Warp, int) *machine.Column) {
	d.Ignore(isa.WX1, isa.WX2, isa.WX4)
	if !d.Has(isa.WM8n8) || d.Type(0) != isa.B16 {
		d.Unknown()
	}
	es := d.Elements(vector)
	if vector == 0 {
		for k := range es {
			out = append(out, d.Target(&es[k]))
		}
	}
	return d.Has(isa.WTrans), out, d.SpaceOf(address), d.Addr(address)
}

// Stmatrix stores them.
func Stmatrix(d *machine.Decoder) {
	if isBytes(d) {
		storeBytes(d)
		return
	}
	trans, _, space, addr := matrices(d, 1, 0)
	in := InputsOf(d, 1, isa.B32)
	d.WholeWarp(func(w *machine.Warp) {
		a := *w.Addresses(addr)
		for n, x := range in.Read(w) {
			if trans {
				x = matrix.Transpose(&x)
			}
			for r := range 8 {
				b := w.Bytes(space, a[8*n+r], 8*n+r, 16, 16, true)
				for c := range 4 {
					machine.Put(b[4*c:4*c+4], uint64(x[4*r+c]))
				}
			}
		}
	})
}

// Movmatrix transposes a matrix.
func Movmatrix(d *machine.Decoder) {
	d.Ignore(isa.WM8n8, isa.WTrans)
	out, in := OutputsOf(d, 0, isa.B32), InputsOf(d, 1, isa.B32)
	d.WholeWarp(func(w *machine.Warp) {
		v := in.Read(w)
		out.Write(w, []matrix.Column{matrix.Transpose(&v[0])})
	})
}
