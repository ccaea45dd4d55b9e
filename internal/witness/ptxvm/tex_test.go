package ptxvm

import (
	"testing"

	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// TestTextures runs the kernels with textures and surfaces and compares every
// byte with what an H200 left.
func TestTextures(t *testing.T) {
	list := zoo.Textures(t)
	launches := 0
	for _, k := range list {
		p, err := Load(k.File, k.Text, "sm_90a")
		if err != nil {
			t.Error(err)
			continue
		}
		if k.Want == nil {
			t.Errorf("%s: no measured results", k.File)
			continue
		}
		for n := range k.Launches {
			out, err := p.Run(&k.Launches[n], Options{Undefined: true})
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
