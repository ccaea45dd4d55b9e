// Package cases reads the observed behaviour of the reference that testdata/
// keeps: inputs with the exit code and the exact words that answered them,
// and the tables of instruction forms. Front-end and driver tests share it.
package cases

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Case is one run of the reference. A diagnostic or accept case is the run
// `ptxas ARGS -o out.cubin in.ptx` in an empty folder with Input as in.ptx;
// a command-line case is `ptxas ARGS` in a folder with the shared files.
type Case struct {
	Name   string // kind/name
	Input  []byte // text of in.ptx; nil for command-line cases
	Args   []string
	Exit   int      // negative: the reference died of that signal
	Output bool     // whether out.cubin was written
	New    []string // command-line cases: the files that appeared
	Stdout string
	Stderr string // times and memory sizes are written #
}

// Kind returns the group the case belongs to: the part of its name before
// the last slash.
func (c *Case) Kind() string {
	if i := strings.LastIndexByte(c.Name, '/'); i >= 0 {
		return c.Name[:i]
	}
	return ""
}

// Diag returns every diagnostic case, in the order of the files.
func Diag(t testing.TB) []Case {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(testdata(), "ptx", "diag", "*.txtar.gz"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no diagnostic cases: %v", err)
	}
	var list []Case
	for _, n := range names {
		list = append(list, load(t, n)...)
	}
	return list
}

// Accept returns the cases the reference accepts.
func Accept(t testing.TB) []Case {
	t.Helper()
	return load(t, filepath.Join(testdata(), "ptx", "accept.txtar.gz"))
}

// File is one of the files the command-line cases find in their folder.
type File struct {
	Name string
	Data []byte
}

// CLI returns the command-line cases and the files they run beside.
func CLI(t testing.TB) ([]File, []Case) {
	t.Helper()
	a := archive(t, filepath.Join(testdata(), "cli", "cases.txtar.gz"))
	var files []File
	for _, f := range a.Files {
		if name, ok := strings.CutPrefix(f.Name, "files/"); ok {
			files = append(files, File{name, f.Data})
		}
	}
	list, err := parse(a)
	if err != nil {
		t.Fatal(err)
	}
	return files, list
}

// Table returns the rows of testdata/ptx/NAME.tsv.gz, the header row first,
// comment lines left out.
func Table(t testing.TB, name string) [][]string {
	t.Helper()
	var rows [][]string
	for line := range strings.Lines(string(Unzip(t, filepath.Join(testdata(), "ptx", name+".tsv.gz")))) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		rows = append(rows, strings.Split(line, "\t"))
	}
	return rows
}

// testdata finds the repository's testdata folder above the current one.
func testdata() string {
	dir, err := os.Getwd()
	if err != nil {
		return "testdata"
	}
	for d := dir; d != filepath.Dir(d); d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return filepath.Join(d, "testdata")
		}
	}
	return "testdata"
}

func load(t testing.TB, path string) []Case {
	t.Helper()
	list, err := parse(archive(t, path))
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(path), err)
	}
	return list
}

func archive(t testing.TB, path string) *txtar.Archive {
	t.Helper()
	return txtar.Parse(Unzip(t, path))
}

// Cubin is a file that the reference wrote; its name is that of its source,
// the architecture and the flags it was compiled with.
type Cubin struct {
	Name string
	Data []byte
}

// Cubins returns the packed files of testdata/cubin.
func Cubins(t testing.TB) []Cubin {
	t.Helper()
	var list []Cubin
	for r := tar.NewReader(bytes.NewReader(Unzip(t, filepath.Join(testdata(), "cubin", "samples.tar.gz")))); ; {
		h, err := r.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, Cubin{h.Name, b})
	}
}

// Unzip returns what a packed file holds.
func Unzip(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return data
}

// parse turns the members NAME.ptx (or NAME.ptxq, one Go-quoted string) and
// NAME.want into cases, in order of the .want members.
func parse(a *txtar.Archive) ([]Case, error) {
	inputs := map[string][]byte{}
	var list []Case
	for _, f := range a.Files {
		switch name := f.Name; {
		case strings.HasPrefix(name, "files/"):
		case strings.HasSuffix(name, ".ptx"):
			inputs[strings.TrimSuffix(name, ".ptx")] = f.Data
		case strings.HasSuffix(name, ".ptxq"):
			s, err := strconv.Unquote(strings.TrimSpace(string(f.Data)))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			inputs[strings.TrimSuffix(name, ".ptxq")] = []byte(s)
		case strings.HasSuffix(name, ".want"):
			c, err := parseWant(f.Data)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			c.Name = strings.TrimSuffix(name, ".want")
			c.Input = inputs[c.Name]
			list = append(list, c)
		default:
			return nil, fmt.Errorf("unexpected member %s", name)
		}
	}
	return list, nil
}

func parseWant(data []byte) (c Case, err error) {
	var stream *string
	for raw := range bytes.Lines(data) {
		line := strings.TrimSuffix(string(raw), "\n")
		key, val, _ := strings.Cut(line, ":")
		val = strings.TrimPrefix(val, " ")
		switch {
		case line == "stderr:":
			stream = &c.Stderr
		case line == "stdout:":
			stream = &c.Stdout
		case stream != nil:
			*stream += line + "\n"
		case key == "args":
			c.Args, err = Split(val)
		case key == "exit":
			c.Exit, err = strconv.Atoi(val)
		case key == "output":
			c.Output = val == "yes"
		case key == "new":
			c.New = strings.Fields(val)
		default:
			err = fmt.Errorf("unexpected line %q", line)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// Split cuts a command line into words; "…" quotes blanks and the empty
// word, and backslash keeps the next character inside quotes.
func Split(s string) ([]string, error) {
	var words []string
	var w strings.Builder
	quoted, started := false, false
	for i := 0; i < len(s); i++ {
		switch ch := s[i]; {
		case ch == '"':
			quoted, started = !quoted, true
		case ch == '\\' && quoted && i+1 < len(s):
			i++
			w.WriteByte(s[i])
		case ch == ' ' && !quoted:
			if started {
				words = append(words, w.String())
				w.Reset()
				started = false
			}
		default:
			w.WriteByte(ch)
			started = true
		}
	}
	if quoted {
		return nil, fmt.Errorf("open quote in %q", s)
	}
	if started {
		words = append(words, w.String())
	}
	return words, nil
}

// varying lists the texts between which a number changes from run to run.
var varying = [...]struct{ before, after string }{
	{"Compile time = ", " ms"},
	{"CompileTime = ", " ms"},
	{"time        = ", " ms"},
	{": ", " ms"},
	{" ms (", "%)"},
	{"PeakMemoryUsage = ", " KB"},
	{": ", " KB"},
	{"memory usage = ", " KB"},
}

// Normalise writes # for every time and memory size in a report, so that two
// runs can be compared.
func Normalise(s string) string {
	var out strings.Builder
	for line := range strings.Lines(s) {
		for _, v := range varying {
			line = blank(line, v.before, v.after)
		}
		out.WriteString(line)
	}
	return out.String()
}

// blank replaces a decimal number between before and after with #. A whole
// 100 % stays: the reference prints it as a word, not as a measurement.
func blank(line, before, after string) string {
	head, rest, ok := strings.Cut(line, before)
	if !ok {
		return line
	}
	n := 0
	for n < len(rest) && (rest[n] >= '0' && rest[n] <= '9' || rest[n] == '.') {
		n++
	}
	if n == 0 || rest[:n] == "100" || !strings.HasPrefix(rest[n:], after) {
		return line
	}
	return head + before + "#" + rest[n:]
}
