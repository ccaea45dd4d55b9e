package matrix

import "github.com/goptxas/goptxas/internal/engine/fp"

// Boxed is an element of a float format of 8 bits or less that takes a byte:
// one of 4 bits is in its middle, one of 6 bits at its lower end (PTX ISA, mma
// with .kind::f8f6f4 and .kind::mxf8f6f4).
func Boxed(f fp.Format) Elem {
	e := Elem{Float: true, Format: f, Bits: 8}
	if f.Bits() == 4 {
		e.Up = 2
	}
	return e
}

// terms reads numbers.
func (e *Elem) terms(dst []fp.Term, xs []uint64) []fp.Term {
	if e.Format.Width() == e.Bits {
		return e.Format.Terms(dst, xs)
	}
	for _, x := range xs {
		dst = append(dst, e.Format.Term(x>>e.Up&(1<<e.Format.Bits()-1)))
	}
	return dst
}

// Scales are the factors of blocks of a row of A and of a column of B, which
// registers of some lanes hold (PTX ISA, Block Scaling for mma.sync).
type Scales struct {
	Format         fp.Format
	Block          int // elements of a row that one counts for
	A, B           Column
	ByteA, ByteB   int // the first of the bytes
	LanesA, LanesB int // which pair of four lanes, which of four
}

// scaleBits is what sums of scaled products keep: as those of f16 on Hopper,
// since nothing says what the unit keeps.
const scaleBits = 25

func (s *Scales) apply(terms []fp.Term, word uint32, first, block int) {
	for k := range terms {
		x := uint64(word>>(8*(first+k/block))) & 0xff
		if s.Format == fp.E4M3 {
			x &= 0x7f // it has no sign
		}
		terms[k] = terms[k].Times(s.Format.Term(x))
	}
}

// row scales a row of A, of which every other element is given if it is
// sparse.
func (s *Scales) row(terms []fp.Term, r int, sparse bool) {
	if s == nil {
		return
	}
	block := s.Block
	if sparse {
		block /= 2
	}
	s.apply(terms, s.A[r%8*4+2*s.LanesA+r/8], s.ByteA, block)
}

// column scales a column of B.
func (s *Scales) column(terms []fp.Term, n int) {
	if s != nil {
		s.apply(terms, s.B[n*4+s.LanesB], s.ByteB, s.Block)
	}
}

// ScaledDot is how products of depth k with scales are added.
func ScaledDot(k int) fp.Dot { return fp.Dot{Group: k, Bits: scaleBits, Round: fp.RZ} }
