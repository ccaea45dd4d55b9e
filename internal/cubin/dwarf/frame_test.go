package dwarf

import (
	"bytes"
	"testing"
)

// TestPlain builds the table of a kernel whose only EXIT stands at 0x80 and
// compares it with the words the format asks for.
func TestPlain(t *testing.T) {
	b, fix := Append(nil, KernelFrame(0x180, Plain(0x80, 0, true)))
	want := []byte("" +
		"\xff\xff\xff\xff\x24\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff" +
		"\xff\xff\xff\xff\x03\x00\x04\x7c\xff\xff\xff\xff\x0f\x0c\x81\x80" +
		"\x80\x28\x00\x08\xff\x81\x80\x28\x08\x81\x80\x80\x28\x00\x00\x00" +
		"\xff\xff\xff\xff\x2c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x01\x00\x00" +
		"\x00\x00\x00\x00\x04\x20\x00\x00\x00\x04\x04\x00\x00\x00\x0c\x81" +
		"\x80\x80\x28\x00\x00\x00\x00\x00")
	if !bytes.Equal(b, want) {
		t.Errorf("got\n% x\nwant\n% x", b, want)
	}
	if fix.Start != 0x44 || fix.Address != -1 {
		t.Errorf("fixes %+v", fix)
	}
}

func TestParse(t *testing.T) {
	var init Program
	frames := []Frame{
		KernelFrame(0x200, Plain(0x70, 0, false)),
		{
			CodeAlign: 4, Return: ReturnAddress, Start: 0x310, Size: 0x170,
			Initial: init.DefCFA(R1, 0).SameValue(RZ).ReturnAt(regBase + 6),
			Rules:   Program(nil).AdvanceRaw(0x20).DefCFA(R1, 0x40),
		},
	}
	var b []byte
	for _, f := range frames {
		b, _ = Append(b, f)
	}
	got, err := Parse(b)
	if err != nil || len(got) != len(frames) {
		t.Fatalf("%d frames, %v", len(got), err)
	}
	var again []byte
	for _, f := range got {
		again, _ = Append(again, f)
	}
	if !bytes.Equal(b, again) {
		t.Errorf("got\n% x\nwant\n% x", again, b)
	}
}

func FuzzParse(f *testing.F) {
	b, _ := Append(nil, KernelFrame(0x180, Plain(0x80, 0, true)))
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := Parse(b)
		if err == nil && len(list)*2*entryHead > len(b) {
			t.Errorf("%d frames of %d bytes", len(list), len(b))
		}
	})
}
