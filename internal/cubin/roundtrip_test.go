package cubin

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// roundTrip reads and writes a file and returns what is wrong with it, "" if
// nothing: other bytes, or anything the rules of Write did not give.
func roundTrip(b []byte) string {
	f, err := Read(b)
	if err != nil {
		return err.Error()
	}
	w, err := f.Write()
	if err != nil {
		return err.Error()
	}
	if !bytes.Equal(w, b) {
		return "differs at " + firstDifference(w, b)
	}
	if f.Odd != nil {
		return "departs from the rules"
	}
	return ""
}

func TestSamples(t *testing.T) {
	if *update {
		pack(t)
	}
	count := tally{}
	for _, s := range cases.Cubins(t) {
		_, config, _ := strings.Cut(s.Name, ".")
		why := roundTrip(s.Data)
		count.add(config, why == "")
		if why != "" {
			t.Errorf("%s: %s", s.Name, why)
		}
	}
	t.Logf("equal after Read and Write: %s", count)
}

var targetLine = regexp.MustCompile(`(?m)^\.target .*$`)

// retarget makes a file for another architecture of the same text.
func retarget(ptx []byte, arch string) string {
	return string(targetLine.ReplaceAll(ptx, []byte(".target "+arch)))
}

// TestCorpus reads and writes what the reference makes of real PTX: a sample
// by default, everything with GOPTXAS_FULL=1.
func TestCorpus(t *testing.T) {
	tools, c := oracle.Find(t), corpus.Find(t)
	full := os.Getenv("GOPTXAS_FULL") != ""
	count := tally{}
	check := func(f *corpus.File, arch, flags string) {
		ptx, err := f.Read()
		if err != nil {
			t.Fatal(err)
		}
		b := compile(tools, retarget(ptx, arch), arch, flags)
		if b == nil {
			return
		}
		why := roundTrip(b)
		count.add(arch+flags, why == "")
		if why != "" {
			t.Errorf("%s %s %s: %s", f.Name, arch, flags, why)
		}
	}
	flags := [...]string{"", "-lineinfo", "-g -O0", "-c"}
	for i, f := range c.Smoke() {
		if !full && (f.Bytes > 60000 || i%3 != 0) {
			continue
		}
		check(&f, "sm_90a", "")
		for j := range target.Archs {
			for k, fl := range flags {
				if full && ((i+j)%4 == k || target.Archs[j].Name == "sm_90a") || (i/3+j+5*k)%23 == 0 {
					check(&f, target.Archs[j].Name, fl)
				}
			}
		}
	}
	if full {
		for i := range c.Files {
			check(&c.Files[i], "sm_90a", "")
			check(&c.Files[i], "sm_90a", flags[1+i%3])
		}
	}
	t.Logf("equal after Read and Write: %s", count)
}
