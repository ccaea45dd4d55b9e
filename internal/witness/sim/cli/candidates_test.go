package cli

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/pipeline"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/hazard"
	"github.com/goptxas/goptxas/internal/witness/sim"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// words spells the settings of a candidate as options.
func words(how string) (args []string) {
	for s := range strings.FieldsSeq(how) {
		if strings.Contains(s, "/") {
			args = append(args, "--phase="+s)
		} else {
			args = append(args, "--knob="+s)
		}
	}
	return args
}

// TestCandidates compiles the zoo with settings that a search tries. The
// independent checker finds nothing, and every byte is as on the H200 where that
// is known.
// GOPTXAS_CANDIDATES says how many of each kernel, from which seed on.
func TestCandidates(t *testing.T) {
	each, seed := 1, uint64(1)
	if n, s, ok := strings.Cut(os.Getenv("GOPTXAS_CANDIDATES"), ","); ok {
		each, _ = strconv.Atoi(n)
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	list := append(zoo.List(t), zoo.Hopper(t)...)
	list = append(list, zoo.Matrices(t)...)
	if testing.Short() {
		list = list[:min(len(list), 12)]
	}
	var f figures
	compiled := 0
	for i := range list {
		k := &list[i]
		h := pipeline.NewSampler(seed+uint64(i), true)
		for range 7*i%40 + 1 { // another setting alone, or several at once
			h.Next()
		}
		for range each {
			args := words(h.Next())
			out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: k.File, Text: []byte(k.Text)}}, goptxas.Options{Arch: "sm_90a", Args: args})
			if err != nil {
				t.Fatalf("%s with %q: %v", k.File, args, err)
			}
			r, err := hazard.CheckCubin(target.Find("sm_90a"), out.Cubin, 5)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range r.Found {
				t.Errorf("%s with %q: %s", k.File, args, x)
			}
			m, err := sim.Load(out.Cubin)
			if err != nil {
				t.Fatal(err)
			}
			compiled++
			if len(k.Want) == len(k.Launches) { // what the H200 said is known
				f.launches(t, m, k, true)
			}
		}
	}
	t.Logf("%d candidates, %d of %d as on the H200, %d early reads", compiled, f.right, f.kernels, f.reports)
	if f.kernels < compiled/4 {
		t.Errorf("only %d of %d candidates ran", f.kernels, compiled)
	}
}
