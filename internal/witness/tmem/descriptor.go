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

// line128 are the bytes of a line where the leading dimension is an address: a
// line of 48 bytes that does not fit behind the start goes on at the beginning of
// the line of the same number there (PTX ISA, Absolute address mode).
const line128 = 128

func (d Descriptor) absolute() bool { return d>>52&1 != 0 }

// check refuses what the witnesses do not know. Across says that lines are not
// along the depth.
func (d Descriptor) check(across bool) error {
	switch {
	case swizzles[d>>61].span == 0:
		return fmt.Errorf("a matrix descriptor with swizzle mode %d", d>>61)
	case d.absolute() && (swizzles[d>>61].span != line128 || across):
		return fmt.Errorf("a matrix descriptor whose leading dimension is an address, with swizzle mode %d", d>>61)
	}
	return nil
}

// at returns the address of a byte: of line r (a row of A, a column of B) and
// byte kb along the depth, or, where lines are across, of byte r along the
// lines and depth kb (PTX ISA, Canonical Layouts).
func (d Descriptor) at(r, kb uint32, across bool) uint32 {
	x := &swizzles[d>>61]
	c := matrix.Canonical{Start: d.field(0), Lead: d.field(16), Stride: d.field(32), Span: x.span, Atom: x.atom, Base: uint32(d>>49) & 7}
	if d.absolute() {
		if kb += c.Start % line128; kb < line128 {
			kb -= c.Start % line128
		} else {
			c.Start, kb = c.Lead, kb-line128
		}
	}
	return c.At(r, kb, across)
}

// Shared returns the sixteen bytes of a block's shared memory at an address,
// or nil where there are none.
type Shared func(addr uint32) []byte
