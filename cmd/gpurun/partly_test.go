package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sim"
	"github.com/goptxas/goptxas/internal/witness/sweep"
)

// TestPartlyOptimised compiles files of the corpus with none, half and random
// parts of the optional rewrites, as bisection does, and compares what their
// kernels leave in the simulator with the interpreter: no rewrite may need
// another. Which products and sums are rounded once is left open by PTX, so
// none is. Launches whose results are open otherwise differ with all rewrites,
// too.
func TestPartlyOptimised(t *testing.T) {
	const all, most, limit = "y", 40 << 10, 2 * time.Second
	ran := 0
	for n, file := range corpus.Find(t).Smoke() {
		text, err := file.Read()
		if err != nil {
			t.Fatal(err)
		}
		every := 12
		if bytes.Contains(text, []byte("cp.async.c")) {
			every = 4 // few files have predicates that become known
		}
		if !sweep.Takes(n, every) || len(text) > most && !sweep.On() {
			continue
		}
		name, arch := filepath.Base(file.Path), archOf(string(text))
		launches, err := planFile(name, string(text), 1, limit, nil)
		if err != nil {
			t.Fatal(err)
		}
		vm, err := ptxvm.Load(name, string(text), arch)
		launches = slices.DeleteFunc(launches, func(p planned) bool { return err != nil || p.Note != "" })
		r := rand.New(rand.NewPCG(uint64(n), 0))
		for _, pattern := range []string{all, "n", "0", fmt.Sprintf("%03b", r.IntN(8)), fmt.Sprintf("%03b+%03b+%03b", r.IntN(8), r.IntN(8), r.IntN(8))} {
			out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: name, Text: text}},
				goptxas.Options{Arch: arch, Args: []string{"--fmad=false", "--knob", "Bisect=" + pattern}})
			if err != nil {
				t.Errorf("%s with Bisect=%s: %v", name, pattern, err)
				continue
			}
			cubin := filepath.Join(t.TempDir(), "partly.cubin")
			if err := os.WriteFile(cubin, out.Cubin, 0o600); err != nil {
				t.Fatal(err)
			}
			launches = slices.DeleteFunc(launches, func(p planned) bool {
				bad := beside(vm, &p, cubin)
				if bad != "" && pattern != all {
					t.Errorf("%s, %s with Bisect=%s: %s", name, p.Launch.Kernel, pattern, bad)
				}
				ran++
				return bad != ""
			})
		}
	}
	t.Logf("%d launches", ran)
}

// beside compares a planned launch in the simulator with the interpreter; ""
// is agreement.
func beside(vm *ptxvm.Program, p *planned, cubin string) string {
	out, st, err := vm.RunStats(&p.Launch, ptxvm.Options{})
	if err != nil {
		return err.Error()
	}
	res, got := simulateOne(cubin, &p.Launch, false, sim.Async{})
	if !res.OK() {
		return res.Err
	}
	for k, want := range inOrder(&p.Launch, out, st.Inside) {
		if k < len(got) && !sameButAddresses(want, got[k]) {
			return firstDifference([][]byte{want}, [][]byte{got[k]}, 8)
		}
	}
	return ""
}
