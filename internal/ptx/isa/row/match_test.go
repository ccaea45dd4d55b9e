package row

import "testing"

// TestLetters: a letter of a form names a place among the form's types or a
// type of its own, results may be thrown away and sources not, but where a form takes anything.
func TestLetters(t *testing.T) {
	n := 0
	for c, r := range argRows {
		if r.kinds == 0 {
			continue
		}
		n++
		if r.ref < 0 || r.ref > 5 || r.ref != 0 && r.fixed != 0 {
			t.Errorf("%c: place %d and type %v", c, r.ref, r.fixed)
		}
		if r.dst && r.kinds&kSink == 0 && r.kinds&kVal != 0 {
			t.Errorf("%c: a result that must be kept", c)
		}
		if !r.dst && r.kinds&kSink != 0 && c != '*' { // which takes anything
			t.Errorf("%c: a source that may be thrown away", c)
		}
	}
	if n < 40 {
		t.Errorf("%d letters", n)
	}
}
