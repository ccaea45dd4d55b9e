package scoreboard

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
)

// Sectors says from how many narrow accesses to one sector of global memory on
// loads wait for the first of them, and the first store for what all of them
// store: sched/dag/sectors.go says why, and puts other work between them. Zero is
// never.
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
	var open []*run
	for k, i := range x.instrs {
		if a, ok := flow.PartOfSector(i); ok {
			n := slices.IndexFunc(open, func(r *run) bool {
				return r.write == a.Write && r.base == a.Base && r.uni == a.Uni && r.sector == a.Lo/flow.Sector
			})
			if n < 0 {
				n = len(open)
				open = append(open, &run{base: a.Base, uni: a.Uni, sector: a.Lo / flow.Sector, write: a.Write})
			}
			open[n].places = append(open[n].places, k)
		}
		if len(open) == 0 {
			continue
		}
		open = slices.DeleteFunc(open, func(r *run) bool {
			ends := meet(x.events[k].Writes, []timing.Access{s.describe.Cells(r.base), s.describe.Cells(r.uni)})
			if ends {
				s.wait(x, r, least)
			}
			return ends
		})
	}
	for _, r := range open {
		s.wait(x, r, least)
	}
}

// wait has the loads of r wait for the first of them, or the first store for what
// the others store.
func (s *assigner) wait(x *node, r *run, least Sectors) {
	at := r.places[0]
	first := &x.events[at]
	switch {
	case r.write && least.Stores > 0 && len(r.places) >= least.Stores:
		for _, k := range r.places[1:] {
			srcs := x.instrs[k].Srcs()
			data := []timing.Access{s.describe.Cells(srcs[len(srcs)-1])}
			if !slices.ContainsFunc(x.events[at:k], func(e timing.Event) bool { return meet(e.Writes, data) }) {
				first.Behind = append(first.Behind, data...)
			}
		}
	case !r.write && least.Loads > 0 && len(r.places) >= least.Loads:
		k := at + 1 // the first place where its result is there anyway, or overwritten
		for k < len(x.events) && !meet(x.events[k].Reads, first.Writes) && !meet(x.events[k].Writes, first.Writes) {
			k++
		}
		for _, n := range r.places[1:] {
			if n < k {
				x.events[n].Behind = first.Writes
			}
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
