package call

import (
	"slices"
	"testing"

	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
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
	p = &build.Plan{Module: &sema.Module{}, Own: []build.OwnShared{{At: &at[0], Align: 4, Size: 6}}}
	placeShared(p, &build.Layout{Fixed: true, SharedBytes: 101, Shared: map[string]int64{"s": 7}})
	if at[0] != 104 || p.Shared["s"] != 7 {
		t.Errorf("offset %d behind fixed ones, %v", at[0], p.Shared)
	}
	at = make([]int64, 4)
	p = &build.Plan{Module: &sema.Module{}, Own: []build.OwnShared{{At: &at[0], Align: 128, Size: 16}, {At: &at[1], Align: 4, Size: 8, Shown: 3}, {At: &at[2], Align: 4, Size: 4}, {At: &at[3], Align: 4, Size: 64, Shown: 2}}}
	placeShared(p, &build.Layout{})
	if want := []int64{128, 64, 144, 0}; !slices.Equal(at, want) || p.Bytes != 148 {
		t.Errorf("offsets %v of %d bytes, want %v", at, p.Bytes, want)
	}
	p = &build.Plan{Module: &sema.Module{}, Own: []build.OwnShared{{At: &at[0], Align: 8, Size: 16, Shown: -1}, {At: &at[1], Align: 4, Size: 4}, {At: &at[2], Align: 4, Size: 4, Shown: 2}, {At: &at[3], Align: 4, Size: 4}}}
	placeShared(p, &build.Layout{})
	if want := []int64{16, 4, 0, 8}; !slices.Equal(at, want) || p.Bytes != 32 {
		t.Errorf("of a kernel that nobody sees: offsets %v of %d bytes, want %v", at, p.Bytes, want)
	}
}

// TestOpenShared: memory whose size the launch says begins where the rest ends,
// in a program for a debugger if the kernel names it.
func TestOpenShared(t *testing.T) {
	for _, c := range []struct {
		named, apart bool
		want         int64
	}{{true, false, 16}, {false, false, 16}, {true, true, 16}, {false, true, 6}} {
		at := make([]int64, 1)
		m := &sema.Module{Vars: []sema.Var{{Name: "d", Space: isa.SpaceShared, Shape: sema.Shape{Type: isa.B8, Vec: 1, Open: true, Align: 16}}}}
		p := &build.Plan{Module: m, Named: map[int32]bool{0: c.named}, Shared: map[string]int64{}, Own: []build.OwnShared{{At: &at[0], Align: 4, Size: 6}}}
		placeShared(p, &build.Layout{Sorted: c.apart})
		if at[0] != 0 || p.Bytes != c.want {
			t.Errorf("%+v: %d bytes", c, p.Bytes)
		}
	}
}
