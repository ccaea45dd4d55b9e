package scoreboard

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
)

// Sectors says from how many narrow accesses to one sector of global memory on
// the first store waits for what all of them store, and in blocks with such
// stores loads for the first of them: sched/dag/sectors.go says why, and puts other
// work between them. Zero is never.
type Sectors struct{ Loads, Stores int }

// run are narrow loads from, or stores to, one sector, by one base, in the order
// of the code.
type run struct {
	base, uni ori.Operand
	sector    int64
	write     bool
	places    []int // in the block
}

// gather has the accesses of x wait for each other.
func (s *assigner) gather(x *node, least Sectors) {
	runs := s.runs(x)
	stores := func(r *run) bool { return r.write && least.Stores > 0 && len(r.places) >= least.Stores }
	if !slices.ContainsFunc(runs, stores) {
		return
	}
	for _, r := range runs {
		switch {
		case stores(r):
			x.storeTogether(s.describe, r)
		case !r.write && least.Loads > 0 && len(r.places) >= least.Loads:
			x.loadBehind(r)
		}
	}
}

// runs finds the accesses to each sector.
func (s *assigner) runs(x *node) (all []*run) {
	var open []*run // those whose base has not changed since
	for k, i := range x.instrs {
		if a, ok := flow.PartOfSector(i); ok {
			n := slices.IndexFunc(open, func(r *run) bool {
				return r.write == a.Write && r.base == a.Base && r.uni == a.Uni && r.sector == a.Lo/flow.Sector
			})
			if n < 0 {
				n = len(open)
				open = append(open, &run{base: a.Base, uni: a.Uni, sector: a.Lo / flow.Sector, write: a.Write})
				all = append(all, open[n])
			}
			open[n].places = append(open[n].places, k)
		}
		if len(open) > 0 {
			open = slices.DeleteFunc(open, func(r *run) bool {
				return meet(x.events[k].Writes, []timing.Access{s.describe.Cells(r.base), s.describe.Cells(r.uni)})
			})
		}
	}
	return all
}

// storeTogether has the first store of r wait for what the others store.
func (x *node) storeTogether(d *timing.Describer, r *run) {
	at := r.places[0]
	for _, k := range r.places[1:] {
		srcs := x.instrs[k].Srcs()
		data := []timing.Access{d.Cells(srcs[len(srcs)-1])}
		if !slices.ContainsFunc(x.events[at:k], func(e timing.Event) bool { return meet(e.Writes, data) }) {
			x.events[at].Behind = append(x.events[at].Behind, data...)
		}
	}
}

// loadBehind has the loads of r wait for the first of them.
func (x *node) loadBehind(r *run) {
	first := x.events[r.places[0]].Writes
	k := r.places[0] + 1 // the first place where its result is there anyway, or overwritten
	for k < len(x.events) && !meet(x.events[k].Reads, first) && !meet(x.events[k].Writes, first) {
		k++
	}
	for _, n := range r.places[1:] {
		if n < k {
			x.events[n].Behind = first
		}
	}
}

// meet reports whether two lists have a register in common.
func meet(x, y []timing.Access) bool {
	for _, a := range x {
		for _, b := range y {
			if a.Cell < b.Cell+uint16(b.N) && b.Cell < a.Cell+uint16(a.N) {
				return true
			}
		}
	}
	return false
}
