package emit

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// TestFitsTableJump: a jump through a table takes its index from a general
// register, however many labels it has.
func TestFitsTableJump(t *testing.T) {
	for index, want := range map[string]bool{"r0": true, "u1": false} {
		m, err := ori.Parse("func f {\n  reg r0 2/2\n  reg u1 2/2\n  b0: -> b1\n    BRX " + index + ", 0x0, b1, b1, b1\n  b1:\n    EXIT\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		if got := Fits(target.Find("sm_90a"), f)(f.Blocks[0].Last()); got != want {
			t.Errorf("index in %s: %v, want %v", index, got, want)
		}
	}
}
