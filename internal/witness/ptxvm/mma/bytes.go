package mma

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/matrix"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
)

// Matrices of bytes, and of less that becomes bytes (PTX ISA, ldmatrix and
// stmatrix, shapes .m16n16, .m8n16 and .m16n8). A row of memory has 16
// elements.

const rowElems = 16

// isBytes reports whether the matrices of the current instruction are those.
func isBytes(d *machine.Decoder) bool {
	return slices.ContainsFunc(d.Body.ModsOf(d.In), func(w isa.Word) bool { return w == isa.WM16n16 || w == isa.WM8n16 || w == isa.WM16n8 })
}

// spread makes the 16 elements of a row of memory bytes: packed elements
// follow each other from the lowest bit on, behind them is padding, and in a
// byte they take the lower end.
func spread(row []byte, width int) (out [rowElems]byte) {
	for k := range out {
		for b := range width {
			at := k*width + b
			out[k] |= row[at/8] >> (at % 8) & 1 << b
		}
	}
	return out
}

// loadBytes is ldmatrix. A square of 16 rows is loaded by columns: a thread
// gets four rows of the columns that are its number in a group of four, and
// eight more; of 8 rows it gets four neighbours of one.
func loadBytes(d *machine.Decoder) {
	d.Ignore(isa.WX1, isa.WX2, isa.WX4, isa.WTrans)
	square := d.Has(isa.WM16n16)
	d.Ignore(isa.WM8n16)
	width := 8
	switch d.Type(1) {
	case isa.B6x16P32:
		width = 6
	case isa.B4x16P64:
		width = 4
	}
	f := OutputsOf(d, 0, isa.B32)
	space, addr := d.SpaceOf(1), d.Addr(1)
	d.WholeWarp(func(w *machine.Warp) {
		a := *w.Addresses(addr)
		v := make([]matrix.Column, len(f.To))
		put := func(reg, lane, at int, x byte) { v[reg][lane] |= uint32(x) << (8 * at) }
		rows := 8
		if square {
			rows = 16
		}
		for n := range len(f.To) * 8 / rows { // matrices
			for r := range rows {
				l := rows*n + r
				for c, x := range spread(w.Bytes(space, a[l], l, 16, 16, false), width) {
					if square {
						put(2*n+c/8, c%8*4+r/4, r%4, x)
					} else {
						put(n, r*4+c/4, c%4, x)
					}
				}
			}
		}
		f.Write(w, v)
	})
}

// storeBytes is stmatrix: a thread has two neighbours of a row and the two
// eight rows below; they are stored by columns.
func storeBytes(d *machine.Decoder) {
	d.Ignore(isa.WX1, isa.WX2, isa.WX4, isa.WTrans, isa.WM16n8)
	in := InputsOf(d, 1, isa.B32)
	space, addr := d.SpaceOf(0), d.Addr(0)
	d.WholeWarp(func(w *machine.Warp) {
		a := *w.Addresses(addr)
		for n, x := range in.Read(w) {
			for c := range 8 {
				l := 8*n + c
				b := w.Bytes(space, a[l], l, 16, 16, true)
				for r := range b {
					b[r] = byte(x[r%8*4+c/2] >> (16*(r/8) + 8*(c%2)))
				}
			}
		}
	})
}
