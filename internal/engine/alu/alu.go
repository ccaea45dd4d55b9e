// Package alu states what the machine's operations on words mean, one
// function each. The simulator executes with them and the optimiser folds
// constants with them, so that the two cannot disagree.
package alu

// Add3 is IADD3 without carries.
func Add3(a, b, c uint32) uint32 { return a + b + c }

// MulAdd is IMAD: the low word.
func MulAdd(a, b, c uint32) uint32 { return a*b + c }

// Lut is LOP3: bit abc of table t, for every bit of the sources.
func Lut(t uint8, a, b, c uint32) uint32 {
	var r uint32
	if t&0x01 != 0 {
		r |= ^a & ^b & ^c
	}
	if t&0x02 != 0 {
		r |= ^a & ^b & c
	}
	if t&0x04 != 0 {
		r |= ^a & b & ^c
	}
	if t&0x08 != 0 {
		r |= ^a & b & c
	}
	if t&0x10 != 0 {
		r |= a & ^b & ^c
	}
	if t&0x20 != 0 {
		r |= a & ^b & c
	}
	if t&0x40 != 0 {
		r |= a & b & ^c
	}
	if t&0x80 != 0 {
		r |= a & b & c
	}
	return r
}

// Funnel is a form of SHF: a shift of the pair hi:lo.
type Funnel struct {
	Right  bool
	Signed bool // the sign fills up, to the right
	High   bool // the result is the high word
	Wide   bool // distances count up to 64, else up to 32
	Wrap   bool // a larger distance wraps round, else it counts as the largest
}

// Shift shifts hi:lo by n.
func (f Funnel) Shift(lo, n, hi uint32) uint32 {
	width := uint32(32)
	if f.Wide {
		width = 64
	}
	if f.Wrap {
		n &= width - 1
	} else {
		n = min(n, width)
	}
	x := uint64(hi)<<32 | uint64(lo)
	switch {
	case !f.Right:
		x <<= n
	case f.Signed:
		x = uint64(int64(x) >> n)
	default:
		x >>= n
	}
	if f.High {
		x >>= 32
	}
	return uint32(x)
}
