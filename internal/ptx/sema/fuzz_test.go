package sema_test

import (
	"os"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/corpus"
)

// placeless are the errors that the reference, too, prints without a place.
var placeless = [...]string{
	"Ptx assembly aborted", "Unexpected non-ASCII", "Unexpected EOF", "Input file is too large",
	"Debug information not found", "Feature 'unified Functions'", "Memory allocation failure",
	"SM version specified", "PTX with .target", "Program with .target",
	"Unresolved extern", "Unresolved label", "Cannot take address", "Line No: ",
	" 32-Bit", "Pragma '", "Argument(s) to pragma", "Invalid value '",
	"File uses too much", "Entry function '", "In ABI compilation, ", "'Compile only(-c)' requires ABI", " 64 Bit host architecture",
}

// FuzzCheck looks for panics, hangs and errors without a place.
func FuzzCheck(f *testing.F) {
	for _, c := range cases.Diag(f) {
		if len(c.Input) < 4096 {
			f.Add(c.Input)
		}
	}
	for _, c := range cases.Accept(f) {
		f.Add(c.Input)
	}
	if _, err := os.Stat(corpus.Dir()); err == nil {
		for _, s := range corpus.Find(f).Smoke() {
			if text, err := s.Read(); err == nil && len(text) < 16<<10 {
				f.Add(text)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := check(text, []string{"-arch=sm_90a"})
		if (got.exit != 0) != hasError(got.stderr) {
			t.Errorf("exit %d with\n%s", got.exit, got.stderr)
		}
		for line := range strings.Lines(got.stderr) {
			what, ok := strings.CutPrefix(line, "ptxas error   : ")
			if !ok {
				if what, ok = strings.CutPrefix(line, "ptxas fatal   : "); !ok {
					continue
				}
			}
			if !isPlaceless(what) {
				t.Errorf("no place: %s", line)
			}
		}
	})
}

func isPlaceless(what string) bool {
	for _, p := range placeless {
		if strings.HasPrefix(what, p) {
			return true
		}
	}
	return false
}

func hasError(stderr string) bool {
	return strings.Contains(stderr, "error   : ") || strings.Contains(stderr, "fatal   : ")
}
