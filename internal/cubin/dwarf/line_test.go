package dwarf

import (
	"bytes"
	"reflect"
	"testing"
)

// TestLines writes rows of two files and compares them with the bytes the
// format asks for, then reads them back.
func TestLines(t *testing.T) {
	table := &LineTable{
		Dirs:  []string{"src"},
		Files: []SourceFile{{Name: "a.cu", Dir: 1}, {Name: "b.cu"}},
		Sequences: []Sequence{{
			Rows: []Row{{Addr: 0, File: 1, Line: 3}, {Addr: 0x10, File: 1, Line: 4}, {Addr: 0x30, File: 1, Line: 5}, {Addr: 0x40, File: 2, Line: 93}, {Addr: 0x40, File: 2, Line: 93}, {Addr: 0x80, File: 1, Line: 8}},
			End:  0x180,
		}},
	}
	b, fixes := AppendLines(nil, table)
	program := []byte{
		0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0, // set_address
		4, 1, 3, 2, 1, // file 1, line 3
		0xf0,           // 16 on, next line
		3, 1, 2, 32, 1, // line 5 at 0x30
		4, 2, 3, 0xd8, 0, 2, 16, 1, // file 2
		3, 0, 1, // the same place again
		4, 1, 3, 0xab, 0x7f, 2, 0xc0, 0, 1, // file 1, 85 lines back
		2, 0x80, 2, 0, 1, 1, // the end
	}
	if !bytes.HasSuffix(b, program) {
		t.Errorf("got\n% x\nwant at the end\n% x", b, program)
	}
	if len(fixes) != 1 || fixes[0] != len(b)-len(program)+3 {
		t.Errorf("fixes %v", fixes)
	}
	got, err := ParseLines(b)
	if err != nil || !reflect.DeepEqual(got, table) {
		t.Errorf("%v\n got %+v\nwant %+v", err, got, table)
	}
}

// TestInlined: the calls around inlined code are rows of their own.
func TestInlined(t *testing.T) {
	table := &LineTable{
		Files: []SourceFile{{Name: "a.cu"}},
		Sequences: []Sequence{{Rows: []Row{
			{File: 1, Line: 10},
			{Addr: 0x50, File: 1, Line: 10},
			{Addr: 0x50, File: 1, Line: 11, Call: 2, Func: 3},
			{Addr: 0x60, File: 1, Line: 10},
			{Addr: 0x60, File: 1, Line: 11, Call: 4, Func: 300},
		}, End: 0x80}},
		Names: true,
	}
	b, _ := AppendLines(nil, table)
	program := []byte{
		0, 0, 0, 0, 0, // no more files; the names begin at 0
		0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0,
		4, 1, 3, 9, 1,
		2, 0xd0, 0, 1, // the call
		0, 3, 0x90, 2, 3, 3, 1, 1,
		0, 3, 0x90, 0, 0, 0xee,
		0, 4, 0x90, 4, 0xac, 2, 3, 1, 1,
		2, 32, 0, 1, 1,
	}
	if !bytes.HasSuffix(b, program) || NamesAt(b) != len(b)-len(program)+1 {
		t.Errorf("got\n% x\nwant at the end\n% x", b, program)
	}
	got, err := ParseLines(b)
	if err != nil || !reflect.DeepEqual(got, table) {
		t.Errorf("%v\n got %+v\nwant %+v", err, got, table)
	}
}

func TestPTXText(t *testing.T) {
	src := "// head\n.version 9.0\n\n\t.loc 1 2 3\n  add.u32 a,b,c; // sum \n.location x;\n.file 1 \"a\"\n\n"
	want := "\x00.version 9.0\x00\x00\x00add.u32 a,b,c; // sum \x00.location x;\x00"
	if got := string(PTXText([]byte(src))); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzLines: no bytes make the reader panic, and what it reads is no larger
// than its input.
func FuzzLines(f *testing.F) {
	b, _ := AppendLines(nil, &LineTable{Sequences: []Sequence{{Rows: []Row{{Line: 5}, {Addr: 16, Line: 9, Call: 1, Func: 200}}, End: 64}}})
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := ParseLines(b)
		if err != nil {
			return
		}
		n := 0
		for _, s := range l.Sequences {
			n += len(s.Rows)
		}
		if n > len(b) {
			t.Errorf("%d rows of %d bytes", n, len(b))
		}
	})
}
