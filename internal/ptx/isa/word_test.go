package isa

import "testing"

func TestWords(t *testing.T) {
	for w := Word(1); w < NumWords; w++ {
		if got := LookupString(w.String()); got != w {
			t.Errorf("Lookup(%q) = %d, want %d", w, got, w)
		}
		if w.IsType() && w.Type().Word() != w {
			t.Errorf("type word %q does not come back", w)
		}
		if w.IsSpace() && w.Space().Word() != w {
			t.Errorf("space word %q does not come back", w)
		}
		if r, ok := w.Special(); ok && r.Word() != w {
			t.Errorf("special register %q has the row of %q", w, r.Word())
		}
	}
	for _, s := range []string{"", "x1x", "ad", "addx", "collector::a::usf", "%tidy"} {
		if w := LookupString(s); w != WNone {
			t.Errorf("Lookup(%q) = %q", s, w)
		}
	}
	if B1.Word() != WB1 || Surfref.Word() != WSurfref || B128.String() != ".b128" {
		t.Error("the type constants do not follow the type words")
	}
	t.Logf("%d words, %d types, %d special registers", NumWords-1, NumTypes-1, len(specialRows))
}

func BenchmarkLookup(b *testing.B) {
	words := [][]byte{[]byte("ld"), []byte("global"), []byte("nc"), []byte("L1::evict_last"), []byte("v4"), []byte("b32")}
	for b.Loop() {
		for _, w := range words {
			Lookup(w)
		}
	}
}
