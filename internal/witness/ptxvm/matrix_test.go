package ptxvm

import (
	"testing"

	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// TestMatrices runs the kernels with matrix products: they read nothing
// undefined and have no races, other orders of threads leave the same bytes,
// and where an H200 was asked those are its.
func TestMatrices(t *testing.T) {
	list := zoo.Matrices(t)
	launches := 0
	for _, k := range list {
		p, err := Load(k.File, k.Text, "sm_90a")
		if err != nil {
			t.Error(err)
			continue
		}
		for n := range k.Launches {
			out, err := p.Run(&k.Launches[n], Options{Undefined: true, Races: true})
			if err != nil {
				t.Errorf("launch %d: %v", n, err)
				continue
			}
			again, err := p.Run(&k.Launches[n], Options{Schedule: 1})
			if err != nil {
				t.Errorf("launch %d: %v", n, err)
				continue
			}
			wants := []zoo.Result{again}
			if k.Want != nil {
				wants = append(wants, k.Want[n])
			}
			for _, want := range wants {
				if diff := want.Compare(out); diff != "" {
					t.Errorf("%s: launch %d of %s: %s", k.File, n, k.Launches[n].Kernel, diff)
				}
			}
			launches++
		}
	}
	t.Logf("%d launches of %d files", launches, len(list))
}
