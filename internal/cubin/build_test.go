package cubin

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"goptxas/internal/witness/corpus"
	"goptxas/internal/witness/oracle"
)

// rebuild lifts the facts of a file and builds it anew; "" when the bytes
// are the same.
func rebuild(b []byte) string {
	f, err := Read(b)
	if err != nil {
		return err.Error()
	}
	m, err := lift(f)
	if err != nil {
		return err.Error()
	}
	g, err := Build(m)
	if err != nil {
		return err.Error()
	}
	w, err := g.Write()
	if err != nil {
		return err.Error()
	}
	if !bytes.Equal(w, b) {
		return "differs at " + firstDifference(w, b)
	}
	return ""
}

// buildable tells the samples whose kinds Build makes: executable files
// without capsules, without -g and without texture references.
func buildable(name string) bool {
	for _, s := range [...]string{"-c", "-g", "sm_100", "sm_110", "sm_120", "tex."} {
		if strings.Contains(name, s) {
			return false
		}
	}
	return true
}

func TestBuildSamples(t *testing.T) {
	count := tally{}
	for _, s := range samples(t) {
		if !buildable(s.name) {
			continue
		}
		_, config, _ := strings.Cut(s.name, ".")
		why := rebuild(s.data)
		count.add(config, why == "")
		if why != "" {
			t.Errorf("%s: %s", s.name, why)
		}
	}
	t.Logf("equal to the reference: %s", count)
}

// TestBuildCorpus builds the files of real kernels from their facts.
func TestBuildCorpus(t *testing.T) {
	tools, c := oracle.Find(t), corpus.Find(t)
	dir := t.TempDir()
	count := tally{}
	for i, f := range c.Smoke() {
		full := os.Getenv("GOPTXAS_FULL") != ""
		if !full && (f.Bytes > 40000 || i%4 != 1) {
			continue
		}
		ptx, err := f.Read()
		if err != nil {
			t.Fatal(err)
		}
		for _, arch := range [...]string{"sm_90a", "sm_80", "sm_75", "sm_89"} {
			b := compile(t, tools, dir, retarget(ptx, arch), arch, "")
			if b == nil {
				continue
			}
			why := rebuild(b)
			count.add(arch, why == "")
			if why != "" {
				t.Errorf("%s %s: %s", f.Name, arch, why)
			}
		}
	}
	t.Logf("equal to the reference: %s", count)
}
