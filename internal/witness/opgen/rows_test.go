package opgen

import (
	"regexp"
	"slices"
	"testing"

	"github.com/goptxas/goptxas/internal/ptx/isa/rows"
)

// tensorRows are the operations of matrices, tensor memory and bulk copies,
// which have tests of their own, and those of later architectures; brx.idx
// names a table that a form alone has not, and calls are checked apart.
var tensorRows = regexp.MustCompile(`^(mma|wmma|wgmma|tcgen05|ldmatrix|stmatrix|movmatrix|tensormap|clusterlaunchcontrol|cp\.(async\.bulk|reduce)|st\.bulk|brx|call$)`)

// TestRows: the sweep has an accepted form of every operation of the table
// that sm_90a has and that is no tensor operation.
func TestRows(t *testing.T) {
	hit := sweep90().rows
	want, missed := 0, []string{}
	for _, name := range rows.Operations() {
		if tensorRows.MatchString(name) || name == "dp2a" { // which needs .lo or .hi in its name
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
