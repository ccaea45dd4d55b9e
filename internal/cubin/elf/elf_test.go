package elf

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
)

// image makes a small file: names, code, a section without bytes and one
// that shares the bytes of the code.
func image() *Image {
	names := Strings{"", ".shstrtab", ".text", ".bss", ".copy"}
	at := names.Offsets()
	return &Image{
		Header: Header{Ident: [16]byte{0x7f, 'E', 'L', 'F', 2, 1, 1}, Type: 2, Machine: 190, Version: 1, PhEntSize: ProgSize, ShStrNdx: 1},
		Sections: []Section{
			{},
			{NameOff: at[".shstrtab"], Type: TypeStrtab, Align: 1, Data: names.Bytes()},
			{NameOff: at[".text"], Type: TypeProgbits, Flags: FlagAlloc | FlagExec, Align: 128, Data: bytes.Repeat([]byte{7}, 32), GapBefore: 128},
			{NameOff: at[".bss"], Type: TypeNobits, Flags: FlagAlloc | FlagWrite, Align: 16, Size: 1 << 40},
			{NameOff: at[".copy"], Type: TypeProgbits, Flags: FlagMercury, Align: 1, SameAs: 2},
		},
		Progs: []Prog{{Type: ProgLoad, Flags: 5, Off: 256, Filesz: 32, Memsz: 32, Align: 8}},
	}
}

func TestRound(t *testing.T) {
	im := image()
	size := im.Layout()
	b := im.Bytes()
	if uint64(len(b)) != size {
		t.Fatalf("%d bytes, laid out as %d", len(b), size)
	}
	if im.Sections[2].Off%128 != 0 || im.Sections[4].Off != im.Sections[2].Off {
		t.Errorf("offsets %#x and %#x", im.Sections[2].Off, im.Sections[4].Off)
	}
	got, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	if got.Sections[4].SameAs != 2 || got.Sections[2].GapBefore != im.Sections[2].GapBefore {
		t.Errorf("shared bytes or gap lost: %+v", got.Sections)
	}
	got.Layout()
	if !bytes.Equal(got.Bytes(), b) || !reflect.DeepEqual(got.Progs, im.Progs) {
		t.Error("second writing differs")
	}
}

func TestRefused(t *testing.T) {
	im := image()
	im.Layout()
	whole := im.Bytes()
	for n := range whole {
		if _, err := Parse(whole[:n]); err == nil {
			t.Fatalf("a file cut at %d of %d is accepted", n, len(whole))
		}
	}
	if _, err := Parse([]byte("\x7fELF\x01\x01")); !errors.Is(err, ErrMagic) {
		t.Errorf("32-bit file: %v", err)
	}
	over := bytes.Clone(whole)
	le.PutUint64(over[im.ShOff+2*SectionSize+24:], 8) // .text inside the header
	if _, err := Parse(over); err == nil {
		t.Error("overlapping contents are accepted")
	}
}

func TestStrings(t *testing.T) {
	b := []byte("\x00a\x00\x00\x00bc\x00")
	l, err := SplitStrings(b)
	if err != nil || !bytes.Equal(l.Bytes(), b) {
		t.Fatalf("%q, %v", l, err)
	}
	if at := l.Offsets(); at["a"] != 1 || at["bc"] != 5 || at[""] != 0 {
		t.Errorf("offsets %v", at)
	}
	for _, bad := range [...]string{"", "a\x00", "\x00a"} {
		if _, err := SplitStrings([]byte(bad)); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	if s, ok := StringAt(b, 5); !ok || s != "bc" {
		t.Errorf("string at 5: %q", s)
	}
	if _, ok := StringAt(b, 99); ok {
		t.Error("string behind the end")
	}
}

func TestRecords(t *testing.T) {
	s := Sym{Name: 1, Info: 0x12, Other: 0x10, Shndx: 3, Value: 5, Size: 6}
	syms, err := ParseSyms(AppendSym(nil, s))
	if err != nil || len(syms) != 1 || syms[0] != s {
		t.Errorf("%+v, %v", syms, err)
	}
	for _, addend := range [...]bool{false, true} {
		r := Rel{Off: 8, Type: 2, Sym: 4}
		if addend {
			r.Addend = -9
		}
		rels, err := ParseRels(AppendRel(nil, r, addend), addend)
		if err != nil || len(rels) != 1 || rels[0] != r {
			t.Errorf("%+v, %v", rels, err)
		}
	}
	if _, err := ParseSyms(make([]byte, 25)); err == nil {
		t.Error("half a symbol is accepted")
	}
	if _, err := ParseRels(make([]byte, 25), true); err == nil {
		t.Error("half a relocation is accepted")
	}
}

// FuzzParse: no panic, and a file that is read is written no larger.
func FuzzParse(f *testing.F) {
	im := image()
	im.Layout()
	f.Add(im.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		im, err := Parse(b)
		if err != nil {
			return
		}
		if n := im.Layout(); n > 2*uint64(len(b))+8 {
			t.Errorf("%d bytes out of %d", n, len(b))
		}
	})
}
