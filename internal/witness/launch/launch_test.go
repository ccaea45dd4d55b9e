package launch

import (
	"bytes"
	"testing"
)

func TestParse(t *testing.T) {
	list, err := Parse(`
// plain comment
//: run saxpy grid=4,2 block=128 smem=64
//: buf 16 iota
//: buf 8 f32 7
//: f32 2.5
//: s32 -1
//: run other
//: hex 0102
.version 9.0
`)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].Grid != [3]uint32{4, 2, 1} || list[0].Threads() != 128 || list[0].Smem != 64 || len(list[0].Args) != 4 {
		t.Fatalf("%+v", list)
	}
	if !bytes.Equal(list[0].Args[3].Bytes, []byte{255, 255, 255, 255}) || !bytes.Equal(list[0].Args[2].Bytes, []byte{0, 0, 0x20, 0x40}) {
		t.Errorf("scalars %v", list[0].Args)
	}
	if got := Data("iota", 0, 16); !bytes.Equal(got, []byte{0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}) {
		t.Errorf("iota %v", got)
	}
	if bytes.Equal(Data("bits", 1, 64), Data("bits", 2, 64)) || !bytes.Equal(Data("f32", 1, 64), Data("f32", 1, 64)) {
		t.Error("random contents")
	}
	list, err = Parse("//: run k\n//: tex a1d 8x3 u8x4 u8 2 linear norm wrap levels=2\n//: surf 2d 4x4 f32x1 ref=plane\n")
	if err != nil || len(list[0].Args) != 1 || len(list[0].Refs) != 1 || list[0].Refs[0].Ref != "plane" {
		t.Fatalf("%+v %v", list, err)
	}
	if x := list[0].Args[0].Tex; x.Size != [3]int{8, 1, 3} || x.Texel() != 4 || len(x.Data()) != 4*(8*3+4*3) || x.Address[2] != "wrap" {
		t.Errorf("%+v", x)
	}
	for _, bad := range []string{
		"//: run k\n//: tex 5d 4 f32", "//: run k\n//: tex 2d 4xx f32", "//: run k\n//: tex 2d 4x4 f32x3", "//: run k\n//: tex 2d 4x4 f32 odd",
		"//: buf 8", "//: run k grid=0", "//: run k\n//: buf 8 nonsense", "//: run k\n//: q 1", "//: run",
	} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q accepted", bad)
		}
	}
}

// TestPlace checks pointers that share a buffer and pointers inside of one.
func TestPlace(t *testing.T) {
	a := Arg{Bytes: make([]byte, 24), Ptrs: []Ptr{
		{Offset: 0, Buf: 32, Fill: "zero", Data: []byte{1, 2, 3}},
		{Offset: 8, Same: 1, At: 16},
		{Offset: 8, Buf: 16, Fill: "iota", In: 1},
	}}
	next := uint64(0x1000)
	b := bytes.Clone(a.Bytes)
	own, err := a.Place(b, func(x []byte) uint64 { next += 0x1000; return next })
	if err != nil || len(own) != 2 || a.Plain() {
		t.Fatalf("%d buffers, %v", len(own), err)
	}
	if want := []byte{0, 0x20, 0, 0, 0, 0, 0, 0, 0x10, 0x20}; !bytes.Equal(b[:10], want) {
		t.Errorf("the argument is % x", b)
	}
	if want := []byte{1, 2, 3, 0, 0, 0, 0, 0, 0, 0x30}; !bytes.Equal(own[0][:10], want) || own[1][4] != 1 {
		t.Errorf("the buffers are % x", own)
	}
	a.Ptrs[1].Same = 3
	if _, err := a.Place(b, func([]byte) uint64 { return 0 }); err == nil {
		t.Error("a pointer to a later buffer was taken")
	}
}
