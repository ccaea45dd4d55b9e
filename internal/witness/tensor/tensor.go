// Package tensor is the meaning of tensor copies: the 128-byte map that says
// how a tensor lies in global memory, and where each element of a box goes
// in shared memory. The PTX interpreter and the SASS simulator share it, as
// the map is the machine's; where the bytes of a box go the interpreter asks
// this package, and the simulator computes by itself. Fields of the map were
// found by changing them one by one with tensormap.replace and with the
// driver's encoder, the order of bytes by copies on an H200 (Measured).
package tensor

import (
	"encoding/binary"
	"fmt"
)

// Size is how many bytes a map has.
const Size = 128

// Map describes a tensor. Dimension 0 is the one whose elements are
// neighbours.
type Map struct {
	Address uint64
	Rank    int
	Type    int       // PTX ISA, tensormap.replace .elemtype
	Dim     [5]uint64 // elements
	Stride  [5]uint64 // bytes between elements of dimension i; [0] is the element
	Box     [5]uint32
	Step    [5]uint32 // element strides: every n-th element of a box is taken

	// A map of pixels has boxes of so many of them, of Box[0] channels, along
	// width, height and depth within corners: Lower from the start of the
	// tensor, Upper from its end.
	Im2col       bool
	Lower, Upper [3]int32
	Pixels       uint32

	Interleave int // 0 none, 1 of 16 bytes, 2 of 32
	Swizzle    int // 0 none, 1 of 32 bytes, 2 of 64, 3 of 128
	Atom       int // what a swizzle of 128 bytes keeps together: 0 16 bytes, 1 32
	NaN        bool
}

// Types of elements.
const (
	U8 = iota
	U16
	U32
	S32
	U64
	S64
	F16
	F32
	F32Ftz
	F64
	BF16
	TF32
	TF32Ftz
	B4x16    // elements of four bits
	B4x16P64 // the same, of which sixteen take sixteen bytes of shared memory: eight are left alone
	B6x16P32 // elements of six bits, of which sixteen take sixteen bytes of shared memory
)

var elemBytes = [...]uint64{U8: 1, U16: 2, U32: 4, S32: 4, U64: 8, S64: 8, F16: 2, F32: 4, F32Ftz: 4, F64: 8, BF16: 2, TF32: 4, TF32Ftz: 4, B4x16: 1, B4x16P64: 8, B6x16P32: 12}

// Elem is how many bytes an element has in global memory, or as many as are
// copied together.
func (m *Map) Elem() uint64 { return elemBytes[m.Type] }

// together is how many elements are copied at once, and how many bytes of
// shared memory they take.
func (m *Map) together() (count, shared uint32) {
	switch m.Type {
	case B4x16:
		return 2, 1
	case B4x16P64, B6x16P32:
		return 16, unit
	}
	return 1, uint32(m.Elem())
}

// narrowShift is what a map has less for the types of 4 and 6 bits: those
// of tf32 have the numbers of f32 and a bit. The reference's code of
// tensormap.replace keeps them so.
const narrowShift = 2

// Places of the fields, by word.
const (
	wordKind    = 0x08
	wordStrides = 0x0c
	wordHigh    = 0x1c // upper bits of the strides
	wordDims    = 0x20
	wordBox     = 0x34
	wordCorners = 0x38
	wordPixels  = 0x3c
)

// odd96 is the bit of a map whose swizzle is of 96 bytes.
const odd96 = 22

// cornerBits is how many bits a corner has in maps of pixels, by how many
// there are.
var cornerBits = [...]uint{1: 16, 2: 8, 3: 5}

// Encode writes a map.
func (m *Map) Encode() [Size]byte {
	var b [Size]byte
	put := func(at int, v uint32) {
		binary.LittleEndian.PutUint32(b[at:], binary.LittleEndian.Uint32(b[at:])|v)
	}
	binary.LittleEndian.PutUint64(b[:], m.Address)
	kind := uint32(m.Rank-1)<<4 | uint32(m.Interleave)<<11 | uint32(m.Swizzle)<<13
	switch m.Type {
	case TF32:
		kind |= 7<<7 | 1<<16
	case TF32Ftz:
		kind |= 8<<7 | 1<<16
	case B4x16, B4x16P64, B6x16P32:
		kind |= uint32(m.Type-narrowShift) << 7
	default:
		kind |= uint32(m.Type) << 7
	}
	if m.NaN {
		kind |= 1 << 15
	}
	kind |= uint32(m.Atom) << 19
	put(wordKind, kind)
	for n := range m.Rank {
		if n > 0 {
			s := m.Stride[n] >> 4
			put(wordStrides+4*(n-1), uint32(s))
			put(wordHigh, uint32(s>>32)&15<<(4*(n-1)))
		}
		put(wordDims+4*n, uint32(m.Dim[n]-1))
		put(wordBox, (m.Step[n]-1)&7<<(3*n))
		if n == 0 || !m.Im2col {
			b[wordBox+3+n] = byte(m.Box[n] - 1)
		}
	}
	if m.Im2col {
		put(wordKind, 1)
		put(wordPixels, m.Pixels-1)
		bits := cornerBits[m.Rank-2]
		for n := range uint(m.Rank - 2) {
			put(wordCorners, uint32(m.Lower[n])&(1<<bits-1)<<(bits*n))
			put(wordCorners, uint32(m.Upper[n])&(1<<bits-1)<<(16+bits*n))
		}
	}
	return b
}

// Decode reads a map.
func Decode(b []byte) (*Map, error) {
	if len(b) < Size {
		return nil, fmt.Errorf("a tensor map of %d bytes", len(b))
	}
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	kind := word(wordKind)
	m := &Map{
		Address: binary.LittleEndian.Uint64(b), Rank: int(kind>>4&7) + 1, Type: int(kind >> 7 & 15),
		Interleave: int(kind >> 11 & 3), Swizzle: int(kind >> 13 & 3), Atom: int(kind >> 19 & 7), NaN: kind>>15&1 != 0, Im2col: kind&1 != 0,
	}
	switch {
	case kind>>16&1 != 0 && (m.Type == F32 || m.Type == F32Ftz):
		m.Type += TF32 - F32
	case m.Type > BF16:
		m.Type += narrowShift
	}
	switch {
	case kind>>odd96&1 != 0:
		return nil, fmt.Errorf("a tensor map with a swizzle of 96 bytes")
	case m.Rank > 5:
		return nil, fmt.Errorf("a tensor map of rank %d", m.Rank)
	case m.Type >= len(elemBytes):
		return nil, fmt.Errorf("a tensor map of elements of type %d", m.Type)
	case m.Interleave != 0 && m.Rank < 3:
		return nil, fmt.Errorf("an interleaved tensor of %d dimensions", m.Rank)
	case m.Atom > 1 || m.Atom == 1 && m.Swizzle != 3:
		return nil, fmt.Errorf("a tensor map of swizzle atomicity %d", m.Atom)
	case m.Type >= B4x16 && (m.Interleave != 0 || m.Im2col):
		return nil, fmt.Errorf("a tensor map of elements of type %d that are not tiles", m.Type)
	case m.Interleave > 2:
		return nil, fmt.Errorf("a tensor map of interleave %d", m.Interleave)
	case m.Im2col && m.Rank < 3:
		return nil, fmt.Errorf("pixels of a tensor of %d dimensions", m.Rank)
	}
	m.Stride[0] = m.Elem()
	for n := range m.Rank {
		if n > 0 {
			m.Stride[n] = (uint64(word(wordStrides+4*(n-1))) | uint64(word(wordHigh)>>(4*(n-1))&15)<<32) << 4
		}
		m.Dim[n] = uint64(word(wordDims+4*n)) + 1
		m.Step[n] = word(wordBox)>>(3*n)&7 + 1
		if n == 0 || !m.Im2col {
			m.Box[n] = uint32(b[wordBox+3+n]) + 1
		}
	}
	if m.Im2col {
		m.Pixels = word(wordPixels)&0xffff + 1
		bits := cornerBits[m.Rank-2]
		signed := func(v uint32, n int) int32 { return int32(v>>(bits*uint(n))<<(32-bits)) >> (32 - bits) }
		for n := range m.Rank - 2 {
			m.Lower[n], m.Upper[n] = signed(word(wordCorners), n), signed(word(wordCorners)>>16, n)
		}
	}
	return m, nil
}
