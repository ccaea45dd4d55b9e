package zoo

import (
	"testing"

	"github.com/goptxas/goptxas/internal/witness/front"
)

// TestFrontEnd checks that our own front end takes every kernel without a
// word, and sees as many parameters as the launches have arguments.
func TestFrontEnd(t *testing.T) {
	files, funcs := 0, 0
	for _, k := range List(t) {
		x, err := front.Check(k.File, k.Text, "sm_90a")
		if err != nil || x.Messages != "" {
			t.Errorf("%s: %s", k.File, x.Messages)
			continue
		}
		m := x.Module
		params := map[string]int{}
		for i := range m.Funcs {
			params[m.Funcs[i].Name] = len(m.Funcs[i].Params)
			funcs++
		}
		for _, l := range k.Launches {
			if n := params[l.Kernel]; n != len(l.Args) {
				t.Errorf("%s: %s has %d parameters and %d arguments", k.File, l.Kernel, n, len(l.Args))
			}
		}
		files++
	}
	t.Logf("%d files, %d functions accepted", files, funcs)
}
