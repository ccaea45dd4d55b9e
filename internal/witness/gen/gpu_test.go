package gen

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// TestGPU compares the interpreter with a report of gpurun zoo over a batch
// that TestWrite made: GOPTXAS_REPORT names the file. The reference's code and
// ours must both have left what the interpreter says.
func TestGPU(t *testing.T) {
	rows := zoo.Report[struct {
		Kernel, Mode, Outcome, Err string
		Ref, Ours                  *gpu.Result
	}](t)
	ref, our, notRun := 0, 0, 0
	for _, r := range rows {
		style := New
		if strings.HasPrefix(r.Kernel, "w") {
			style = NewWide
		}
		seed, err := strconv.ParseUint(r.Kernel[1:], 10, 64)
		if err != nil || r.Ref == nil || !r.Ref.OK() {
			notRun++
			continue
		}
		p := style(seed)
		out, err := interpret(p, ptxvm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var want []uint64
		for _, b := range out {
			if b != nil {
				want = append(want, gpu.Hash(b))
			}
		}
		if slices.Equal(r.Ref.Hash, want) {
			ref++
		} else {
			t.Errorf("%s: the reference's code leaves something else than the interpreter", r.Kernel)
		}
		switch {
		case r.Ours == nil:
			notRun++
		case slices.Equal(r.Ours.Hash, want):
			our++
		default:
			t.Errorf("%s %s: our code: %s %s", r.Kernel, r.Mode, r.Outcome, r.Err)
		}
	}
	t.Logf("%d rows: %d of the reference and %d of ours as the interpreter says, %d not run", len(rows), ref, our, notRun)
}
