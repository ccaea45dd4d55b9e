package matrix

import (
	"math"

	"github.com/goptxas/goptxas/internal/engine/fp"
)

// On computes the product as machine sm does it for PTX. Between sm_90 and
// sm_119 products of 8-bit floats are those of f16: first the lower two
// elements of every register, then the upper two, and the addend last.
func (p *Product) On(sm int, a, b, c []Column) []Column {
	x := *p
	if !p.A.Float || p.A.Bits == 64 {
		return x.Run(a, b, c)
	}
	if p.A.Bits != 8 || sm < 90 || sm >= 120 {
		if x.Dot = DotOf(sm, p.A, p.Sum); p.Scale != nil {
			x.Dot = ScaledDot(p.K)
		}
		return x.Run(a, b, c)
	}
	x.Dot = DotOf(sm, FloatElem(fp.F16), p.Sum)
	x.split = true
	return x.Run(a, b, c)
}

// halves adds the products of 8-bit floats as those of f16: pairs in even
// places, then those in odd places.
func (p *Product) halves(xs, ys []uint64, c uint64) uint64 {
	sum := uint64(0)
	for part := range 2 {
		var a, b []uint64
		for k := range xs {
			if k/2%2 == part {
				a = append(a, fp.Convert(p.A.Format, fp.F16, xs[k], fp.Mode{}))
				b = append(b, fp.Convert(p.B.Format, fp.F16, ys[k], fp.Mode{}))
			}
		}
		sum = p.Dot.Add(fp.F16, fp.F16, p.Sum.Format, a, b, sum)
	}
	return p.Sum.Format.Add(c, sum, fp.Mode{})
}

// Quads is the oldest product of f16: four of eight lanes each, which lanes
// four to a group and those sixteen above them make. Sums are of f32, one
// product after the other.
type Quads struct {
	ACol, BRow bool
	D, C       Elem
}

// factor returns element i of the row (of B, the column) that a lane of the
// quad holds; turned, lanes hold the other dimension.
func factor(v []Column, quad, line, i int, turned bool) float32 {
	if turned {
		upper := line / 4 * 4
		line, i = upper+i, line%4
	}
	lane := quad*4 + line%4 + line/4*16
	x := v[i/2][lane] >> (i % 2 * 16) & 0xffff
	return math.Float32frombits(uint32(fp.Convert(fp.F16, fp.F32, uint64(x), fp.Mode{})))
}

// sumPlace returns lane and place of element r, c of an accumulator.
func sumPlace(e Elem, quad, r, c int) (lane, at int) {
	if e.Bits == 16 {
		return quad*4 + r%4 + r/4*16, c
	}
	return quad*4 + r&1 + c&2 + r/4*16, c&4 + r&2 + c&1
}

// Run computes D.
func (q *Quads) Run(a, b, c []Column) []Column {
	d := make([]Column, 8*q.D.Bits/32)
	for quad := range 4 {
		for r := range 8 {
			for col := range 8 {
				var x, y [4]float32
				for k := range 4 {
					x[k] = factor(a, quad, r, k, q.ACol)
					y[k] = factor(b, quad, col, k, q.BRow)
				}
				lane, at := sumPlace(q.C, quad, r, col)
				z := quadRead(c, q.C, lane, at)
				lane, at = sumPlace(q.D, quad, r, col)
				quadWrite(d, q.D, lane, at, quadSum(q.D, x, y, z))
			}
		}
	}
	return d
}

func quadRead(v []Column, e Elem, lane, at int) uint64 {
	if e.Bits == 32 {
		return uint64(v[at][lane])
	}
	return fp.Convert(fp.F16, fp.F32, uint64(v[at/2][lane]>>(at%2*16)&0xffff), fp.Mode{})
}

func quadWrite(v []Column, e Elem, lane, at int, x uint64) {
	if e.Bits == 32 {
		v[at][lane] = uint32(x)
		return
	}
	v[at/2][lane] |= uint32(fp.Convert(fp.F32, fp.F16, x, fp.Mode{})) << (at % 2 * 16)
}

// quadSum adds four products to z: in order for f32, by pairs for f16.
func quadSum(e Elem, x, y [4]float32, z uint64) uint64 {
	bits := func(f float32) uint64 { return uint64(math.Float32bits(f)) }
	fma := func(a, b float32, c uint64) uint64 { return fp.F32.Fma(bits(a), bits(b), c, fp.Mode{}) }
	if e.Bits == 32 {
		s := uint64(0)
		for k := range x {
			s = fma(x[k], y[k], s)
		}
		return fp.F32.Add(z, s, fp.Mode{})
	}
	lo := fma(x[1], y[1], fp.F32.Mul(bits(x[0]), bits(y[0]), fp.Mode{}))
	hi := fma(x[3], y[3], fp.F32.Mul(bits(x[2]), bits(y[2]), fp.Mode{}))
	return fp.F32.Add(fp.F32.Add(z, hi, fp.Mode{}), lo, fp.Mode{})
}
