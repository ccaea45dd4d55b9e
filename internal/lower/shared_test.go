package lower

import "testing"

// TestPlaceShared: variables lie one behind the other, those of the module
// that nobody names nowhere.
func TestPlaceShared(t *testing.T) {
	at := make([]int64, 2)
	p := &Plan{object: true, own: []ownShared{{at: &at[0], align: 4, size: 6}, {at: &at[1], align: 16, size: 8}}}
	p.placeShared(&Layout{SharedBytes: 100})
	if at[0] != 0 || at[1] != 16 || p.bytes != 24 {
		t.Errorf("offsets %v of %d bytes", at, p.bytes)
	}
	p = &Plan{own: []ownShared{{at: &at[0], align: 4, size: 6}}}
	p.placeShared(&Layout{Fixed: true, SharedBytes: 101, Shared: map[string]int64{"s": 7}})
	if at[0] != 104 || p.Shared["s"] != 7 {
		t.Errorf("offset %d behind fixed ones, %v", at[0], p.Shared)
	}
}
