package matrix

import (
	"encoding/binary"

	"github.com/goptxas/goptxas/internal/engine/fp"
)

// Group is the product of a warp group as one of its four warps computes it:
// sixteen rows of A, which lie in the warp's registers or in shared memory,
// and N columns of B in shared memory. Registers lie as those of mma do, one
// product of eight columns behind the other (PTX ISA, wgmma.mma_async).
type Group struct {
	Product
	N              int
	TransA, TransB bool // elements of a row (of B, a column) are not neighbours
	NegA, NegB     bool
}

// chunk is sixteen bytes of shared memory.
type chunk struct {
	at uint32
	b  []byte
}

// chunks are what was read last, at each depth where lines are across:
// sixteen bytes hold neighbours of a line, or of lines beside it.
type chunks [256]chunk

// at returns the bytes from an address to the end of its chunk.
func (c *chunks) at(mem func(uint32) []byte, at, depth uint32) []byte {
	x := &c[depth%uint32(len(c))]
	if first := at &^ 15; x.b == nil || x.at != first {
		x.at, x.b = first, mem(first)
	}
	if x.b == nil {
		return nil
	}
	return x.b[at&15:]
}

// Descriptor is how a factor lies in shared memory (PTX ISA, matrix
// descriptor): start and strides in units of sixteen bytes, and a swizzle.
type Descriptor uint64

func (d Descriptor) field(at uint) uint32 { return uint32(d>>at) & 0x3fff << 4 }

// span is how many bytes of a line the swizzle mixes; 16 without one.
func (d Descriptor) span() uint32 { return [...]uint32{16, 128, 64, 32}[d>>62] }

// At returns the address of a byte: of line r (a row of A, a column of B) and
// byte kb along the depth, or, where lines are across, of byte r along the
// lines and depth kb.
func (d Descriptor) At(r, kb uint32, across bool) uint32 {
	return Canonical{Start: d.field(0), Lead: d.field(16), Stride: d.field(32), Span: d.span(), Atom: 16}.At(r, kb, across)
}

// Canonical is how a matrix lies in shared memory (PTX ISA, Canonical Layouts).
// Core matrices are eight times sixteen bytes.
type Canonical struct {
	Start, Lead, Stride uint32
	Span                uint32 // bytes of a line that the swizzle mixes; 16 without one
	Atom                uint32 // bytes that stay together
	Base                uint32 // where the pattern of the swizzle begins, in lines of 128 bytes (PTX ISA, Matrix base offset)
}

// At returns the address of a byte, as Descriptor.At does.
func (c Canonical) At(r, kb uint32, across bool) uint32 {
	var off uint32
	switch {
	case !across && c.Span == 16:
		off = r/8*c.Stride + r%8*16 + kb/16*c.Lead + kb%16
	case !across:
		off = r/8*c.Stride + r%8*c.Span + kb/c.Span*c.Lead + kb%c.Span
	case c.Span == 16:
		off = r/16*c.Stride + r%16 + kb/8*c.Lead + kb%8*16
	case c.Atom == 32:
		off = r/c.Span*c.Lead + r%c.Span + kb/4*c.Stride + kb%4*c.Span
	default:
		off = r/c.Span*c.Lead + r%c.Span + kb/8*c.Stride + kb%8*c.Span
	}
	at := c.Start + off
	return at ^ (at>>7-c.Base)&(c.Span/c.Atom-1)*c.Atom
}

// factor reads the elements of one line of a factor: depth elements.
func (g *Group) factor(mem func(uint32) []byte, seen *chunks, d Descriptor, e Elem, line uint32, depth int, across bool, xs []uint64) []uint64 {
	xs = xs[:0]
	for k := range uint32(depth) {
		var at, depthAt uint32
		bit := uint32(0)
		if across {
			depthAt = k
			at = d.At(line*uint32(e.Bits)/8, k, true)
		} else {
			bit = k * uint32(e.Bits)
			at, bit = d.At(line, bit/8, false), bit%8
		}
		b := seen.at(mem, at, depthAt)
		if b == nil {
			return nil
		}
		var x uint64
		switch e.Bits {
		case 32:
			x = uint64(binary.LittleEndian.Uint32(b))
		case 16:
			x = uint64(binary.LittleEndian.Uint16(b))
		default:
			x = uint64(b[0]) >> bit & (1<<e.Bits - 1)
		}
		xs = append(xs, x)
	}
	return xs
}

// negate changes the signs of floats.
func negate(xs []uint64, e Elem) {
	for k := range xs {
		xs[k] ^= 1 << (e.Bits - 1)
	}
}

// lines are the factors of one product, read.
type lines struct {
	words [][]uint64
	terms [][]fp.Term
}

func (l *lines) add(xs []uint64, e Elem) {
	l.words = append(l.words, append([]uint64(nil), xs...))
	if e.Float {
		l.terms = append(l.terms, e.Format.Terms(nil, xs))
	}
}

// Run computes D for warp rank of the group. mem returns the sixteen bytes of
// shared memory at an address, or nil where there are none: then the result
// is nil too. A is nil when it lies in shared memory.
func (g *Group) Run(rank int, mem func(uint32) []byte, da, db Descriptor, a, c []Column) []Column {
	given := g.K
	if g.Sparse {
		given /= 2
	}
	var as, bs lines
	var seen chunks
	var xs []uint64
	for r := range g.M {
		if a != nil {
			xs = xs[:0]
			for k := range given {
				xs = append(xs, read(a, g.A, g.a(r, k)))
			}
		} else if xs = g.factor(mem, &seen, da, g.A, uint32(16*rank+r), given, g.TransA, xs); xs == nil {
			return nil
		}
		if g.NegA {
			negate(xs, g.A)
		}
		as.add(xs, g.A)
	}
	for n := range g.N {
		if xs = g.factor(mem, &seen, db, g.B, uint32(n), g.K, g.TransB, xs); xs == nil {
			return nil
		}
		if g.NegB {
			negate(xs, g.B)
		}
		bs.add(xs, g.B)
	}
	return g.multiply(given, &as, &bs, c)
}

func (g *Group) multiply(given int, as, bs *lines, c []Column) []Column {
	d := make([]Column, len(c))
	words := g.Words('c')
	ys, picked := make([]uint64, given), make([]fp.Term, given)
	for r := range g.M {
		for n := range g.N {
			at, first := g.c(r, n%8), n/8*words
			sum := read(c[first:first+words], g.Sum, at)
			if g.A.Float {
				col := bs.terms[n]
				if g.Sparse {
					col = picked
					for k := range given {
						col[k] = bs.terms[n][g.partner(r, k)]
					}
				}
				sum = g.Dot.AddTerms(g.Sum.Format, as.terms[r], col, sum)
			} else {
				for k := range given {
					ys[k] = bs.words[n][g.partner(r, k)]
				}
				sum = g.add(as.words[r], ys, sum)
			}
			write(d[first:first+words], g.Sum, at, sum)
		}
	}
	return d
}
