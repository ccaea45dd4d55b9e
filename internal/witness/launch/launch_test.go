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
	for _, bad := range []string{"//: buf 8", "//: run k grid=0", "//: run k\n//: buf 8 nonsense", "//: run k\n//: q 1", "//: run"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q accepted", bad)
		}
	}
}
