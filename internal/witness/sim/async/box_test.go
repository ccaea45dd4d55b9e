package async

import (
	"encoding/hex"
	"slices"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// TestMeasured compares where boxes go with what an H200 did.
func TestMeasured(t *testing.T) {
	list, err := tensor.MeasuredH200()
	if err != nil || len(list) < 100 {
		t.Fatalf("%d copies, %v", len(list), err)
	}
	for _, x := range list {
		var at [5]int32
		copy(at[:], x.At)
		if b := newBox(x.Asks(), at, [3]int32{}); b.illegal(x.Store) != x.Fault && !(x.Im2col && x.Store) { // of stores of pixels some fault for reasons of their own
			t.Errorf("%+v: a fault is %v", *b.Map, x.Fault)
		}
		if x.Fault {
			continue
		}
		raw, err := hex.DecodeString(x.Map)
		if err != nil {
			t.Fatal(err)
		}
		m, err := tensor.Decode(append(raw, make([]byte, tensor.Size-len(raw))...))
		if err != nil {
			t.Fatal(err)
		}
		var off [3]int32
		for n := range x.Off {
			if !x.Store {
				off[n] = int32(x.Off[n])
			}
		}
		b := newBox(m, at, off)
		var moved []tensor.Moved
		b.each(0, func(shared, addr uint64, n int64, inside bool) bool {
			c := tensor.Moved{Shared: shared, Global: addr, Bytes: int(n)}
			if !inside {
				c.Outside = b.missing(n)
			}
			moved = append(moved, c)
			return true
		})
		if err := x.Judge(b.total(), moved); err != nil {
			t.Errorf("%+v: %v", *m, err)
		}
	}
}

// TestPacked compares boxes of elements of less than a byte, and those whose
// swizzle keeps 32 bytes together, with where the interpreter puts them.
func TestPacked(t *testing.T) {
	type move struct {
		shared, addr uint64
		bytes        int64
		inside       bool
	}
	base := tensor.Map{Address: 1 << 20, Rank: 2, Dim: [5]uint64{224, 40}, Stride: [5]uint64{0, 256}, Step: [5]uint32{1, 1, 1, 1, 1}}
	for _, x := range []struct {
		kind, atom, swizzle int
		box                 uint32
		bytes               uint32 // a row takes
		told                uint32 // are brought
	}{
		{tensor.B4x16, 0, 3, 128, 64, 64},
		{tensor.B4x16, 0, 0, 32, 16, 16},
		{tensor.B4x16, 0, 0, 128, 64, 64},
		{tensor.B4x16, 0, 1, 64, 32, 32},
		{tensor.B4x16, 1, 3, 256, 128, 128},
		{tensor.B4x16P64, 0, 3, 128, 128, 64},
		{tensor.B6x16P32, 0, 3, 128, 128, 96},
		{tensor.F32, 1, 3, 32, 128, 128},
		{tensor.U8, 1, 3, 128, 128, 128},
	} {
		m := base
		m.Type, m.Atom, m.Swizzle, m.Box = x.kind, x.atom, x.swizzle, [5]uint32{x.box, 8}
		raw := m.Encode()
		d, err := tensor.Decode(raw[:])
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range [][5]int32{{0, 0}, {128, 36}, {256, 2}} {
			var one, other []move
			b := newBox(d, at, [3]int32{})
			b.each(1<<10, func(shared, addr uint64, n int64, inside bool) bool {
				one = append(one, move{shared, addr, n, inside})
				return true
			})
			d.Tile(at, [3]int32{}, func(p tensor.Piece) bool {
				other = append(other, move{uint64(d.Swizzled(1<<10 + p.Shared)), p.Global, int64(p.Bytes), !p.Outside})
				return true
			})
			if !slices.Equal(one, other) || len(one) == 0 {
				t.Errorf("%+v at %v: %v, the interpreter %v", m, at, one, other)
			}
			if b.told() != d.Told() || d.Told() != 8*x.told {
				t.Errorf("%+v: barriers hear of %d and %d bytes, want %d", m, b.told(), d.Told(), 8*x.told)
			}
			if b.total() != d.Bytes() || d.Bytes() != 8*x.bytes {
				t.Errorf("%+v: %d and %d bytes, want %d", m, b.total(), d.Bytes(), 8*x.bytes)
			}
		}
	}
	m := base
	m.Type, m.Atom, m.Box = tensor.U32, 1, [5]uint32{32, 8}
	if got := m.Swizzled(3*128 + 2*32 + 20); got != 3*128+1*32+20 {
		t.Errorf("line 3, 32 bytes number 2 lie at %#x", got)
	}
}
