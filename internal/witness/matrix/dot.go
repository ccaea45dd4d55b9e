package matrix

import "github.com/goptxas/goptxas/internal/engine/fp"

// unit is how one generation adds products of a kind.
type unit struct {
	sm    int // from this one on
	group [3]int
	bits  uint
}

// units: products of f16 and bf16, of tf32, and of 8-bit floats that are
// added at once, and the bits kept. Hopper's are measured.
var units = [...]unit{
	{75, [3]int{4, 4, 4}, 24},
	{80, [3]int{8, 4, 16}, 24},
	{90, [3]int{16, 8, 32}, 25},
}

// byteBits is what products of 8-bit floats keep where they have a unit of
// their own; so much their sums of f32 have behind the point, too.
const byteBits = 13

// DotOf returns how the matrix unit of a machine adds.
func DotOf(sm int, a, sum Elem) fp.Dot {
	u := &units[0]
	for n := range units {
		if units[n].sm <= sm {
			u = &units[n]
		}
	}
	d := fp.Dot{Bits: u.bits, Round: fp.RZ}
	switch a.Bits {
	case 16:
		d.Group = u.group[0]
	case 32:
		d.Group = u.group[1]
	default:
		if d.Group, d.Bits = u.group[2], byteBits; sum.Format == fp.F32 {
			d.Cut = uint8(fp.F32.Precision() - 1 - byteBits)
		}
	}
	if sum.Bits == 16 {
		d.Round = fp.RN
	}
	return d
}
