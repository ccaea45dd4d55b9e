package driver

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// noCode begins what is said where code could not be generated.
const noCode = "Code generation for '"

// outcome is how one command line compares with the reference.
type outcome struct {
	exit, files bool
	stderr      bool // but for listed counts of registers
	words       bool // those too
}

// folder makes a folder with the shared files of the command-line cases.
func folder(t *testing.T, files []cases.File) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// newFiles lists what appeared in dir beside the given files, and removes it.
func newFiles(t *testing.T, dir string, files []cases.File) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range list {
		if !slices.ContainsFunc(files, func(f cases.File) bool { return f.Name == e.Name() }) {
			names = append(names, e.Name())
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	return names
}

// compare judges our run against what the reference did. Counts of registers
// that differ must be listed. Where the reference dies of a signal, what it said
// before must be said; a message that takes the place of the signal follows.
func compare(got oracle.Result, gotNew []string, c *cases.Case, counts *registerCounts) outcome {
	ours, theirs := reportLines(got.Stderr), reportLines(c.Stderr)
	if c.Exit < 0 && len(ours) == len(theirs)+1 {
		ours = ours[:len(theirs)]
	}
	o := outcome{
		exit:   got.Exit == c.Exit || c.Exit < 0 && got.Exit != 0,
		files:  slices.Equal(gotNew, append([]string{}, c.New...)),
		stderr: len(ours) == len(theirs),
		words:  slices.Equal(ours, theirs),
	}
	kernel := ""
	for k := range min(len(ours), len(theirs)) {
		if _, name, ok := strings.Cut(ours[k], " Function properties for "); ok {
			kernel = strings.TrimSpace(name)
		}
		o.stderr = o.stderr && (ours[k] == theirs[k] || counts.listed(kernel, ours[k], theirs[k]))
	}
	return o
}

// reportLines returns the lines of a report without what differs from run to run.
func reportLines(text string) []string {
	return slices.Collect(strings.Lines(cases.Normalise(text)))
}

// registerCounts are the counts of registers that the two compilers report of
// small kernels, where they differ: "KERNEL OURS THEIRS" and the reason.
type registerCounts struct {
	reasons map[string]string
	used    map[string]bool
}

// listed reports whether two lines differ in a listed count alone.
func (r *registerCounts) listed(kernel, ours, theirs string) bool {
	a, restA, okA := ownCount(ours)
	b, restB, okB := ownCount(theirs)
	key := kernel + " " + a + " " + b
	if !okA || !okB || restA != restB || r.reasons[key] == "" {
		return false
	}
	r.used[key] = true
	return true
}

// ownCount cuts out of a line what depends on how registers are given out: how
// many there are, or the bytes that are spilled and the frame that has them.
func ownCount(line string) (count, rest string, ok bool) {
	if head, tail, ok := strings.Cut(line, " info    : Used "); ok {
		count, tail, _ = strings.Cut(tail, " ")
		return count, head + tail, ok
	}
	head, tail, ok := strings.Cut(line, " bytes stack frame, ")
	return strings.Join(strings.Fields(head+" bytes frame, "+tail), "-"), "", ok
}

// readCounts reads the list of register counts.
func readCounts(t *testing.T, path string) *registerCounts {
	t.Helper()
	r := &registerCounts{map[string]string{}, map[string]bool{}}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) < 4 {
			t.Fatalf("%s: %q is not KERNEL OURS THEIRS REASON", path, line)
		}
		r.reasons[strings.Join(f[:3], " ")] = strings.Join(f[3:], " ")
	}
	return r
}

// readDifferences reads the checked-in list of known differences: a name, a
// blank, the reason.
func readDifferences(t *testing.T, path string) map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list := map[string]string{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		line := strings.TrimSpace(sc.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, reason, _ := strings.Cut(line, " ")
		if reason == "" {
			t.Errorf("%s: no reason given for %s", path, name)
		}
		list[name] = reason
	}
	return list
}

// TestCommandLines runs every observed command line. Exit code and files
// must be equal; differences in wording are listed by name, and so are lines
// whose options goptxas refuses, with a reason and no file.
func TestCommandLines(t *testing.T) {
	files, list := cases.CLI(t)
	known := readDifferences(t, filepath.Join("..", "..", "testdata", "cli", "differences.txt"))
	dir := folder(t, files)
	counts := readCounts(t, filepath.Join("..", "..", "testdata", "cli", "registers.txt"))
	var total, exitOK, filesOK, stderrOK, wordsOK int
	for i := range list {
		c := &list[i]
		got := runSelf(t, dir, c.Args...)
		gotNew := newFiles(t, dir, files)
		total++
		o := compare(got, gotNew, c, counts)
		exitOK += count(o.exit)
		filesOK += count(o.files)
		stderrOK += count(o.stderr)
		wordsOK += count(o.words)
		reason, listed := known[c.Name]
		same := o.exit && o.files && o.stderr
		switch {
		case !o.exit || !o.files:
			t.Errorf("%s: %q: exit %d, files %q; want %d, %q\n%s", c.Name, c.Args, got.Exit, gotNew, c.Exit, c.New, got.Stderr)
		case !same && !listed:
			t.Errorf("%s: %q: stderr\n%swant\n%s", c.Name, c.Args, got.Stderr, c.Stderr)
		case same && listed:
			t.Errorf("%s is listed as different (%s) but is equal", c.Name, reason)
		}
		delete(known, c.Name)
	}
	for name := range known {
		t.Errorf("differences.txt names %s, which is no case", name)
	}
	for row := range counts.reasons {
		if !counts.used[row] {
			t.Errorf("registers.txt has a row %q that no case needs", row)
		}
	}
	t.Logf("%d command lines: exit code equal in %d, files in %d, stderr in %d, in %d of them with counts of registers", total, exitOK, filesOK, stderrOK, wordsOK)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
