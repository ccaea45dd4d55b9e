package mma

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// Matrices spread over a warp. Lane l holds row l/4 of an 8×8 matrix of
// 16-bit elements, columns 2·(l%4) and the next; its transpose the same with
// rows and columns changed.

// LDSM: rows of 16 bytes of shared memory, eight to a matrix; the lanes from
// 8n up give the addresses of matrix n.
func Ldsm(w *machine.Warp, i *machine.Inst, m uint32) {
	count := int(i.Width)
	var rows [32][]byte
	for r := range 8 * count {
		if rows[r] = w.Bytes(machine.SpaceShared, r, w.Addr32(&i.Addr[0], r), 16, false); rows[r] == nil {
			return
		}
		rows[r] = slices.Clone(rows[r])
	}
	d := i.D[0]
	for n := range count {
		for k := m; k != 0; k &= k - 1 {
			l := machine.Lane(k)
			w.R[d][l] = fragment(i.Sub == 1, l, func(r, c int) uint32 {
				return uint32(binary.LittleEndian.Uint16(rows[8*n+r][2*c:]))
			})
		}
		d = code.NextRow(d)
	}
}

// fragment packs the two elements of a lane.
func fragment(transposed bool, l int, at func(r, c int) uint32) uint32 {
	r, c := l/4, l%4*2
	if transposed {
		return at(c, r) | at(c+1, r)<<16
	}
	return at(r, c) | at(r, c+1)<<16
}

// element is entry r, c of a matrix held by a row of registers.
func element(v *[32]uint32, r, c int) uint32 { return v[4*r+c/2] >> (c & 1 * 16) & 0xffff }

// STSM: the other way.
func Stsm(w *machine.Warp, i *machine.Inst, _ uint32) {
	for n := range i.Wide {
		v := *w.Row(code.Behind(i.S[0].Row, uint16(n)))
		for r := range 8 {
			l := 8*int(n) + r
			b := w.Bytes(machine.SpaceShared, l, w.Addr32(&i.Addr[0], l), 16, true)
			if b == nil {
				return
			}
			for c := range 8 {
				x := element(&v, r, c)
				if i.Sub == 1 {
					x = element(&v, c, r)
				}
				binary.LittleEndian.PutUint16(b[2*c:], uint16(x))
			}
		}
	}
}

// MOVM: transposes a matrix.
func Movm(w *machine.Warp, i *machine.Inst, m uint32) {
	v := *w.Row(i.S[0].Row)
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		w.R[i.D[0]][l] = fragment(true, l, func(r, c int) uint32 { return element(&v, r, c) })
	}
}

// PrepMatrix reads shape and count of matrices.
func PrepMatrix(i *machine.Inst, parts []string) error {
	if prepBytes(i, parts) {
		return nil
	}
	if !slices.Contains(parts, "16") {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	switch code.Pick(parts, -1, "M88", "MT88") {
	case 0:
	case 1:
		i.Sub = 1
	default:
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	return nil
}

// after is row n of a destination.
func after(d, n uint16) uint16 {
	for range n {
		d = code.NextRow(d)
	}
	return d
}
