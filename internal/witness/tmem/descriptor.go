package tmem

import "fmt"

// Descriptor is how a matrix lies in shared memory (PTX ISA, Shared Memory
// Descriptor).
type Descriptor uint64

// swizzles are the modes of a descriptor: how many bytes of a line are mixed,
// and in which pieces. Those without bytes do not exist.
var swizzles = [8]struct{ span, atom uint32 }{
	0: {16, 16},
	1: {128, 32},
	2: {128, 16},
	4: {64, 16},
	6: {32, 16},
}

func (d Descriptor) field(at uint) uint32 { return uint32(d>>at) & 0x3fff << 4 }

// check refuses what the witnesses do not know.
func (d Descriptor) check() error {
	switch {
	case swizzles[d>>61].span == 0:
		return fmt.Errorf("a matrix descriptor with swizzle mode %d", d>>61)
	case d>>49&7 != 0:
		return fmt.Errorf("a matrix descriptor with a base offset has no meaning in the witnesses")
	case d>>52&1 != 0:
		return fmt.Errorf("a matrix descriptor whose leading dimension is an address has no meaning in the witnesses")
	}
	return nil
}

// at returns the address of a byte: of line r (a row of A, a column of B) and
// byte kb along the depth, or, where lines are across, of byte r along the
// lines and depth kb (PTX ISA, Canonical Layouts).
func (d Descriptor) at(r, kb uint32, across bool) uint32 {
	start, lead, stride := d.field(0), d.field(16), d.field(32)
	span, atom := swizzles[d>>61].span, swizzles[d>>61].atom
	var off uint32
	switch {
	case !across && span == 16:
		off = r/8*stride + r%8*16 + kb/16*lead + kb%16
	case !across:
		off = r/8*stride + r%8*span + kb/span*lead + kb%span
	case span == 16:
		off = r/16*stride + r%16 + kb/8*lead + kb%8*16
	case atom == 32:
		off = r/span*lead + r%span + kb/4*stride + kb%4*span
	default:
		off = r/span*lead + r%span + kb/8*stride + kb%8*span
	}
	a := start + off
	return a ^ a>>7&(span/atom-1)*atom
}

// Shared returns the sixteen bytes of a block's shared memory at an address,
// or nil where there are none.
type Shared func(addr uint32) []byte
