package tensor

import (
	"fmt"
	"math/rand/v2"
)

// Measured is one map and one copy of it on a real GPU: what was asked, and
// what came of it. The memory of the tensor is words of 16 bits that count
// from zero; of a store, the shared memory is.
type Measured struct {
	Im2col, Store                 bool
	Type                          int
	Dim                           []uint64
	Stride                        []uint64 // bytes, from the second dimension on
	Box                           []uint32 // of tiles
	Lower, Upper                  []int32  // of im2col: corners of the box of pixels
	Channels, Pixels              uint32
	Step                          []uint32
	Interleave, Swizzle, L2, Fill int
	At                            []int32
	Off                           []uint32
	Told                          uint32 // bytes that the barrier expects

	Fault bool   // the copy ended with an error
	Code  int32  // the driver's answer: other than 0 is a refusal
	Map   string // in hexadecimal, less the address of the tensor
	Done  bool   // the barrier's phase was over
	Bar   uint64 // the barrier
	Left  []byte // shared memory, or of a store the tensor, up to the last byte that changed
}

// Asks is the map that was asked for.
func (x *Measured) Asks() *Map {
	m := &Map{
		Rank: len(x.Dim), Type: x.Type, Im2col: x.Im2col, Pixels: x.Pixels, Interleave: x.Interleave, Swizzle: x.Swizzle, NaN: x.Fill != 0,
	}
	copy(m.Dim[:], x.Dim)
	copy(m.Stride[1:], x.Stride)
	m.Stride[0] = m.Elem()
	copy(m.Step[:], x.Step)
	copy(m.Box[:], x.Box)
	if x.Im2col {
		m.Box[0] = x.Channels
	}
	copy(m.Lower[:], x.Lower)
	copy(m.Upper[:], x.Upper)
	return m
}

// Kernel names the kernel that copies such a box.
func (x *Measured) Kernel() string {
	name := "tile"
	if x.Im2col {
		name = "im2col"
	}
	if x.Store {
		name += "_store"
	}
	return fmt.Sprint(name, len(x.Dim))
}

// MeasuredKinds has one case of each kernel.
func MeasuredKinds() (list []*Measured) {
	for rank := 1; rank <= 5; rank++ {
		for _, store := range []bool{false, true} {
			list = append(list, &Measured{Dim: make([]uint64, rank), Store: store})
			if rank >= 3 {
				list = append(list, &Measured{Dim: make([]uint64, rank), Store: store, Im2col: true})
			}
		}
	}
	return list
}

// MeasuredCases makes n random cases.
func MeasuredCases(n int) (list []*Measured) {
	r := rand.New(rand.NewPCG(90, 42))
	for len(list) < n {
		x := &Measured{Im2col: r.IntN(3) > 0, Store: r.IntN(4) == 0, Type: []int{U16, U16, U8, U32, F16, BF16, F32, U64}[r.IntN(8)]}
		rank := 3 + r.IntN(3)
		elem := elemBytes[x.Type]
		if x.Swizzle = r.IntN(4); r.IntN(2) == 0 {
			x.Swizzle = 0
		}
		if r.IntN(3) == 0 {
			x.Interleave = 1 + r.IntN(2)
			if x.Swizzle = r.IntN(4); x.Interleave == 2 && r.IntN(4) > 0 {
				x.Swizzle = 1
			} else if x.Interleave == 1 && r.IntN(4) > 0 {
				x.Swizzle = 0
			}
		}
		x.L2 = r.IntN(4)
		if (x.Type == F16 || x.Type == BF16 || x.Type == F32) && !x.Store {
			x.Fill = r.IntN(2)
		}
		x.shape(r, rank, elem)
		if x.Im2col {
			x.pixels(r, rank, elem)
		} else {
			x.tile(r, rank, elem)
		}
		list = append(list, x)
	}
	return list
}

// shape makes a tensor of less than 64 kilobytes.
func (x *Measured) shape(r *rand.Rand, rank int, elem uint64) {
	x.Dim = append(x.Dim, []uint64{16, 32, 48, 64}[r.IntN(4)]/elem*uint64(1+r.IntN(2)))
	step := uint64(32)
	size := max(32, (x.Dim[0]*elem+31)&^31)
	if x.Interleave != 0 && r.IntN(2) == 0 {
		size = uint64(16 * x.Interleave)
	}
	for k := 1; k < rank; k++ {
		x.Stride = append(x.Stride, size)
		most := []uint64{0, 7, 5, 3, 3}[k]
		if rank == 3 && k == 1 {
			most = 20
		}
		x.Dim = append(x.Dim, 1+r.Uint64N(most))
		size *= x.Dim[k]
		if r.IntN(3) == 0 {
			size += step
		}
	}
	for range rank {
		x.Step = append(x.Step, 1)
	}
	if r.IntN(3) == 0 {
		for k := range rank {
			x.Step[k] = 1 + uint32(r.IntN(3))
		}
	}
}

// tile chooses a box and its place.
func (x *Measured) tile(r *rand.Rand, rank int, elem uint64) {
	told := uint32(elem)
	for k := range rank {
		b := 1 + uint32(r.IntN(4))
		if k == 0 {
			b = uint32([]uint64{16, 32, 64}[r.IntN(3)] / elem)
			if x.Swizzle > 0 && r.IntN(4) > 0 {
				b = min(b, uint32(16<<x.Swizzle)/uint32(elem))
			}
		}
		x.Box = append(x.Box, b)
		told *= b
		x.At = append(x.At, int32(r.IntN(6))-2)
	}
	if r.IntN(2) == 0 {
		x.At[0] = 0
	} else {
		x.At[0] = int32(uint64(r.IntN(4)) * 16 / elem)
	}
	x.Told = told
}

// pixels chooses the box of pixels and where the copy begins.
func (x *Measured) pixels(r *rand.Rand, rank int, elem uint64) {
	x.Channels = uint32([]uint64{16, 32, 64}[r.IntN(3)] / elem)
	if x.Swizzle > 0 && r.IntN(4) > 0 {
		x.Channels = min(x.Channels, uint32(16<<x.Swizzle)/uint32(elem))
	}
	x.Pixels = 1 + uint32(r.IntN(40))
	x.Told = x.Channels * x.Pixels * uint32(elem)
	x.At = []int32{int32(uint64(r.IntN(3)) * 16 / elem)}
	if r.IntN(2) == 0 {
		x.At[0] = 0
	}
	for k := 1; k < rank-1; k++ {
		lower, upper := int32(r.IntN(4))-2, int32(r.IntN(4))-2
		x.Lower, x.Upper = append(x.Lower, lower), append(x.Upper, upper)
		width := max(1, int(x.Dim[k])+int(upper)-int(lower))
		at := lower + int32(r.IntN(width))
		switch r.IntN(8) {
		case 0, 1, 2:
			at = lower
		case 3:
			at += int32(r.IntN(5)) - 2
		}
		x.At, x.Off = append(x.At, at), append(x.Off, uint32(r.IntN(3)))
	}
	if r.IntN(3) == 0 {
		clear(x.Off)
	}
	x.At = append(x.At, int32(r.IntN(int(x.Dim[rank-1]))))
}
