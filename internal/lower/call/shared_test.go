package call

import (
	"testing"

	"github.com/goptxas/goptxas/internal/lower/build"
)

// TestPlaceShared: variables lie one behind the other, those of the module
// that nobody names nowhere.
func TestPlaceShared(t *testing.T) {
	at := make([]int64, 2)
	p := &build.Plan{Object: true, Own: []build.OwnShared{{At: &at[0], Align: 4, Size: 6}, {At: &at[1], Align: 16, Size: 8}}}
	placeShared(p, &build.Layout{SharedBytes: 100})
	if at[0] != 0 || at[1] != 16 || p.Bytes != 24 {
		t.Errorf("offsets %v of %d bytes", at, p.Bytes)
	}
	p = &build.Plan{Own: []build.OwnShared{{At: &at[0], Align: 4, Size: 6}}}
	placeShared(p, &build.Layout{Fixed: true, SharedBytes: 101, Shared: map[string]int64{"s": 7}})
	if at[0] != 104 || p.Shared["s"] != 7 {
		t.Errorf("offset %d behind fixed ones, %v", at[0], p.Shared)
	}
}
