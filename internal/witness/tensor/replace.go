package tensor

import "encoding/binary"

// Field is what tensormap.replace changes.
type Field uint8

// Fields.
const (
	GlobalAddress Field = iota
	Rank
	BoxDim
	GlobalDim
	GlobalStride
	ElementStride
	ElemType
	InterleaveLayout
	SwizzleMode
	FillMode
	SwizzleAtomicity
)

// Replace writes field f of a map, of dimension n where it has one for each.
// The operand is the one of PTX: ranks count from zero, strides are bytes.
func Replace(b []byte, f Field, n int, v uint64) bool {
	set := func(at, lo, bits int, v uint64) {
		w := binary.LittleEndian.Uint32(b[at:])
		mask := uint32(uint64(1)<<bits-1) << lo
		binary.LittleEndian.PutUint32(b[at:], w&^mask|uint32(v)<<lo&mask)
	}
	switch f {
	case GlobalAddress:
		binary.LittleEndian.PutUint64(b, v)
	case Rank:
		set(wordKind, 4, 3, v)
	case BoxDim:
		b[wordBox+3+n] = byte(v - 1)
	case GlobalDim:
		set(wordDims+4*n, 0, 32, v-1)
	case GlobalStride:
		set(wordStrides+4*n, 0, 32, v>>4)
		set(wordHigh, 4*n, 4, v>>36)
	case ElementStride:
		set(wordBox, 3*n, 3, v-1)
	case ElemType:
		if v > B6x16P32 {
			return false
		}
		tf32 := uint64(0)
		if v == TF32 || v == TF32Ftz {
			v, tf32 = v-TF32+F32, 1
		}
		if v >= B4x16 {
			v -= narrowShift
		}
		set(wordKind, 7, 4, v)
		set(wordKind, 16, 1, tf32)
	case InterleaveLayout:
		set(wordKind, 11, 2, v)
	case SwizzleMode:
		set(wordKind, 13, 2, v)
		set(wordKind, odd96, 1, v>>2)
	case FillMode:
		set(wordKind, 15, 1, v)
	case SwizzleAtomicity:
		set(wordKind, 19, 3, v)
	}
	return true
}
