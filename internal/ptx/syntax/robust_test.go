package syntax

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/src"
)

const robustHead = ".version 9.0\n.target sm_90a\n.address_size 64\n"

// TestHostileInput feeds inputs that ask for much: each ends in a clear
// error or none, with memory in proportion to the input.
func TestHostileInput(t *testing.T) {
	size := 100 << 20
	if testing.Short() {
		size = 4 << 20
	}
	garbage := make([]byte, size)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range garbage {
		garbage[i] = byte(32 + r.IntN(95))
	}
	inBody := func(s string) []byte { return []byte(robustHead + ".entry k() {\n" + s) }
	for _, c := range []struct {
		name string
		text []byte
		want string // part of the message, "" for none
	}{
		{"garbage", garbage, "Missing .version"},
		{"garbage after a header", append([]byte(robustHead), garbage...), "Parsing error near"},
		{"garbage in a body", append(inBody(""), garbage...), "Parsing error near"},
		{"zeros", make([]byte, 1<<20), "Unexpected EOF encountered on line 1"},
		{"a zero at the end", append(inBody(strings.Repeat("ret;\n", 1<<16)), 0), "Unexpected EOF encountered on line 65541"},
		{"long identifier", []byte(robustHead + ".global .u32 " + strings.Repeat("k", 10<<20) + ";"), ""},
		{"long modifier", inBody("add." + strings.Repeat("k", 10<<20) + " a; }"), ""},
		{"long label", inBody(strings.Repeat("k", 10<<20) + ": }"), ""},
		{"long number", inBody("mov a, " + strings.Repeat("1", 10<<20) + "; }"), ""},
		{"long string", []byte(robustHead + ".file 1 \"" + strings.Repeat("k", 10<<20) + "\""), ""},
		{"nested braces", inBody(strings.Repeat("{", 100000)), "memory exhausted"},
		{"nested braces closed", inBody(strings.Repeat("{", 100000) + strings.Repeat("}", 100001)), "memory exhausted"},
		{"nested parentheses", inBody("mov a, " + strings.Repeat("(", 100000)), "memory exhausted"},
		{"nested lists", []byte(robustHead + ".global .u32 x = " + strings.Repeat("{", 100000)), "memory exhausted"},
		{"control characters", inBody("\x01\x02\x03"), "Parsing error near '\x01'"},
		{"a control character for a name", inBody("add \x02;"), "Parsing error near '\x02'"},
		{"quotes", inBody(strings.Repeat("\"", 1<<20) + "}"), "Parsing error near"},
		{"comment starts", inBody(strings.Repeat("/* ", 1<<20)), "unexpected EOF while scanning"},
		{"slashes", inBody(strings.Repeat("/ ", 1<<20)), "Parsing error near '/'"},
		{"hashes", inBody(strings.Repeat("#\n", 1<<20)), "Parsing error near '#'"},
		{"dots", inBody(strings.Repeat(".", 1<<20)), "Parsing error near '.'"},
		{"many operands", inBody("foo " + strings.Repeat("a, ", 1<<20) + "a; }"), ""},
		{"many elements", []byte(robustHead + ".global .u8 x[] = {" + strings.Repeat("0, ", 1<<20) + "0};"), ""},
		{"many modifiers", inBody("foo" + strings.Repeat(".x", 1<<20) + "; }"), ""},
		{"many markers", inBody(strings.Repeat("# 1 \"a\"\n", 1<<17) + "}"), ""},
		{"many functions", []byte(robustHead + strings.Repeat(".func f{}", 1<<17)), ""},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := parseOne(c.text)
		runtime.ReadMemStats(&after)
		switch {
		case err == nil && c.want != "":
			t.Errorf("%s: no error, want %q", c.name, c.want)
		case err != nil && (c.want == "" || !strings.Contains(err.Msg, c.want)):
			t.Errorf("%s: %.200q, want %q", c.name, err.Msg, c.want)
		}
		if used := int(after.TotalAlloc - before.TotalAlloc); used > 64*len(c.text)+1<<20 {
			t.Errorf("%s: %d bytes allocated for %d of text", c.name, used, len(c.text))
		}
	}
}

// parseOne is parseAll with one parser for all bodies.
func parseOne(text []byte) *Error {
	m := Scan(&src.File{Name: "in.ptx", Text: text})
	ps := new(Parser)
	for i := range m.Funcs {
		if f := &m.Funcs[i]; f.HasBody {
			if t := ps.ParseBody(m, f); t.Err != nil {
				return t.Err
			}
		}
	}
	return m.Err
}

// TestRecovery checks that recovery reports each fault once and goes on.
func TestRecovery(t *testing.T) {
	text := []byte(robustHead + `
.global .u32 a b;
.global .u32 c;
.entry k() {
	.reg .b32 %r<4>;
	add.u32 %r1 %r2, %r3;
	mov.u32 %r1, %r2;
	{ sub.u32 , %r1; }
	mov.u32 %r1, ;
	ld.u32 %r1, [%r2;
	L: ret;
}
.func f( { ret; }
.global .u32 d;
.entry k2() { add %r1 %r2; ret; }
`)
	m := ScanRecover(&src.File{Name: "in.ptx", Text: text})
	ps := &Parser{Recover: true}
	var got []string
	for _, e := range m.Errs {
		got = append(got, shown(m.File, e))
	}
	for i := range m.Funcs {
		if f := &m.Funcs[i]; f.HasBody {
			for _, e := range ps.ParseBody(m, f).Errs {
				got = append(got, shown(m.File, e))
			}
		}
	}
	want := []string{
		"ptxas in.ptx, line 5; fatal   : Parsing error near 'b': syntax error",
		"ptxas in.ptx, line 16; fatal   : Parsing error near '{': syntax error",
		"ptxas in.ptx, line 9; fatal   : Parsing error near '%r2': syntax error",
		"ptxas in.ptx, line 11; fatal   : Parsing error near ',': syntax error",
		"ptxas in.ptx, line 12; fatal   : Parsing error near ';': syntax error",
		"ptxas in.ptx, line 13; fatal   : Parsing error near ';': syntax error",
		"ptxas in.ptx, line 18; fatal   : Parsing error near '%r2': syntax error",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

// TestMarkers checks that markers in and outside bodies renumber messages.
func TestMarkers(t *testing.T) {
	text := []byte(robustHead + "# 10 \"a.cu\"\n.entry k() {\n#line 20 \"b.cu\" 1\nret;\n# 5 \"x\" 4\n foo bar baz;\n}\n")
	m, _, err := parseAll(text)
	if err == nil || len(m.File.Markers) != 3 {
		t.Fatalf("%v, %d markers", err, len(m.File.Markers))
	}
	if got := shown(m.File, err); !strings.Contains(got, "line 5;") {
		t.Error(got)
	}
}

// TestNames checks interning of names of all lengths at the edges of a text.
func TestNames(t *testing.T) {
	var text []byte
	var list []string
	for n := 1; n < 70; n++ {
		for _, c := range "abz" {
			list = append(list, strings.Repeat("x", n-1)+string(c))
		}
	}
	text = []byte(strings.Join(list, " "))
	var names Names
	names.reset(text, 0)
	at := 0
	for i, s := range list {
		if id := names.intern(at, at+len(s)); int(id) != i+1 {
			t.Fatalf("%q is %d, want %d", s, id, i+1)
		}
		at += len(s) + 1
	}
	for i, s := range list {
		if id := names.Find([]byte(s)); int(id) != i+1 || names.String(id) != s || !bytes.Equal(names.Bytes(id), []byte(s)) {
			t.Fatalf("%q found as %d", s, id)
		}
	}
	if names.Find([]byte("nowhere")) != 0 || names.Find(nil) != 0 || names.Bytes(0) != nil {
		t.Error("found a name that is not there")
	}
}
