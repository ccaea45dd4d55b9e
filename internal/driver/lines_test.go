package driver

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/dwarf"
)

// lined is a program with source lines of two files.
const lined = `.version 8.0
.target sm_90
.address_size 64
.file 1 "/src/a.cu"
.file 2 "/src/inc/b.h"
.visible .entry one(.param .u64 a)
{ .reg .f32 %f<9>; .reg .b64 %d<3>;
.loc 1 10 5
ld.param.u64 %d1,[a];
.loc 1 11 3
ld.global.f32 %f1,[%d1];
.loc 2 40 9
mul.f32 %f2,%f1,%f1;
.loc 1 12 3
st.global.f32 [%d1+16],%f2;
.loc 1 300 1
ret; }
.visible .entry two(.param .u64 a)
{ .reg .b64 %d<3>;
.loc 1 20 5
ld.param.u64 %d1,[a];
st.global.u32 [%d1],7;
ret; }
`

// TestLineTables reads back what the tables say.
func TestLineTables(t *testing.T) {
	f := compileLined(t, "-lineinfo")
	tables := map[string][]uint32{}
	for _, name := range []string{".debug_line", ".nv_debug_line_sass"} {
		l, err := dwarf.ParseLines(f.Find(name).Data())
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Sequences) != 2 {
			t.Fatalf("%s: %d sequences", name, len(l.Sequences))
		}
		for _, s := range l.Sequences {
			if s.Rows[0].Addr != 0 {
				t.Errorf("%s: a function without a line at its start", name)
			}
			for _, r := range s.Rows {
				tables[name] = append(tables[name], r.Line)
			}
		}
		if name == ".debug_line" && (len(l.Dirs) != 2 || len(l.Files) != 2 || l.Files[1].Name != "b.h") {
			t.Errorf("files %v in folders %v", l.Files, l.Dirs)
		}
	}
	for _, want := range []uint32{10, 11, 40, 12, 300, 20} {
		if !contains(tables[".debug_line"], want) {
			t.Errorf("no code of line %d: %v", want, tables[".debug_line"])
		}
	}
	text := bytes.Split(f.Find(".nv_debug_ptx_txt").Data(), []byte{0})
	stores := 0
	for _, n := range tables[".nv_debug_line_sass"] {
		if strings.HasPrefix(string(text[n-1]), "st.global") {
			stores++
		}
	}
	if stores != 2 {
		t.Errorf("%d stores among the PTX lines %v", stores, tables[".nv_debug_line_sass"])
	}
	if f := compileLined(t, "-lineinfo", "--suppress-debug-info"); f.Find(".debug_line") != nil {
		t.Error("tables although they are suppressed")
	}
	t.Logf("%d and %d rows", len(tables[".debug_line"]), len(tables[".nv_debug_line_sass"]))
}

func contains(list []uint32, x uint32) bool {
	for _, v := range list {
		if v == x {
			return true
		}
	}
	return false
}

func compileLined(t *testing.T, options ...string) *cubin.File {
	t.Helper()
	var log bytes.Buffer
	b, ok := CompileTexts(context.Background(), append(options, "-arch", "sm_90a"), []Text{{Name: "k.ptx", Text: []byte(lined)}}, &log)
	if !ok {
		t.Fatal(log.String())
	}
	f, err := cubin.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
