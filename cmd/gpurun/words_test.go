package main

import (
	"slices"
	"testing"
)

func TestDiffering(t *testing.T) {
	a, b := make([]byte, 22), make([]byte, 22)
	b[1], b[9], b[21] = 1, 2, 3
	got := differing(a, b, []int{8, 14}, 2)
	want := []diffWord{{0, 0, 0, 0x100}, {1, 0, 0, 0x200}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got = differing(a, b, []int{8, 14}, 9); len(got) != 3 || got[2] != (diffWord{1, 12, 0, 0x300}) {
		t.Errorf("%v: the last word is short", got)
	}
}
