package mma

import (
	"encoding/binary"
	"slices"

	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// Matrices of 16 columns of bytes, whose memory holds bytes or packed bits.

// Shapes of such matrices, behind those of Ldsm.
const (
	shapeM816 = 2 + iota
	shapeMT1616
	shapeMT168
)

// packed reads element n of a row of memory that has so many bits for each.
func packed(row []byte, n, width int) uint32 {
	lo, hi := binary.LittleEndian.Uint64(row), binary.LittleEndian.Uint64(row[8:])
	at := uint(n * width)
	v := lo >> at
	if at >= 64 {
		v = hi >> (at - 64)
	} else if at > 0 {
		v |= hi << (64 - at)
	}
	return uint32(v) & (1<<width - 1)
}

// ldsmBytes: .M816 gives lane l four neighbours of row l/4; .MT1616 the same
// of the transpose, whose two halves go to neighbouring registers.
func ldsmBytes(w *machine.Warp, i *machine.Inst, m uint32) {
	var rows [32][]byte
	for r := range 8 * int(i.Width) {
		b := w.Bytes(machine.SpaceShared, r, w.Addr32(&i.Addr[0], r), 16, false)
		if b == nil {
			return
		}
		rows[r] = slices.Clone(b)
	}
	for n := range int(i.Width) {
		d := after(i.D[0], uint16(n))
		for k := m; k != 0; k &= k - 1 {
			l := machine.Lane(k)
			v := uint32(0)
			for b := range 4 {
				row, col := 8*n+l/4, l%4*4+b
				if i.Sub == shapeMT1616 {
					row, col = 16*(n/2)+l%4*4+b, 8*(n%2)+l/4
				}
				v |= packed(rows[row], col, int(i.Size)) << (8 * b)
			}
			w.R[d][l] = v
		}
	}
}

// stsmBytes: .MT168 stores bytes 0 and 1 of lane l to columns 2·(l%4) and the
// next of row l/4, the others eight rows below, by columns.
func stsmBytes(w *machine.Warp, i *machine.Inst, _ uint32) {
	for n := range int(i.Wide) {
		v := *w.Row(code.Behind(i.S[0].Row, uint16(n)))
		var cols [8][]byte
		for c := range cols {
			l := 8*n + c
			if cols[c] = w.Bytes(machine.SpaceShared, l, w.Addr32(&i.Addr[0], l), 16, true); cols[c] == nil {
				return
			}
		}
		for l, x := range v {
			for b := range 4 {
				cols[l%4*2+b%2][l/4+b/2*8] = byte(x >> (8 * b))
			}
		}
	}
}

// prepBytes reads LDSM and STSM of such matrices.
func prepBytes(i *machine.Inst, parts []string) bool {
	n := code.Pick(parts, -1, "M816", "MT1616", "MT168")
	if n < 0 {
		return false
	}
	i.Size = [...]uint8{8, 4, 6}[code.Pick(parts, 0, "8", "U4x16P64TO8", "U6x16P32TO8")]
	i.Sub, i.Run = uint8(shapeM816+n), ldsmBytes
	if i.Sub == shapeMT168 {
		i.Run = stsmBytes
	}
	return true
}
