package cases

import (
	"slices"
	"testing"
)

func TestEverythingParses(t *testing.T) {
	diag, accept := Diag(t), Accept(t)
	files, cli := CLI(t)
	for _, c := range slices.Concat(diag, accept) {
		if c.Input == nil {
			t.Errorf("%s has no input", c.Name)
		}
		if c.Exit == 0 != c.Output {
			// -arch=compute_* would be the only exception; no case uses it.
			t.Errorf("%s: exit %d, output %v", c.Name, c.Exit, c.Output)
		}
	}
	for _, c := range accept {
		if c.Exit != 0 {
			t.Errorf("%s: exit %d", c.Name, c.Exit)
		}
	}
	// Counts as the facts were delivered: a lost case must not pass unseen.
	if len(diag) != 3775 || len(accept) != 103 || len(cli) != 365 || len(files) == 0 {
		t.Errorf("%d diagnostic, %d accept, %d command-line cases, %d files", len(diag), len(accept), len(cli), len(files))
	}
	for _, name := range []string{"gating", "gating-directives", "features", "targets", "rejects"} {
		rows := Table(t, name)
		t.Logf("%s: %d rows of %d columns", name, len(rows)-1, len(rows[0]))
		if len(rows) < 2 {
			t.Errorf("%s is empty", name)
		}
	}
	t.Logf("%d diagnostic, %d accept, %d command-line cases beside %d files", len(diag), len(accept), len(cli), len(files))
}

func TestSplit(t *testing.T) {
	got, err := Split(`-o x  -ias "a \"b\" c" ""`)
	if want := []string{"-o", "x", "-ias", `a "b" c`, ""}; err != nil || !slices.Equal(got, want) {
		t.Errorf("Split gave %q, %v", got, err)
	}
	if _, err := Split(`"open`); err == nil {
		t.Error("an open quote was accepted")
	}
}

func TestNormalise(t *testing.T) {
	in := "ptxas info    : Compile time = 1.978 ms\nParse-time            : 6.483 ms (71.28%)\nptxas info    : STAT: CompileTime = 9.095000 ms (100%)\nPeakELFMemoryUsage              : 25.328 KB\n\tTotal Compile-Unit time        = 1.563 ms\n"
	want := "ptxas info    : Compile time = # ms\nParse-time            : # ms (#%)\nptxas info    : STAT: CompileTime = # ms (100%)\nPeakELFMemoryUsage              : # KB\n\tTotal Compile-Unit time        = # ms\n"
	if got := Normalise(in); got != want {
		t.Errorf("Normalise gave\n%s", got)
	}
}
