// Package matrix is the meaning of matrix products of one warp: where the
// elements of the factors lie in the registers of the lanes, what metadata
// of sparse factors says, and how products are added. The PTX interpreter
// and the SASS simulator share it, as the layouts of mma are the machine's.
package matrix

import (
	"math"

	"github.com/goptxas/goptxas/internal/engine/fp"
)

// Column is a register of all lanes.
type Column = [32]uint32

// Elem is a kind of element: a float format, or an integer of some bits.
type Elem struct {
	Float  bool
	Format fp.Format
	Bits   int
	Signed bool
	Up     uint // bits below it, of a float that is narrower than its place
}

// FloatElem is an element of a float format.
func FloatElem(f fp.Format) Elem { return Elem{Float: true, Format: f, Bits: f.Width()} }

// Product is D = A×B + C for M rows, eight columns and depth K.
type Product struct {
	M, K int
	A, B Elem
	Sum  Elem

	Sparse   bool
	Bytes    bool // metadata lies as that of bytes does, else as that of f16
	Meta     Column
	Selector int

	And   bool // of bits; else xor
	Sat   bool
	Round fp.Round // of f64
	Dot   fp.Dot   // of narrower floats
	split bool     // 8-bit floats are multiplied as f16
	Scale *Scales  // of blocks, where there are such
}

// per is how many elements a register of 32 bits holds.
func per(e Elem) int { return max(1, 32/e.Bits) }

// place is where an element lies: register, lane and place in the register.
// Registers of 64 bits are numbered as such.
type place struct{ reg, lane, at int }

// a returns the place of element r, k of A; k counts the given elements.
func (p *Product) a(r, k int) place {
	n := per(p.A)
	chunk, in := k/(4*n), k%(4*n)
	return place{chunk*p.M/8 + r/8, r%8*4 + in/n, in % n}
}

// b returns the place of element k, c of B.
func (p *Product) b(k, c int) place {
	n := per(p.B)
	chunk, in := k/(4*n), k%(4*n)
	return place{chunk, c*4 + in/n, in % n}
}

// c returns the place of element r, c of C and D.
func (p *Product) c(r, c int) place {
	lane := r%8*4 + c/2
	if p.Sum.Bits == 16 {
		return place{r / 8, lane, c & 1}
	}
	return place{r/8*2 + c&1, lane, 0}
}

// Words is how many registers of 32 bits a lane holds of 'a', 'b' or 'c'.
func (p *Product) Words(which byte) int {
	depth := p.K
	switch which {
	case 'a':
		if p.Sparse {
			depth /= 2
		}
		return p.M * depth * p.A.Bits / 1024
	case 'b':
		return 8 * depth * p.B.Bits / 1024
	}
	return p.M * 8 * p.Sum.Bits / 1024
}

// read takes an element out of its registers.
func read(v []Column, e Elem, at place) uint64 {
	if e.Bits == 64 {
		return uint64(v[2*at.reg][at.lane]) | uint64(v[2*at.reg+1][at.lane])<<32
	}
	w := uint64(v[at.reg][at.lane]) >> (at.at * e.Bits)
	return w & (1<<e.Bits - 1)
}

// write puts an element into its registers.
func write(v []Column, e Elem, at place, x uint64) {
	switch e.Bits {
	case 64:
		v[2*at.reg][at.lane], v[2*at.reg+1][at.lane] = uint32(x), uint32(x>>32)
	case 16:
		sh := 16 * at.at
		v[at.reg][at.lane] = v[at.reg][at.lane]&^(0xffff<<sh) | uint32(x)<<sh
	default:
		v[at.reg][at.lane] = uint32(x)
	}
}

// Run computes D, as many registers as C.
func (p *Product) Run(a, b, c []Column) []Column {
	d := make([]Column, len(c))
	given := p.K
	if p.Sparse {
		given /= 2
	}
	xs, ys := make([]uint64, given), make([]uint64, given)
	fast := p.A.Float && p.A.Bits < 64 && !p.split
	cols := p.columns(b, fast)
	var row, col []fp.Term
	for r := range p.M {
		for k := range given {
			xs[k] = read(a, p.A, p.a(r, k))
		}
		if fast {
			row = p.A.terms(row[:0], xs)
			p.Scale.row(row, r, p.Sparse)
		}
		for n := range 8 {
			at := p.c(r, n)
			sum := read(c, p.Sum, at)
			if fast {
				col = col[:0]
				for k := range given {
					col = append(col, cols[n].terms[p.partner(r, k)])
				}
				sum = p.Dot.AddTerms(p.Sum.Format, row, col, sum)
			} else {
				for k := range given {
					ys[k] = cols[n].words[p.partner(r, k)]
				}
				sum = p.add(xs, ys, sum)
			}
			write(d, p.Sum, at, sum)
		}
	}
	return d
}

// factorLine is a column of B.
type factorLine struct {
	words []uint64
	terms []fp.Term
}

// columns reads B.
func (p *Product) columns(b []Column, terms bool) [8]factorLine {
	var out [8]factorLine
	for n := range out {
		for k := range p.K {
			out[n].words = append(out[n].words, read(b, p.B, p.b(k, n)))
		}
		if terms {
			out[n].terms = p.B.terms(nil, out[n].words)
			p.Scale.column(out[n].terms, n)
		}
	}
	return out
}

// add multiplies and adds the elements of one result.
func (p *Product) add(xs, ys []uint64, c uint64) uint64 {
	switch {
	case p.A.Bits == 64:
		for k := range xs {
			c = fp.F64.Fma(xs[k], ys[k], c, fp.Mode{Round: p.Round})
		}
		return c
	case p.split:
		return p.halves(xs, ys, c)
	case p.A.Bits == 1:
		sum := uint32(c)
		for k := range xs {
			if p.And {
				sum += uint32(xs[k] & ys[k])
			} else {
				sum += uint32(xs[k] ^ ys[k])
			}
		}
		return uint64(sum)
	}
	sum := int64(int32(c))
	for k := range xs {
		sum += whole(xs[k], p.A) * whole(ys[k], p.B)
	}
	if p.Sat {
		sum = min(max(sum, math.MinInt32), math.MaxInt32)
	}
	return uint64(uint32(sum))
}

func whole(x uint64, e Elem) int64 {
	if e.Signed {
		return int64(x<<(64-e.Bits)) >> (64 - e.Bits)
	}
	return int64(x)
}

// given is how many elements of a row a chunk of metadata speaks of.
func (p *Product) given() int {
	switch p.A.Bits {
	case 4: // of pairs two
		return 4
	case 32:
		return 1
	}
	return 2
}

// Exists reports whether there is such a product: registers are full, and
// metadata has a place.
func (p *Product) Exists() bool {
	depth := p.K
	if p.Sparse {
		depth /= 2
		switch chunks := depth / p.given(); {
		case p.A.Bits == 64 || p.A.Bits == 1:
			return false
		case p.Bytes && chunks != 8 && chunks != 16, !p.Bytes && chunks != 4 && chunks != 8:
			return false
		}
	}
	return depth%(4*per(p.A)) == 0 && p.K%(4*per(p.B)) == 0
}

// partner returns the depth of the element of B that element k of row r of A
// meets: k itself, or what metadata says.
func (p *Product) partner(r, k int) int {
	if !p.Sparse {
		return k
	}
	unit := 1 // elements that are given or left out together
	if p.A.Bits == 4 {
		unit = 2
	}
	group := p.given()
	chunk, in := k/group, k%group
	nibble := p.nibble(r, chunk, p.K/(2*group))
	if p.A.Bits == 32 { // one of two: both indices name the halves of one
		return 2*chunk + int(nibble>>1&1)
	}
	index := int(nibble >> (2 * (in / unit)) & 3)
	return chunk*4*unit + index*unit + in%unit
}

// nibble returns the metadata of a chunk of row r, of so many in a row.
func (p *Product) nibble(r, chunk, chunks int) uint32 {
	lane, at := r%8*4, 0
	upper := r / 8
	switch {
	case p.Bytes && chunks == 16:
		lane, at = lane+2*(chunk/8)+upper, chunk%8
	case p.Bytes:
		lane, at = lane+2*p.Selector+upper, chunk
	case chunks == 8:
		lane, at = lane+2*p.Selector+chunk/4, chunk%4+4*upper
	default:
		lane, at = lane+p.Selector, chunk+4*upper
	}
	return p.Meta[lane] >> (4 * at) & 15
}

// Transpose exchanges rows and columns of a matrix of eight rows of eight
// elements of 16 bits, one register.
func Transpose(v *Column) Column {
	var out Column
	for l := range out {
		for h := range 2 {
			r, c := l%4*2+h, l/4
			x := v[4*r+c/2] >> (c & 1 * 16) & 0xffff
			out[l] |= x << (16 * h)
		}
	}
	return out
}
