package ptxvm

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/matrix"
)

// Matrices of a warp. All 32 lanes take part.

// wholeWarp makes the current instruction one of the whole warp.
func (d *decoder) wholeWarp(run func(w *warp)) {
	d.ignore(isa.WAligned)
	d.together(func(w *warp, members uint32) {
		if members != 1<<32-1 {
			w.fail(bits.TrailingZeros32(^members), "a matrix instruction without this thread")
		}
		run(w)
	})
}

// fragmentIn is a vector argument that is read.
type fragmentIn struct {
	ops  []operand
	wide bool
}

func (d *decoder) fragmentIn(n int, t isa.Type) fragmentIn {
	f := fragmentIn{wide: t == isa.F64}
	typ := isa.B32
	if f.wide {
		typ = isa.B64
	}
	es := d.elements(n)
	for k := range es {
		f.ops = append(f.ops, d.read(&es[k], typ))
	}
	return f
}

// read returns the registers as words of lanes.
func (f *fragmentIn) read(w *warp) []matrix.Column {
	var out []matrix.Column
	for k := range f.ops {
		x := *w.col(&f.ops[k], 0)
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

// fragmentOut is a vector argument that is written.
type fragmentOut struct {
	to   []place
	wide bool
}

func (d *decoder) fragmentOut(n int, t isa.Type) fragmentOut {
	f := fragmentOut{wide: t == isa.F64}
	es := d.elements(n)
	for k := range es {
		f.to = append(f.to, d.target(&es[k]))
	}
	return f
}

// write writes words of lanes; a short list repeats.
func (f *fragmentOut) write(w *warp, v []matrix.Column) {
	for k, p := range f.to {
		var x column
		for l := range x {
			if f.wide {
				x[l] = uint64(v[2*k][l]) | uint64(v[2*k+1][l])<<32
			} else {
				x[l] = uint64(v[k%len(v)][l])
			}
		}
		w.store(p, &x)
	}
}

// shape returns the numbers of the current shape.
func (d *decoder) shape() (m, n, k int) {
	var num [3]int
	for _, word := range d.body.ModsOf(d.in) {
		if !word.IsShape() {
			continue
		}
		d.asked[word] = true
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
func (d *decoder) layouts() (a, b bool) {
	d.ignore(isa.WRow, isa.WCol)
	n := 0
	for _, word := range d.body.ModsOf(d.in) {
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

func (d *decoder) elem(t isa.Type) matrix.Elem {
	for n := range elems {
		if elems[n].t == t {
			return elems[n].e
		}
	}
	d.unknown()
	return matrix.Elem{}
}

// product reads types and operations of the current mma or wmma.mma.
func (d *decoder) product() *matrix.Product {
	p := &matrix.Product{A: d.elem(d.typ(1)), B: d.elem(d.typ(2)), Sum: d.elem(d.typ(0))}
	d.ignore(isa.WPopc, isa.WXor, isa.WRn, isa.WKindF8f6f4)
	p.And, p.Sat = d.has(isa.WAnd), d.has(isa.WSatfinite)
	p.Bytes = p.A.Bits <= 8
	switch {
	case d.has(isa.WRz):
		p.Round = fp.RZ
	case d.has(isa.WRm):
		p.Round = fp.RM
	case d.has(isa.WRp):
		p.Round = fp.RP
	}
	return p
}

// mma multiplies matrices.
func (d *decoder) mma() {
	m, _, k := d.shape()
	aCol, bCol := d.layouts()
	out := d.fragmentOut(0, d.typ(0))
	a, b, c := d.fragmentIn(1, d.typ(1)), d.fragmentIn(2, d.typ(2)), d.fragmentIn(3, d.typ(3))
	if m == 8 && d.typ(1) == isa.F16 {
		d.quads(out, [3]fragmentIn{a, b, c}, aCol, bCol)
		return
	}
	p := d.product()
	p.M, p.K = m, k
	sparse, ordered := d.has(isa.WSp), d.has(isa.WSpOrderedMetadata)
	p.Sparse = sparse || ordered
	var meta operand
	if p.Sparse {
		meta = d.src(4, isa.B32)
		p.Selector = int(d.args[5].Value)
	}
	scales := d.scales(p)
	sm := d.f.p.m.Opts.Arch.SM
	d.wholeWarp(func(w *warp) {
		x := *p
		if x.Sparse {
			for l, v := range *w.col(&meta, 1) {
				x.Meta[l] = uint32(v)
			}
		}
		if scales != nil {
			x.Scale = scales(w)
		}
		out.write(w, x.On(sm, a.read(w), b.read(w), c.read(w)))
	})
}

// scales reads those of a product with block scaling: a register of each
// factor, and which bytes of which lanes count; nil without.
func (d *decoder) scales(p *matrix.Product) func(w *warp) *matrix.Scales {
	d.ignore(isa.WKindMxf8f6f4, isa.WScaleVec1X, isa.WScaleVec2X)
	packed := d.has(isa.WKindMxf4)
	packed = d.has(isa.WKindMxf4nvf4) || packed
	fine := d.has(isa.WScaleVec4X)
	if !d.has(isa.WBlockScale) {
		return nil
	}
	if p.Sparse {
		d.unknown()
	}
	if packed { // without boxes
		p.A = matrix.FloatElem(fp.E2M1)
		p.B, p.Bytes = p.A, false
	}
	s := matrix.Scales{Format: fp.UE8M0, Block: 32}
	if d.typ(4) == isa.UE4M3 {
		s.Format = fp.E4M3
	}
	if fine {
		s.Block = 16
	}
	data := [2]operand{d.src(4, isa.B32), d.src(6, isa.B32)}
	ids := [2]fragmentIn{d.fragmentIn(5, isa.B16), d.fragmentIn(7, isa.B16)}
	return func(w *warp) *matrix.Scales {
		x := s
		for l := range lanes {
			x.A[l], x.B[l] = uint32(w.col(&data[0], 0)[l]), uint32(w.col(&data[1], 1)[l])
		}
		id := func(n, k int) int { return int(w.col(&ids[n].ops[k], 2)[0] & 3) }
		x.ByteA, x.LanesA, x.ByteB, x.LanesB = id(0, 0), id(0, 1)&1, id(1, 0), id(1, 1)
		return &x
	}
}

// quads is the oldest shape: four products of eight lanes each, added in f32.
func (d *decoder) quads(out fragmentOut, in [3]fragmentIn, aCol, bCol bool) {
	q := matrix.Quads{ACol: aCol, BRow: !bCol, D: d.elem(d.typ(0)), C: d.elem(d.typ(3))}
	d.wholeWarp(func(w *warp) {
		out.write(w, q.Run(in[0].read(w), in[1].read(w), in[2].read(w)))
	})
}

// ldmatrix loads rows of 16 bytes, whose addresses lanes give.
func (d *decoder) ldmatrix() {
	trans, out, space, addr := d.matrices(0, 1)
	d.wholeWarp(func(w *warp) {
		a := *w.col8(addr)
		var v []matrix.Column
		for n := range out {
			var x matrix.Column
			for r := range 8 {
				b := w.bytes(space, a[8*n+r], 8*n+r, 16, 16, false)
				for c := range 4 {
					x[4*r+c] = uint32(get(b[4*c : 4*c+4]))
				}
			}
			if trans {
				x = matrix.Transpose(&x)
			}
			v = append(v, x)
		}
		f := fragmentOut{to: out}
		f.write(w, v)
	})
}

// matrices reads what ldmatrix and stmatrix share.
func (d *decoder) matrices(vector, address int) (trans bool, out []place, space isa.Space, addr func(*warp, int) *column) {
	d.ignore(isa.WX1, isa.WX2, isa.WX4)
	if !d.has(isa.WM8n8) || d.typ(0) != isa.B16 {
		d.unknown()
	}
	es := d.elements(vector)
	if vector == 0 {
		for k := range es {
			out = append(out, d.target(&es[k]))
		}
	}
	return d.has(isa.WTrans), out, d.spaceOf(address), d.addr(address)
}

// stmatrix stores them.
func (d *decoder) stmatrix() {
	trans, _, space, addr := d.matrices(1, 0)
	in := d.fragmentIn(1, isa.B32)
	d.wholeWarp(func(w *warp) {
		a := *w.col8(addr)
		for n, x := range in.read(w) {
			if trans {
				x = matrix.Transpose(&x)
			}
			for r := range 8 {
				b := w.bytes(space, a[8*n+r], 8*n+r, 16, 16, true)
				for c := range 4 {
					put(b[4*c:4*c+4], uint64(x[4*r+c]))
				}
			}
		}
	})
}

// movmatrix transposes a matrix.
func (d *decoder) movmatrix() {
	d.ignore(isa.WM8n8, isa.WTrans)
	out, in := d.fragmentOut(0, isa.B32), d.fragmentIn(1, isa.B32)
	d.wholeWarp(func(w *warp) {
		v := in.read(w)
		out.write(w, []matrix.Column{matrix.Transpose(&v[0])})
	})
}
