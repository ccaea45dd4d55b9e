package opgen

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/sweep"
)

var (
	versionLine = regexp.MustCompile(`(?m)^\.version.*$`)
	targetLine  = regexp.MustCompile(`(?m)^\.target.*$`)
)

// results simulates every launch of a text: the buffers of all of them.
func results(file []byte, text string) ([][]byte, error) {
	all, err := runAll(file, text)
	return slices.Concat(all...), err
}

// machine tells what depends on the machine itself: how many multiprocessors
// it has, where shared memory begins.
var machine = regexp.MustCompile(`special_regs|approx|generic_addr|smem_`)

// TestArches compiles the zoo for every architecture that has its
// instructions, and simulates it: the results are those of sm_90. Where no
// sweep is wanted each kernel is compiled for a third of them.
func TestArches(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "zoo", "*.ptx"))
	if err != nil || len(files) == 0 {
		t.Fatal("no zoo")
	}
	arches := []string{"sm_75", "sm_80", "sm_86", "sm_89", "sm_100a", "sm_103a", "sm_110a", "sm_120a", "sm_121a"}
	figures := make([]struct{ compiled, equal, refused, beyond int }, len(arches))
	for at, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := versionLine.ReplaceAllString(string(data), ".version 9.0")
		_, ref := compileFile(targetLine.ReplaceAllString(text, ".target sm_90"), "sm_90")
		want, noRef := results(ref, text)
		for n, arch := range arches {
			if !sweep.Takes(at+n, 3) {
				continue
			}
			f := &figures[n]
			old := targetLine.ReplaceAllString(text, ".target "+arch)
			msg, code := compileFile(old, arch)
			if strings.HasPrefix(msg, "front end") {
				f.refused++
				continue
			}
			if msg != "" {
				t.Errorf("%s for %s: %s", filepath.Base(file), arch, msg)
				continue
			}
			f.compiled++
			got, err := results(code, old)
			if err != nil {
				f.beyond++
				t.Errorf("%s for %s: %v", filepath.Base(file), arch, err)
				continue
			}
			if noRef != nil {
				t.Fatalf("%s for sm_90: %v", filepath.Base(file), noRef)
			}
			switch {
			case slices.EqualFunc(got, want, bytes.Equal):
				f.equal++
			case !machine.MatchString(file):
				t.Errorf("%s for %s: other results than for sm_90", filepath.Base(file), arch)
			}
		}
	}
	for n, f := range figures {
		t.Logf("%s: %d kernels compiled, %d with the results of sm_90, %d refused by the front end, %d beyond the simulator", arches[n], f.compiled, f.equal, f.refused, f.beyond)
	}
}
