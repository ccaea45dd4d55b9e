package syntax

import "testing"

// TestCompoundStart finds the ranges from the names.
func TestCompoundStart(t *testing.T) {
	var want [256]compoundRange
	for i, s := range compounds {
		r := &want[s[0]]
		if r.last == 0 {
			r.first = uint8(i)
		}
		r.second |= 1 << (s[1] & 31)
		r.last = uint8(i + 1)
	}
	for b, r := range want {
		if r != compoundStart[b] {
			t.Errorf("%q: {%#x, %d, %d},", rune(b), r.second, r.first, r.last)
		}
	}
}
