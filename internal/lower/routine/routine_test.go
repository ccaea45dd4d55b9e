package routine

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori/op"
)

// TestRoutines: every routine is found by what it computes, and its name and
// words are its own.
func TestRoutines(t *testing.T) {
	names := map[string]bool{}
	for n := range Routines {
		r := &Routines[n]
		if FindRoutine(r.Kind, r.Round, r.Ftz) != n {
			t.Errorf("%s is not found", r.name)
		}
		if in, out := Words(n); in == 0 || out == 0 || in%r.Kind.Words() != 0 {
			t.Errorf("%s has %d words in, %d out", r.name, in, out)
		}
	}
	for n := range len(Routines) + 2*len(Syncs) {
		if names[Name(n)] {
			t.Errorf("two routines are %s", Name(n))
		}
		names[Name(n)] = true
	}
	for n := range Syncs {
		s, full := SyncRoutine(len(Routines) + 2*n + 1)
		if s != &Syncs[n] || !full {
			t.Errorf("routine of kind %d", n)
		}
	}
	if ReturnOf(0) == ReturnOf(len(Routines)) {
		t.Error("both kinds of routines return through one register")
	}
}

// TestGathers: without places nothing is a routine; a copy forgets places.
func TestGathers(t *testing.T) {
	var none *Gathers
	if none.Has(1, 0) {
		t.Error("nothing has something")
	}
	g := &Gathers{At: map[int32]bool{7: true}}
	if !g.Has(7, 0) || g.Has(8, 0) {
		t.Error("places")
	}
	if g.Copy().Has(7, 0) {
		t.Error("a copy keeps the places of another function")
	}
	if FindRoutine(KindDiv32, op.MRZ, true) == FindRoutine(KindDiv32, op.MRZ, false) {
		t.Error("flushing and not are one")
	}
}
