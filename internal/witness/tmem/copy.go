package tmem

import (
	"encoding/binary"
	"fmt"
)

// Copy is a copy of shared memory to tensor memory.
type Copy struct {
	At     Address
	From   Descriptor
	Shape  CopyShape
	Narrow int // bits of elements that become bytes, or 0
}

// CopyShape is how many rows of how many bits are copied and where to.
type CopyShape uint8

// Shapes of copies.
const (
	C128x256 CopyShape = iota
	C4x256
	C128x128
	C64x128Even // .warpx2::02_13
	C64x128Low  // .warpx2::01_23
	C32x128
)

// copyRow is a shape: rows, bytes of a row, and the lanes of a row.
type copyRow struct {
	rows, bytes int
	lanes       func(row int) []int
}

func one(row int) []int { return []int{row} }

var copyRows = [...]copyRow{
	C128x256:    {128, 32, one},
	C4x256:      {4, 32, func(row int) []int { return []int{32 * row} }},
	C128x128:    {128, 16, one},
	C64x128Even: {64, 16, func(row int) []int { return []int{row, row + 64} }},
	C64x128Low:  {64, 16, func(row int) []int { return []int{row%32 + row/32*64, row%32 + row/32*64 + 32} }},
	C32x128:     {32, 16, func(row int) []int { return []int{row, row + 32, row + 64, row + 96} }},
}

// widen makes bytes of sixteen narrow elements, which come first in their
// sixteen bytes.
func widen(b []byte, width int) []byte {
	out := make([]byte, 16)
	for k := range out {
		out[k] = byte(bitsAt(b, k*width, width))
	}
	return out
}

// bitsAt reads up to eight bits.
func bitsAt(b []byte, at, width int) uint64 {
	v := uint64(b[at/8])
	if at/8+1 < len(b) {
		v |= uint64(b[at/8+1]) << 8
	}
	return v >> (at % 8) & (1<<width - 1)
}

// Run copies to the memory of one block from its shared memory.
func (x *Copy) Run(m *Memory, mem Shared) error {
	row := copyRows[x.Shape]
	if err := x.From.check(false); err != nil {
		return err
	}
	if err := m.span(x.At, row.bytes/4); err != nil {
		return err
	}
	for r := range row.rows {
		for kb := 0; kb < row.bytes; kb += 16 {
			b := mem(x.From.at(uint32(r), uint32(kb), false))
			if b == nil {
				return nil
			}
			if x.Narrow != 0 {
				b = widen(b, x.Narrow)
			}
			for _, lane := range row.lanes(r) {
				if lane += x.At.Lane(); lane >= Lanes {
					return fmt.Errorf("a copy to lane %d", lane)
				}
				col := x.At.Column() + kb/4
				if r%Part == 0 || x.Shape == C4x256 {
					m.touch(lane, 1, col, 4, true)
				}
				for k := range 4 {
					m.words[col+k][lane] = binary.LittleEndian.Uint32(b[4*k:])
				}
			}
		}
	}
	return nil
}

// shiftColumns is how many columns a shift moves: 32 bytes.
const shiftColumns = 8

// Shift moves every lane of a warp but the first one down: each of the first
// 31 gets what the next one held.
func Shift(m *Memory, at Address) error {
	if at.Lane()%Part != 0 {
		return fmt.Errorf("a shift of tensor memory at %v: the lane is no multiple of %d", at, Part)
	}
	if err := m.span(at, shiftColumns); err != nil {
		return err
	}
	m.touch(at.Lane(), Part, at.Column(), shiftColumns, true)
	for c := at.Column(); c < at.Column()+shiftColumns; c++ {
		lanes := m.words[c][at.Lane() : at.Lane()+Part]
		copy(lanes, lanes[1:])
	}
	return nil
}
