package keyed

import (
	"slices"
	"testing"
)

// TestCollect: numbers of a key stay in order, keys without any have none, and
// memory of former lists leaves nothing behind.
func TestCollect(t *testing.T) {
	l := Collect([]Pair{{2, 7}, {0, 1}, {2, 5}, {2, 9}, {0, 3}}, 4)
	for k, want := range [][]int32{{1, 3}, {}, {7, 5, 9}, {}} {
		if got := l.Of(k); !slices.Equal(got, want) {
			t.Errorf("key %d has %v, want %v", k, got, want)
		}
	}
	l.Collect([]Pair{{1, 4}}, 2)
	if len(l.Of(0)) != 0 || !slices.Equal(l.Of(1), []int32{4}) {
		t.Errorf("%v and %v in the same memory", l.Of(0), l.Of(1))
	}
}
