package ptxvm

import (
	"testing"

	"goptxas/internal/witness/zoo"
)

// TestMatrices runs the kernels with matrix products and compares every
// byte with what an H200 left.
func TestMatrices(t *testing.T) {
	list := zoo.Matrices(t)
	launches := 0
	for _, k := range list {
		p, err := Load(k.File, k.Text, "sm_90a")
		if err != nil || k.Want == nil {
			t.Errorf("%s: no measured results, or %v", k.File, err)
			continue
		}
		for n := range k.Launches {
			out, err := p.Run(&k.Launches[n], Options{Undefined: true, Races: true})
			if err != nil {
				t.Errorf("launch %d: %v", n, err)
				continue
			}
			if diff := k.Want[n].Compare(out); diff != "" {
				t.Errorf("%s: launch %d of %s: %s", k.File, n, k.Launches[n].Kernel, diff)
			}
			launches++
		}
	}
	t.Logf("%d launches of %d files", launches, len(list))
}
