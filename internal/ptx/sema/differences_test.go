package sema_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/corpus"
)

// differencesFile lists where we and the reference part. Each line is
//
//	table <tab> name <tab> what differs <tab> reason
//
// and a line too many is as wrong as a line too few.
func differencesFile() string {
	return filepath.Join(corpus.Root(), "testdata", "ptx", "differences.txt")
}

// listed reads the lines of one table: name → what differs.
func listed(t *testing.T, table string) map[string]string {
	t.Helper()
	f, err := os.Open(differencesFile())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list := map[string]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		p := strings.Split(line, "\t")
		if len(p) != 4 || p[3] == "" {
			t.Fatalf("differences.txt: %q", line)
		}
		if p[0] == table {
			list[p[1]] = p[2]
		}
	}
	return list
}

// compareListed fails for differences that are not listed and for listed
// ones that are gone.
func compareListed(t *testing.T, table string, found map[string]string) {
	t.Helper()
	want := listed(t, table)
	var names []string
	for n := range found {
		names = append(names, n)
	}
	for n := range want {
		if _, ok := found[n]; !ok {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	for _, n := range names {
		switch {
		case found[n] == "":
			t.Errorf("differences.txt is stale: %s %s agrees now", table, n)
		case want[n] != found[n]:
			t.Errorf("not in differences.txt: %s\t%s\t%s", table, n, found[n])
		}
	}
}

// needsCode reports whether the reference's answer comes from generating
// code: the -v report, messages numbered (C…), and what -warn-lmem-usage and
// -warn-spills find. Such cases are judged without those lines.
func needsCode(c *cases.Case) bool {
	for _, a := range c.Args {
		switch strings.TrimLeft(a, "-") {
		case "v", "verbose", "warn-lmem-usage", "warn-spills":
			return true
		}
	}
	return strings.Contains(c.Stderr, ": (C")
}

// withoutCode removes the lines that only code generation can print.
func withoutCode(stderr string) string {
	var keep []string
	for line := range strings.Lines(stderr) {
		body, info := strings.CutPrefix(line, "ptxas info    : ")
		switch {
		case strings.HasPrefix(line, " "), strings.Contains(line, "Local memory used for function"):
		case info && (strings.HasPrefix(body, "(C") || strings.Contains(body, "bytes gmem") ||
			strings.HasPrefix(body, "Compiling entry function") || strings.HasPrefix(body, "Function properties") ||
			strings.HasPrefix(body, "Used ") || strings.HasPrefix(body, "Compile time") ||
			strings.HasPrefix(body, "Overriding maximum register")):
		default:
			keep = append(keep, line)
		}
	}
	return strings.Join(keep, "")
}

// TestDiagnostics compares exit code, first line and whole of the messages
// with what the reference said.
func TestDiagnostics(t *testing.T) {
	list := cases.Diag(t)
	found := map[string]string{}
	var exits, firsts, wholes, apart int
	for i := range list {
		c := &list[i]
		got := check(c.Input, c.Args)
		exit, stderr := c.Exit, c.Stderr
		if needsCode(c) {
			apart++
			stderr = withoutCode(stderr)
		}
		if exit < 0 {
			exit, stderr = 255, got.stderr // the reference crashed: any clean refusal is right
			if !hasError(got.stderr) {
				stderr = "an error"
			}
		}
		e := got.exit == exit
		f := e && firstLine(got.stderr) == firstLine(stderr)
		w := f && got.stderr == stderr
		exits, firsts, wholes = exits+b2i(e), firsts+b2i(f), wholes+b2i(w)
		switch {
		case !e:
			found[c.Name] = "exit"
		case !f:
			found[c.Name] = "first line"
		case !w:
			found[c.Name] = "rest"
		}
		if !w && testing.Verbose() {
			t.Logf("%s %v\n got %d %s\nwant %d %s", c.Name, c.Args, got.exit, got.stderr, exit, stderr)
		}
	}
	compareListed(t, "diag", found)
	n := len(list)
	t.Logf("%d cases: exit %s, first line %s, whole %s; %d judged without the lines of code generation",
		n, percent(exits, n), percent(firsts, n), percent(wholes, n), apart)
}

func percent(k, n int) string { return fmt.Sprintf("%d (%.1f%%)", k, 100*float64(k)/float64(n)) }
