package call

import (
	"slices"
	"testing"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// TestSpots places parameters as the calling convention does (abi.md).
func TestSpots(t *testing.T) {
	scalar := func(bytes uint64) sema.Param {
		return sema.Param{Shape: sema.Shape{Type: isa.B8, Vec: 1, Elems: bytes, Align: bytes}}
	}
	array := func(bytes, align uint64) sema.Param {
		return sema.Param{Shape: sema.Shape{Type: isa.B8, Vec: 1, Elems: bytes, Align: align, Array: true}}
	}
	for _, c := range []struct {
		params []sema.Param
		want   []int // register from R4 on, or -1-offset on the stack
	}{
		{[]sema.Param{scalar(4), scalar(8), scalar(2), scalar(8), scalar(1)}, []int{0, 2, 1, 4, 6}},
		{[]sema.Param{array(16, 16), scalar(4), array(24, 8)}, []int{0, 4, 6}},
		{[]sema.Param{array(12, 4), scalar(4)}, []int{0, 3}},
		{[]sema.Param{array(3, 1), array(6, 2), array(8, 8), array(20, 4)}, []int{0, 1, 4, 6}},
		{[]sema.Param{scalar(8), scalar(8), scalar(8), scalar(8), scalar(8), scalar(4), scalar(8), scalar(4)}, []int{0, 2, 4, 6, 8, 10, -1, 11}},
		{[]sema.Param{array(80, 4), scalar(4)}, []int{-1, 0}},
	} {
		list, _, _ := spots(c.params, 0)
		var got []int
		for _, s := range list {
			if s.reg < 0 {
				got = append(got, int(-1-s.off))
			} else {
				got = append(got, s.reg)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("got %v, want %v", got, c.want)
		}
	}
}
