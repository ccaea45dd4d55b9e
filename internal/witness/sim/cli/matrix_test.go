package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// interpreted returns what the interpreter leaves of every launch, and nil
// if the architecture lacks an instruction. Where an H200 was asked, sm_90a
// leaves the same.
func interpreted(t *testing.T, k *zoo.Kernel, arch string) []zoo.Result {
	p, err := ptxvm.Load(k.File, k.Text, arch)
	if err != nil {
		return nil
	}
	var out []zoo.Result
	for n := range k.Launches {
		r, err := p.Run(&k.Launches[n], ptxvm.Options{Undefined: true})
		if err != nil {
			t.Fatalf("%s %s: %v", arch, k.File, err)
		}
		out = append(out, r)
	}
	return out
}

// TestMatrices runs our code for the kernels with matrix products, at once
// and timed, and compares with the interpreter, which adds as each machine
// does.
func TestMatrices(t *testing.T) {
	for _, arch := range []string{"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"} {
		var f figures
		none := 0
		for _, k := range zoo.Matrices(t) {
			if k.Want = interpreted(t, &k, arch); k.Want == nil {
				none++
				continue
			}
			f.kernel(t, &k, arch)
		}
		if f.refused > 0 {
			t.Errorf("%s: %d kernels are not compiled", arch, f.refused)
		}
		t.Logf("%s: %d of %d kernels as the interpreter has them, %d early reads, %d are none there", arch, f.right, f.kernels, f.reports, none)
	}
}

// TestMatricesReference runs the reference's code for them.
func TestMatricesReference(t *testing.T) {
	x := oracle.Find(t)
	var f figures
	for _, k := range zoo.Matrices(t) {
		k.Want = interpreted(t, &k, "sm_90a")
		b, err := x.Cubin(k.Path, "-arch=sm_90a")
		if err != nil {
			t.Errorf("%s: %v", k.File, err)
			continue
		}
		f.file(t, &k, b)
	}
	t.Logf("%d of %d kernels as the interpreter has them, %d early reads", f.right, f.kernels, f.reports)
}

// TestMatricesModes runs code of other levels, with few registers, and in
// serial mode.
func TestMatricesModes(t *testing.T) {
	for _, args := range [][]string{{"-O0"}, {"-O1"}, {"-maxrregcount=24"}, {"--knob", "SerialSchedule=true"}} {
		var f figures
		for _, k := range zoo.Matrices(t) {
			k.Want = interpreted(t, &k, "sm_90a")
			out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: k.File, Text: []byte(k.Text)}}, goptxas.Options{Arch: "sm_90a", Args: args})
			if err != nil && strings.Contains(err.Error(), "higher register target") { // runs of eight need more than 24
				f.refused++
				continue
			}
			if err != nil {
				t.Errorf("%v %s: %v", args, k.File, err)
				continue
			}
			f.file(t, &k, out.Cubin)
		}
		t.Logf("%v: %d of %d kernels as the interpreter has them, %d early reads, %d need more registers", args, f.right, f.kernels, f.reports, f.refused)
	}
}
