package tmem

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/witness/matrix"
)

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
	x := &swizzles[d>>61]
	return matrix.Canonical{Start: d.field(0), Lead: d.field(16), Stride: d.field(32), Span: x.span, Atom: x.atom}.At(r, kb, across)
}

// Shared returns the sixteen bytes of a block's shared memory at an address,
// or nil where there are none.
type Shared func(addr uint32) []byte
