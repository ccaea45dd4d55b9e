package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/diag"
)

// TestTable looks for rows that contradict each other.
func TestTable(t *testing.T) {
	for i := range Table {
		o := &Table[i]
		if o.Long == "" || o.Help == "" {
			t.Errorf("row %d: %+v is not filled in", i, o)
		}
		if o.Kind != Flag && o.Arg == "" || o.Kind == Flag && o.Arg != "" {
			t.Errorf("%s: the name of its value is %q", o.Long, o.Arg)
		}
		if (o.Kind == Choice || o.Kind == Choices) && len(o.Choices()) == 0 {
			t.Errorf("%s: nothing to choose from", o.Long)
		}
		for _, c := range o.Choices() {
			if !o.takes(c) || o.takes(c+"x") {
				t.Errorf("%s: takes %s: %v, %sx: %v", o.Long, c, o.takes(c), c, o.takes(c+"x"))
			}
		}
		for k := range Table[:i] {
			p := &Table[k]
			if o.Long == p.Long || o.Short != "" && o.Short == p.Short {
				t.Errorf("%s and %s share a name", o.Long, p.Long)
			}
		}
	}
	t.Logf("%d options", len(Table))
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		in      string
		n       int64
		ok, big bool
	}{
		{"", 0, true, false},
		{"12", 12, true, false},
		{"-3", -3, true, false},
		{"+7", 7, true, false},
		{"0x1F", 31, true, false},
		{"-0Xb", -11, true, false},
		{"010", 8, true, false},
		{" 11", 11, true, false},
		{"11 ", 11, false, false},
		{"0x", 0, false, false},
		{"08", 0, false, false},
		{"1e3", 1, false, false},
		{"x", 0, false, false},
		{"-", 0, false, false},
		{" ", 0, false, false},
		{"9223372036854775807", 1<<63 - 1, true, false},
		{"-9223372036854775808", -1 << 63, true, false},
	} {
		n, ok, big := number(c.in)
		if ok != c.ok || big != c.big || ok && n != c.n {
			t.Errorf("number(%q) = %d, %v, %v", c.in, n, ok, big)
		}
	}
	if _, _, big := number("99999999999999999999x"); !big {
		t.Error("a number beyond 64 bits is not big")
	}
	for in, want := range map[string]int32{"4294967328": 32, "-4294967264": 32, "99999999999999999999": -1, "-5": -5, "0x28": 40} {
		if n, ok := wrapped(in); !ok || n != want {
			t.Errorf("wrapped(%q) = %d, %v, want %d", in, n, ok, want)
		}
	}
}

func TestSplitFile(t *testing.T) {
	for _, c := range []struct {
		in    string
		want  []string
		fault string
	}{
		{"-v\t-O1\r\n-o x", []string{"-v", "-O1", "-o", "x"}, ""},
		{`-o a\ b`, []string{"-o", "a b"}, ""},
		{`-o a"b c"d`, []string{"-o", "ab cd"}, ""},
		{`-o "a\"b c"`, []string{"-o", "ab c"}, ""},
		{`-o a\\b`, []string{"-o", `a\b`}, ""},
		{`-o a\\"b c"`, []string{"-o", `a\"b c`}, ""},
		{`-o ""`, []string{"-o", ""}, ""},
		{"-o 'a b'", []string{"-o", "'a", "b'"}, ""},
		{"a\\\nb", []string{"a\nb"}, ""},
		{"x\x00y", []string{"x"}, ""},
		{`"a`, nil, `Stray '"' character`},
		{`a\`, nil, `Stray '' character`},
	} {
		got, f := splitFile(c.in)
		if f != nil && f.Text != c.fault || f == nil && (c.fault != "" || !slices.Equal(got, c.want)) {
			t.Errorf("splitFile(%q) = %q, %v", c.in, got, f)
		}
	}
}

func TestSplitList(t *testing.T) {
	for in, want := range map[string][]string{
		"a,b": {"a", "b"}, " a ,,b , ": {"a", "b"}, "": nil, "a b": {"a b"},
		`"a,b"`: {"a,b"}, `k"1",x`: {"k1", "x"}, `a\,b`: {`a\`, "b"},
	} {
		if got, f := splitList(in); f != nil || !slices.Equal(got, want) {
			t.Errorf("splitList(%q) = %q, %v", in, got, f)
		}
	}
}

// TestNestedFiles proves that options files may name each other to a depth,
// and that a loop ends.
func TestNestedFiles(t *testing.T) {
	dir := t.TempDir()
	loop := filepath.Join(dir, "loop")
	if err := os.WriteFile(loop, []byte("-optf "+loop), 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, f := Parse([]string{"-optf", loop})
	if f == nil || f.Text != "Too many options file opened '"+loop+"'" {
		t.Errorf("a loop gave %v", f)
	}
	next := "-o end"
	for range maxDepth {
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, []byte(next), 0o644); err != nil {
			t.Fatal(err)
		}
		next = "-optf " + name
	}
	l, _, f := Parse(strings.Fields(next))
	if f != nil || l.Text(OutputFile, "") != "end" {
		t.Errorf("%d files inside each other gave %v", maxDepth, f)
	}
}

func TestCheckOrder(t *testing.T) {
	l, _, f := Parse(strings.Fields("-g -lineinfo -maxrregcount=300 -func-maxrregcount=3 -dlcm=ca -flcm=ca -regUsageLevel=99 -maxntid=1,2,3,4 -ewp -c -Ofc=min k.ptx"))
	if f != nil {
		t.Fatal(f)
	}
	var got []string
	s, f := Check(l, func(sev diag.Severity, text string) {
		if sev != diag.Warning {
			t.Errorf("%v: %s", sev, text)
		}
		got = append(got, strings.Fields(text)[0]+" "+strings.Fields(text)[2])
	})
	want := []string{
		"Value RegUsageLevel", "Conflicting '--compile-only'", "Conflicting --device-debug", "Conflicting '--device-debug'",
		"Conflicting '--device-debug'", "Conflicting force-load-cache", "Too maxrregcount", "For sm_75", "Conflicting -maxrregcount",
	}
	if f != nil || !slices.Equal(got, want) {
		t.Errorf("messages %q, fault %v", got, f)
	}
	if s.Opt != 0 || s.MaxRegs != 255 || s.FuncMaxRegs != 24 || s.MaxNTid != nil || s.Extensible || s.LineInfo || s.FastCompile != "" {
		t.Errorf("settings %+v", s)
	}
}

func TestHelpNamesEveryOption(t *testing.T) {
	var b bytes.Buffer
	WriteHelp(&b)
	text := b.String()
	for i := range Table {
		o := &Table[i]
		if !strings.Contains(text, "-"+o.Long) {
			t.Errorf("the help text lacks --%s", o.Long)
		}
	}
	for n, line := range strings.Split(text, "\n") {
		if len(line) > width {
			t.Errorf("help line %d is %d columns wide", n+1, len(line))
		}
	}
}

// FuzzParse: no command line makes the parser panic, and every fault has
// words.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"-O2 -m64 k.ptx", "-e a,\"b -ias x", "--opt-level= -maxntid=1,,2", "-po a=b,a=c", "-maxrregcount=0x -O=-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.Contains(s, "opt") {
			return // options files would read the disk
		}
		l, _, fault := Parse(strings.Split(s, " "))
		if fault == nil {
			_, fault = Check(l, func(diag.Severity, string) {})
		}
		if fault != nil && fault.Text == "" {
			t.Error("a fault without words")
		}
		if _, fault := splitFile(s); fault != nil && fault.Text == "" {
			t.Error("a fault without words")
		}
	})
}
