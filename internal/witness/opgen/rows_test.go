package opgen

import (
	"regexp"
	"slices"
	"testing"

	"goptxas/internal/ptx/isa"
	"goptxas/internal/witness/front"
)

// tensorRows are the operations of matrices, tensor memory and bulk copies,
// which have tests of their own, and those of later architectures; brx.idx
// names a table that a form alone has not, and calls are checked apart.
var tensorRows = regexp.MustCompile(`^(mma|wmma|wgmma|tcgen05|ldmatrix|stmatrix|movmatrix|tensormap|clusterlaunchcontrol|cp\.(async\.bulk|reduce)|st\.bulk|brx|call$)`)

// TestRows: the sweep has an accepted form of every operation of the table
// that sm_90a has and that is no tensor operation.
func TestRows(t *testing.T) {
	hit := map[string]bool{}
	all := Sweep()
	for at := 0; at < len(all); at += sweepChunk {
		text, _ := sweepText(all[at:min(at+sweepChunk, len(all))], "sm_90a", "ret;\n")
		x, _ := front.Check("op.ptx", text, "sm_90a") // forms that are none are errors
		for _, b := range x.Bodies {
			for n := range b.Instrs {
				if r := b.Instrs[n].Row; r != nil {
					hit[r.Name] = true
				}
			}
		}
	}
	want, missed := 0, []string{}
	for _, name := range isa.Operations() {
		if tensorRows.MatchString(name) {
			continue
		}
		if want++; !hit[name] {
			missed = append(missed, name)
		}
	}
	slices.Sort(missed)
	for _, name := range missed {
		t.Errorf("no form of %s in the sweep", name)
	}
	t.Logf("%d operations of the table, all but %d in the sweep", want, len(missed))
}
