package table

import (
	"slices"
	"testing"
)

// TestLists: lists lead back from their items to their keys.
func TestLists(t *testing.T) {
	var l, back Lists
	l.Grow(nil, 3, 4)
	l.Reset()
	for _, items := range [][]int32{{1, 2}, {}, {2, 2, 0}} {
		from := len(l.Items)
		for _, x := range items {
			l.Add(from, x)
		}
		l.Close()
	}
	if !slices.Equal(l.Of(2), []int32{2, 0}) {
		t.Errorf("an item stands twice: %v", l.Of(2))
	}
	back.Turn(nil, &l, 3, nil)
	for k, want := range [][]int32{{2}, {0}, {0, 2}} {
		if got := back.Of(int32(k)); !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", k, got, want)
		}
	}
	back.Turn(nil, &l, 3, []int32{2, 1, 0})
	if got := back.Of(2); !slices.Equal(got, []int32{2, 0}) {
		t.Errorf("in another order: %v", got)
	}
	if order := []int32{2, 0, 1}; !slices.Equal(Inverse(nil, Inverse(nil, order)), order) || !slices.Equal(Identity(nil, 3), []int32{0, 1, 2}) {
		t.Error("orders are turned wrongly")
	}
}
