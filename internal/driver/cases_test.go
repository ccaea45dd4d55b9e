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
	exit, files, stderr bool
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

// compare judges our run against what the reference did.
func compare(got oracle.Result, gotNew []string, c *cases.Case) outcome {
	ours, theirs := comparable(got.Stderr), comparable(c.Stderr)
	o := outcome{
		exit:   got.Exit == c.Exit || c.Exit < 0 && got.Exit != 0,
		files:  slices.Equal(gotNew, append([]string{}, c.New...)),
		stderr: slices.Equal(ours, theirs),
	}
	return o
}

// comparable returns the lines of a report without what differs from run to
// run and from compiler to compiler: times, registers and spills.
func comparable(text string) []string {
	var lines []string
	for line := range strings.Lines(cases.Normalise(text)) {
		lines = append(lines, hideCode(line))
	}
	return lines
}

// hideCode replaces the numbers in a line that depend on how registers are
// allocated.
func hideCode(line string) string {
	if head, rest, ok := strings.Cut(line, " info    : Used "); ok {
		_, rest, _ = strings.Cut(rest, " ")
		return head + " info    : Used # " + rest
	}
	if frame, _, ok := strings.Cut(line, " stack frame, "); ok {
		return frame + " stack frame\n"
	}
	return line
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
	refused := readDifferences(t, filepath.Join("..", "..", "testdata", "cli", "refused.txt"))
	var total, refusals, exitOK, filesOK, stderrOK int
	for i := range list {
		c := &list[i]
		got := runSelf(t, dir, c.Args...)
		gotNew := newFiles(t, dir, files)
		total++
		if reason, ok := refused[c.Name]; ok {
			if got.Exit != Failed || len(gotNew) > 0 || !strings.Contains(got.Stderr, noCode) || c.Exit != 0 {
				t.Errorf("%s is listed as refused (%s): exit %d, files %q\n%s", c.Name, reason, got.Exit, gotNew, got.Stderr)
			}
			refusals++
			delete(refused, c.Name)
			continue
		}
		o := compare(got, gotNew, c)
		exitOK += count(o.exit)
		filesOK += count(o.files)
		stderrOK += count(o.stderr)
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
	for name := range refused {
		t.Errorf("refused.txt names %s, which is no case", name)
	}
	t.Logf("%d command lines: exit code equal in %d, files in %d, stderr in %d; %d are refused",
		total, exitOK, filesOK, stderrOK, refusals)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
