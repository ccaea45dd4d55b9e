package gosass

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/gosass/dis"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// run runs the command line in dir and returns exit code and streams.
func run(args ...string) (int, string, string) {
	var out, errs bytes.Buffer
	code := Main(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func write(t *testing.T, dir, name string, b []byte) string {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.WriteFile(p, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCommands(t *testing.T) {
	dir := t.TempDir()
	a := write(t, dir, "a.cubin", find(t, "funcs.sm_90a"))
	b := write(t, dir, "b.cubin", find(t, "funcs.sm_80"))
	out := filepath.Join(dir, "out.cubin")
	code, src, errs := run("dis", a)
	if code != 0 {
		t.Fatal(errs)
	}
	s := write(t, dir, "a.sass", []byte(src))
	if code, _, errs := run("asm", s, "-o", out); code != 0 {
		t.Fatal(errs)
	}
	if !bytes.Equal(readFile(t, out), readFile(t, a)) {
		t.Error("asm of dis gives another file")
	}
	for _, c := range [...]struct {
		args []string
		code int
		want string
	}{
		{[]string{"info", a}, 0, "kernel    k1"},
		{[]string{"diff", a, a}, 0, ""},
		{[]string{"diff", a, b}, 1, "architecture sm_90a | sm_80"},
		{[]string{"dis", "-c", "-f", "k2", a}, 0, ".text.k2"},
		{[]string{"dis", "-ctrl", a}, 0, "/* B------:R"},
		{[]string{"dis", "-lrm", a}, 0, "| GPR #"},
		{[]string{"dis", "-cfg", a}, 0, "digraph f {"},
		{[]string{"dis", "-json", a}, 0, `"function-name":"$k1$inner"`},
		{[]string{"dis", "-f", "nobody", a}, 3, ""},
		{[]string{"dis", filepath.Join(dir, "none")}, 3, ""},
		{[]string{"dis"}, 2, ""},
		{[]string{"dis", "-arch", "sm_1", a}, 2, ""},
		{[]string{"asm", s}, 2, ""},
		{[]string{"eat"}, 2, ""},
		{nil, 2, ""},
	} {
		code, text, errs := run(c.args...)
		if code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%v: exit %d, want %d with %q: %s", c.args, code, c.code, c.want, errs)
		}
		if (c.code > 1) != (errs != "") {
			t.Errorf("%v: message %q", c.args, errs)
		}
	}
}

// TestRawRound: raw words to text and back.
func TestRawRound(t *testing.T) {
	dir := t.TempDir()
	code := read(t, find(t, "base.sm_90a")).Functions()[0].Code
	bin := write(t, dir, "a.bin", code)
	exit, text, errs := run("dis", "-raw", "-arch", "sm_90a", bin)
	if exit != 0 {
		t.Fatal(errs)
	}
	if n := strings.Count(text, "\n"); n != len(code)/sass.WordBytes {
		t.Errorf("%d lines for %d instructions", n, len(code)/sass.WordBytes)
	}
	src := write(t, dir, "a.sass", []byte(text))
	out := filepath.Join(dir, "b.bin")
	if exit, _, errs := run("asm", "-arch", "sm_90a", src, "-o", out); exit != 0 {
		t.Fatal(errs)
	}
	if n := len(readFile(t, out)); n != len(code) {
		t.Errorf("%d bytes, want %d", n, len(code))
	}
}

// TestJSON: the text is JSON and names every function.
func TestJSON(t *testing.T) {
	b, err := dis.JSON(read(t, find(t, "funcs.sm_90a")), &dis.Options{Hex: true, Ctrl: true})
	if err != nil {
		t.Fatal(err)
	}
	var v []json.RawMessage
	if err := json.Unmarshal(b, &v); err != nil || len(v) != 2 {
		t.Fatal(err)
	}
	var funcs []struct {
		Code []struct{ Word, Control string } `json:"sass-instructions"`
	}
	if err := json.Unmarshal(v[1], &funcs); err != nil {
		t.Fatal(err)
	}
	if len(funcs) != 8 || len(funcs[0].Code) == 0 || funcs[0].Code[0].Word == "" || funcs[0].Code[0].Control == "" {
		t.Errorf("%d functions", len(funcs))
	}
}

// TestLife: R1 of a kernel with a frame is alive until its last use, a dead
// register has no mark.
func TestLife(t *testing.T) {
	b, err := dis.Life(read(t, find(t, "local.sm_90a")), &dis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(b), "\n")
	defs, uses := 0, 0
	for _, l := range lines {
		if _, row, ok := strings.Cut(l, "// |"); ok && strings.Contains(l, "/*") {
			defs += strings.Count(row, "^") + strings.Count(row, "x")
			uses += strings.Count(row, "v") + strings.Count(row, "x")
		}
	}
	if defs < 5 || uses < 5 {
		t.Errorf("%d definitions, %d uses in\n%s", defs, uses, b)
	}
}

// TestFatbin finds cubins in fat binaries of the reference, plain and
// compressed, and refuses damaged ones.
func TestFatbin(t *testing.T) {
	tools := oracle.Find(t)
	dir := t.TempDir()
	cubin := find(t, "helpers.sm_90a")
	write(t, dir, "a.cubin", cubin)
	for _, c := range [...]struct {
		flags string
		ok    bool
	}{{"-compress=false", true}, {"-compress-all -compress-mode=speed", true}, {"-compress-all -compress-mode=size", false}} {
		args := append(strings.Fields(c.flags), "-create=a.fatbin", "-image3=kind=elf,sm=90,file=a.cubin")
		if r := tools.Run(dir, "fatbinary", args...); r.Exit != 0 {
			t.Fatal(r.Stderr)
		}
		fat := readFile(t, filepath.Join(dir, "a.fatbin"))
		list, err := Images(fat)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.flags, err)
			continue
		}
		if c.ok && (len(list) != 1 || !bytes.Equal(list[0].Data, cubin)) {
			t.Errorf("%s: %d images, not the file that went in", c.flags, len(list))
		}
		host := append([]byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x3e\x00\x00\x00\x00\x00"), fat...)
		if list, err := Images(host); c.ok && (err != nil || len(list) != 1) {
			t.Errorf("%s inside a host file: %d images, %v", c.flags, len(list), err)
		}
		for n := 0; n < len(fat); n += 97 {
			_, _ = Images(fat[:n])
		}
	}
}

// FuzzImages: no bytes make the search for cubins panic.
func FuzzImages(f *testing.F) {
	head := []byte("\x50\xed\x55\xba\x01\x00\x10\x00\x50\x00\x00\x00\x00\x00\x00\x00" +
		"\x02\x00\x01\x01\x40\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x08\x00\x01\x00\x5a\x00\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x00\x11\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00" +
		"\xf0\x00abcdefghijklmn")
	f.Add(head)
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = Images(b) })
}

func TestVersion(t *testing.T) {
	var out, errs bytes.Buffer
	if code := Main([]string{"--version"}, nil, &out, &errs); code != exitOK || !strings.HasPrefix(out.String(), "gosass "+cli.OwnVersion+",") || errs.Len() > 0 {
		t.Errorf("exit %d, %q, %q", code, out.String(), errs.String())
	}
}
