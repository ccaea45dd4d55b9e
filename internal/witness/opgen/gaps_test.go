package opgen

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/sweep"
)

// gatedForms are the instructions of the table that says which version and
// target each needs, without those of matrices in registers.
func gatedForms(t *testing.T) []string {
	return slices.DeleteFunc(allForms(t), tensorForm.MatchString)
}

// allForms are the instructions of the whole table.
func allForms(t *testing.T) []string {
	t.Helper()
	text := cases.Unzip(t, filepath.Join("..", "..", "..", "testdata", "ptx", "gating.tsv.gz"))
	var list []string
	for line := range strings.Lines(string(text)) {
		form, _, _ := strings.Cut(line, "\t")
		if !strings.HasPrefix(form, "#") && form != "form" {
			list = append(list, form)
		}
	}
	return list
}

var tensorForm = regexp.MustCompile(`^(mma|wmma|wgmma)\.`)

// open are the forms that have no code yet on some architectures.
var open = regexp.MustCompile(`^tex\.grad\.(a?cube)|` + // cubes with gradients
	`^cvta\.\S*\.u32 `) // a generic address of 32 bits

// TestGated compiles every form of the table of versions and targets for
// every architecture that takes it.
func TestGated(t *testing.T) {
	all := gatedForms(t)
	arches := []string{"sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a"}
	switch a := os.Getenv("SWEEP_ARCH"); {
	case a != "":
		arches = []string{a}
	case os.Getenv("GOPTXAS_FULL") != "":
		arches = append(arches, "sm_86", "sm_87", "sm_89", "sm_90", "sm_100", "sm_100f", "sm_103a", "sm_110a", "sm_120", "sm_121a")
	case !sweep.On():
		arches = []string{"sm_75", "sm_90a", "sm_120a"}
	}
	for _, arch := range arches {
		var taken []string
		for n, v := range ourVerdicts(all, arch) {
			if v == "" {
				taken = append(taken, all[n])
			}
		}
		failed, left := failures{}, map[string]int{}
		n, bad, listed := len(taken), 0, 0
		text := func(part []string) string { return sweepFile(part, arch) }
		faulty(taken, arch, text, func(f, msg string) {
			op, _, _ := strings.Cut(f, ".")
			switch {
			case strings.HasPrefix(msg, "front end"):
				n--
			case uncompiled.MatchString(f) || open.MatchString(f):
				listed++
				left[op]++
			default:
				failed[op] = append(failed[op], f+": "+msg)
				bad++
			}
		})
		t.Logf("%s: %d forms, %d are instructions: %d compile, %d do not, %d do not and are listed %v", arch, len(all), n, n-bad-listed, bad, listed, left)
		failed.report(t)
	}
}
