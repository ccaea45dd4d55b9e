package opgen

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sim"
	"github.com/goptxas/goptxas/internal/witness/sweep"
)

// TestMeaning asks of every form that a target takes whether the interpreter
// decodes it, and whether the simulator knows the instructions of its code.
func TestMeaning(t *testing.T) {
	all := allForms(t)
	for _, arch := range sweep.Of([]string{"sm_90a", "sm_100a", "sm_103a", "sm_110a", "sm_120a"}, []string{"sm_90a", "sm_100a"}) {
		t.Run(arch, func(t *testing.T) { askMeaning(t, all, arch) })
	}
}

func askMeaning(t *testing.T, all []string, arch string) {
	var taken []string
	for n, v := range ourVerdicts(all, arch) {
		if v == "" {
			taken = append(taken, all[n])
		}
	}
	for _, w := range []struct {
		name string
		good func(forms []string, arch string) bool
	}{{"the interpreter", decodes}, {"the simulator", simulates}} {
		lacks, known := failures{}, map[string]int{}
		for part := range slices.Chunk(taken, 40) {
			lacking(part, func(forms []string) bool { return w.good(forms, arch) }, func(f string) {
				if compile(sweepFile([]string{f}, arch), arch) != "" {
					return // TestGated knows why
				}
				for _, m := range meaningless {
					if m.forms.MatchString(f) {
						known[m.why]++
						return
					}
				}
				lacks[operation(f)] = append(lacks[operation(f)], f)
			})
		}
		for _, why := range slices.Sorted(maps.Keys(known)) {
			t.Logf("%s lacks %d of %d forms: %s", w.name, known[why], len(taken), why)
		}
		for _, op := range slices.Sorted(maps.Keys(lacks)) {
			t.Errorf("%s lacks %d of %s, as %s", w.name, len(lacks[op]), op, lacks[op][0])
		}
	}
}

// meaningless are the forms without a meaning, and why.
var meaningless = [...]struct {
	forms *regexp.Regexp
	why   string
}{
	{regexp.MustCompile(`im2col::w`), "boxes of images by columns alone: what lies where was never measured"},
	{regexp.MustCompile(`^(istypep|txq|suq)\.|^(tex|tld4|sured)\.`), "what the driver knows of textures, samples of a pixel and flags of residence: no launch describes them"},
	{regexp.MustCompile(`^mbarrier\.arrive(_drop)?\.noComplete\.`), "SYNCS.ARRIVE.TMASK, whose bytes at a barrier that is over were never measured"},
	{regexp.MustCompile(`%pm\d`), "counters of the machine"},
	{regexp.MustCompile(`^mov\.v4\.u32 .*%tid`), "four words of a special register at once, the last of which is open"},
}

// operation is the first words of a form.
func operation(f string) string {
	op, _, _ := strings.Cut(f, " ")
	w := strings.Split(op, ".")
	return strings.Join(w[:min(3, len(w))], ".")
}

// lacking tells the forms for which good is false.
func lacking(forms []string, good func([]string) bool, tell func(string)) {
	switch {
	case len(forms) == 0 || good(forms):
	case len(forms) == 1:
		tell(forms[0])
	default:
		n := len(forms) / 2
		lacking(forms[:n], good, tell)
		lacking(forms[n:], good, tell)
	}
}

func decodes(forms []string, arch string) bool {
	_, err := ptxvm.Load("form.ptx", sweepFile(forms, arch), arch)
	return err == nil
}

func simulates(forms []string, arch string) bool {
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "form.ptx", Text: []byte(sweepFile(forms, arch))}}, goptxas.Options{Arch: arch, Args: []string{"-O0"}})
	if err != nil {
		return false
	}
	m, err := sim.Load(out.Cubin)
	if err != nil {
		return false
	}
	for _, k := range m.Kernels() {
		if p, err := m.Kernel(k.Name); err != nil || len(p.Missing()) > 0 {
			return false
		}
	}
	return true
}
