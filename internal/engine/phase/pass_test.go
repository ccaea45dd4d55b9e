package phase

import (
	"slices"
	"testing"
)

// TestPass runs a part of the phases, begins in the middle, and refuses what
// is not there.
func TestPass(t *testing.T) {
	r := newToy(t, 2, "")
	whole, parts, late := &fn{name: "a"}, &fn{name: "b"}, &fn{name: "c"}
	if err := r.Run(whole, nil); err != nil {
		t.Fatal(err)
	}
	p := r.Begin(parts, nil)
	if err := p.Through("Lower"); err != nil || parts.log[len(parts.log)-1] != "Lower" || !p.Passed("Lower") || p.Passed("Allocate") {
		t.Fatalf("%v, %v", err, parts.log)
	}
	if err := p.Finish(); err != nil || !slices.Equal(parts.log, whole.log) {
		t.Errorf("%v: %v, want %v", err, parts.log, whole.log)
	}
	p = r.Begin(late, nil)
	if err := p.Start(1, "allocate"); err != nil || !p.Passed("Lower") {
		t.Fatal(err)
	}
	if err := p.Finish(); err != nil || !slices.Equal(late.log, whole.log[slices.Index(whole.log, "Allocate"):]) {
		t.Errorf("%v: %v", err, late.log)
	}
	for _, c := range []struct {
		step int
		name string
	}{{-1, ""}, {99, ""}, {len(whole.log), "Build"}, {0, "Nosuch"}} {
		if err := r.Begin(&fn{}, nil).Start(c.step, c.name); err == nil {
			t.Errorf("it starts at step %d, %q", c.step, c.name)
		}
	}
}
