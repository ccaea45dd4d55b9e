package driver

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/witness/oracle"
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

// nested is a program whose source compiler inlined functions, and which
// calls one that we inline.
const nested = `.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 r) leaf(.param .b32 x)
{ .reg .f32 %f<3>;
.loc 1 3 1
ld.param.f32 %f1,[x];
.loc 1 4 1
fma.rn.f32 %f2,%f1,%f1,%f1;
st.param.f32 [r],%f2;
ret; }
.visible .entry k(.param .u64 a)
{ .reg .f32 %f<9>; .reg .b64 %d<3>;
.loc 1 10 1
ld.param.u64 %d1,[a];
ld.global.f32 %f1,[%d1];
.loc 1 20 7, function_name $S, inlined_at 1 10 1
st.global.f32 [%d1+4],%f1;
.loc 1 30 7, function_name $S+4, inlined_at 1 20 7
st.global.f32 [%d1+8],%f1;
.loc 1 11 1
{ .param .b32 p; .param .b32 q; st.param.f32 [p],%f1; call (q),leaf,(p); ld.param.f32 %f2,[q]; }
.loc 1 30 7, function_name $S+4, inlined_at 1 11 1
st.global.f32 [%d1+12],%f2;
.loc 1 12 1
ret; }
.file 1 "a.cu"
.section .debug_str
{
.b8 65,0
$S:
.b8 109,105,100,0
.b8 108,101,97,102,0
}
`

// chain is the source of the code at a row: its line and those of the calls
// around it, with the functions that were inlined.
func chain(rows []dwarf.Row, r *dwarf.Row, strs []byte) string {
	if r.Call == 0 {
		return strconv.Itoa(int(r.Line))
	}
	name, _, _ := bytes.Cut(strs[r.Func:], []byte{0})
	return fmt.Sprintf("%d in %s at %s", r.Line, name, chain(rows, &rows[r.Call-1], strs))
}

// chainsOf are the chains of a file with one kernel, sorted.
func chainsOf(t *testing.T, data []byte) []string {
	t.Helper()
	f, err := cubin.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	l, err := dwarf.ParseLines(f.Find(".debug_line").Data())
	if err != nil || len(l.Sequences) != 1 || !l.Names {
		t.Fatalf("%+v, %v", l, err)
	}
	var list []string
	rows := l.Sequences[0].Rows
	for n := range rows {
		if n+1 == len(rows) || rows[n+1].Addr > rows[n].Addr { // the others are calls
			list = append(list, chain(rows, &rows[n], f.Find(".debug_str").Data()))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestInlinedLines: code that was inlined keeps its own line and knows the
// calls around it; a function that we inline keeps its lines.
func TestInlinedLines(t *testing.T) {
	want := []string{"10", "11", "12", "20 in mid at 10", "30 in leaf at 11", "30 in leaf at 20 in mid at 10", "4"}
	for _, arch := range []string{"sm_80", "sm_90"} {
		var log bytes.Buffer
		b, ok := CompileTexts(t.Context(), []string{"-lineinfo", "-arch", arch}, []Text{{Name: "k.ptx", Text: []byte(nested)}}, &log)
		if !ok {
			t.Fatal(log.String())
		}
		got := chainsOf(t, b)
		if i := slices.Index(got, "11"); i < 0 { // the call itself may vanish
			got = append(got, "11")
			slices.Sort(got)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", arch, got, want)
		}
		if !oracle.Available() {
			continue
		}
		ref, err := oracle.Find(t).CubinOf([]byte(nested), "-lineinfo", "-arch", arch)
		if err != nil {
			t.Fatal(err)
		}
		if theirs := chainsOf(t, ref); !slices.Equal(theirs, want) {
			t.Errorf("%s: the reference has %q, want %q", arch, theirs, want)
		}
	}
}

func contains(list []uint32, x uint32) bool {
	for _, v := range list {
		if v == x {
			return true
		}
	}
	return false
}

// TestWantedLines: -lineinfo and -g map code to the text where that names no
// lines of another source; without them such a file has no tables.
func TestWantedLines(t *testing.T) {
	const text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .b64 a) {\n.reg .b64 %d<2>;\nld.param.b64 %d1, [a];\nst.global.b64 [%d1], %d1;\nret; }\n"
	for _, c := range []struct {
		option string
		names  []string
	}{
		{"", nil},
		{"-lineinfo", []string{".debug_line", ".nv_debug_line_sass", ".nv_debug_ptx_txt"}},
		{"-g", []string{".debug_line", ".nv_debug_line_sass", ".nv_debug_ptx_txt", ".nv_debug_info_reg_sass", ".nv_debug_info_reg_type"}},
	} {
		args := []string{"-arch", "sm_80"}
		if c.option != "" {
			args = append(args, c.option)
		}
		var log bytes.Buffer
		b, ok := CompileTexts(context.Background(), args, []Text{{Name: "k.ptx", Text: []byte(text)}}, &log)
		if !ok {
			t.Fatal(log.String())
		}
		f, err := cubin.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range f.Sections {
			if strings.Contains(s.Name, "debug_") && !strings.Contains(s.Name, "rel") && s.Name != ".debug_frame" {
				got = append(got, s.Name)
			}
		}
		if !slices.Equal(got, c.names) {
			t.Errorf("%q: %v", c.option, got)
		}
		if c.option == "-lineinfo" {
			l, err := dwarf.ParseLines(f.Find(".nv_debug_line_sass").Data())
			if err != nil || len(l.Sequences) != 1 || len(l.Sequences[0].Rows) < 2 {
				t.Errorf("%v, %v", l, err)
			}
		}
	}
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

// TestCodeWithoutLine: code of line 0 belongs to the row before it, and to
// none where it comes first.
func TestCodeWithoutLine(t *testing.T) {
	const head = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) { .reg .b32 %r<4>; .reg .b64 %d<4>;\n"
	const tail = "\nst.global.u32 [%d1], %r1;\nret; }\n.file 1 \"a.cu\"\n"
	for _, c := range []struct {
		text  string
		want  []uint32
		atTop bool
	}{
		{".loc 1 5 1\nld.param.u64 %d1, [p];\nld.global.u32 %r1, [%d1];\n.loc 1 0 1\nadd.u32 %r1, %r1, 5;\n.loc 1 7 1", []uint32{5, 7}, true},
		{".loc 1 0 1\nld.param.u64 %d1, [p];\nld.global.u32 %r1, [%d1];\n.loc 1 6 1", []uint32{6}, false},
		{".loc 1 0 1\nld.param.u64 %d1, [p];\nld.global.u32 %r1, [%d1];", nil, false},
	} {
		tables := [][]byte{compileText(t, head+c.text+tail)}
		if oracle.Available() {
			b, err := oracle.Find(t).CubinOf([]byte(head+c.text+tail), "-lineinfo", "-arch", "sm_90")
			if err != nil {
				t.Fatal(err)
			}
			tables = append(tables, b)
		}
		for who, b := range tables {
			f, err := cubin.Read(b)
			if err != nil {
				t.Fatal(err)
			}
			l, err := dwarf.ParseLines(f.Find(".debug_line").Data())
			if err != nil {
				t.Fatal(err)
			}
			var got []uint32
			for _, s := range l.Sequences {
				for n := range s.Rows {
					got = append(got, s.Rows[n].Line)
				}
				if top := s.Rows[0].Addr == 0; top != c.atTop {
					t.Errorf("%d: %s: the first row is at %#x", who, c.text, s.Rows[0].Addr)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%d: %s: rows of lines %d, want %d", who, c.text, got, c.want)
			}
		}
	}
}
