package tensor

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"testing"
)

// TestEncode reads back what it wrote.
func TestEncode(t *testing.T) {
	for typ := range len(elemBytes) {
		m := Map{
			Address: 0x7f0012345670, Rank: 4, Type: typ, Dim: [5]uint64{100, 200, 3, 1 << 31}, Stride: [5]uint64{elemBytes[typ], 1 << 20, 1 << 38, 16},
			Box: [5]uint32{64, 256, 1, 2}, Step: [5]uint32{1, 2, 3, 8}, Swizzle: 3, NaN: typ == F16,
		}
		b := m.Encode()
		got, err := Decode(b[:])
		if err != nil || *got != m {
			t.Errorf("type %d: %+v, %v, want %+v", typ, got, err, m)
		}
	}
}

// TestTile copies a box that hangs over two edges of a plane of bytes.
func TestTile(t *testing.T) {
	plane := make([]byte, 32*4)
	for n := range plane {
		plane[n] = byte(n + 1)
	}
	m := Map{Rank: 2, Type: U8, Dim: [5]uint64{20, 4}, Stride: [5]uint64{1, 32}, Box: [5]uint32{16, 3}, Step: [5]uint32{1, 1}}
	got := bytes.Repeat([]byte{0xff}, int(m.Bytes()))
	m.Tile([5]int32{-3, 2}, [3]int32{}, func(p Piece) bool {
		for k := range p.Bytes {
			if got[p.Shared+k] = 0; !p.Outside {
				got[p.Shared+k] = plane[p.Global+uint64(k)]
			}
		}
		return true
	})
	for y := range 3 {
		for x := range 16 {
			want := byte(0)
			if x >= 3 && y < 2 {
				want = plane[(y+2)*32+x-3]
			}
			if got[y*16+x] != want {
				t.Errorf("row %d column %d is %d instead of %d", y, x, got[y*16+x], want)
			}
		}
	}
}

// TestSteps takes every second line.
func TestSteps(t *testing.T) {
	m := Map{Rank: 2, Type: U32, Dim: [5]uint64{8, 16}, Stride: [5]uint64{4, 64}, Box: [5]uint32{4, 6}, Step: [5]uint32{1, 2}}
	if m.Bytes() != 4*4*3 {
		t.Fatalf("%d bytes", m.Bytes())
	}
	var lines []uint64
	m.Tile([5]int32{4, 1}, [3]int32{}, func(p Piece) bool {
		lines = append(lines, p.Global)
		return true
	})
	if len(lines) != 3 || lines[0] != 64+16 || lines[1] != 3*64+16 || lines[2] != 5*64+16 {
		t.Errorf("lines at %v", lines)
	}
}

// TestSwizzle follows the drawing of the PTX ISA: with a span of 128 bytes
// the sixteen bytes c of line r lie at place c^r.
func TestSwizzle(t *testing.T) {
	m := Map{Swizzle: 3}
	for r := range uint32(8) {
		for c := range uint32(8) {
			if at := m.Swizzled(r*128 + c*16); at != r*128+(c^r)*16 {
				t.Errorf("line %d place %d is at %#x", r, c, at)
			}
		}
	}
	m.Swizzle = 1 // of 32 bytes: four lines are 128 bytes
	if at := m.Swizzled(4 * 32); at != 4*32+16 {
		t.Errorf("line 4 is at %#x", at)
	}
}

// TestMeasured compares maps with the driver's and copies with an H200's.
func TestMeasured(t *testing.T) {
	list, err := MeasuredH200()
	if err != nil || len(list) < 100 {
		t.Fatalf("%d copies, %v", len(list), err)
	}
	kinds := map[string]int{}
	for _, x := range list {
		var at [5]int32
		copy(at[:], x.At)
		if m := x.Asks(); m.Begins(at, x.Store) == x.Fault && !(x.Im2col && x.Store) { // of stores of pixels some fault for reasons of their own
			t.Errorf("%+v at %v: a fault is %v", *m, at, x.Fault)
		}
		if x.Fault {
			continue
		}
		b, err := hex.DecodeString(x.Map)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Decode(append(b, make([]byte, Size-len(b))...))
		if err != nil {
			t.Fatal(err)
		}
		again := m.Encode()
		again[wordKind+2] |= byte(x.L2 << 1) // how much the second cache fetches, which changes no bytes
		if !bytes.Equal(again[:len(b)], b) {
			t.Errorf("%+v:\n%x is written\n%x", *x, b, again[:len(b)])
		}
		if *m != *x.Asks() {
			t.Errorf("%+v is not %+v", *m, *x.Asks())
		}
		var off [3]int32
		for n := range x.Off {
			off[n] = int32(x.Off[n])
		}
		if x.Store {
			off = [3]int32{}
		}
		var moved []Moved
		m.Tile(at, off, func(p Piece) bool {
			c := Moved{Shared: uint64(m.Swizzled(p.Shared)), Global: p.Global, Bytes: int(p.Bytes)}
			if p.Outside {
				c.Outside = bytes.Repeat(m.Fill(), int(p.Bytes)/len(m.Fill()))
			}
			moved = append(moved, c)
			return true
		})
		kinds[fmt.Sprint(x.Kernel(), x.Interleave)]++
		if err := x.Judge(m.Bytes(), moved); err != nil {
			t.Errorf("%+v: %v", *m, err)
		}
	}
	t.Log(kinds)
}
