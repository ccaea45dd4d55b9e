package regalloc

import (
	"maps"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/problem"
)

// strategy is one way to choose what to spill.
type strategy struct {
	whole bool // what is spilled is in memory everywhere
	anew  bool // what a spill costs is found anew when others have made room
	lives bool // words may live on in place of those that are made from them again
}

// strategies are tried one after the other; the first is the best for most
// programs.
var strategies = [...]strategy{
	{anew: true, lives: true},
	{},
	{whole: true},
}

// manyInstructions is the size from which only the first is tried.
const manyInstructions = 1500

// saved is what the solver knew at some time.
type saved struct {
	sol  Solution
	live *ranges
	sets [2]*groups
	kin  map[int32]home
	cost float64
}

// save keeps what the solver knows. Problems are never changed, only
// replaced; what later ones add to the lists of an earlier one goes to lists
// of their own.
func (s *solver) save() *saved {
	x := &saved{sol: *s.sol, live: s.live, sets: s.sets, kin: maps.Clone(s.kin)}
	x.sol.Phys, x.sol.Used = slices.Clone(s.sol.Phys), slices.Clone(s.sol.Used)
	return x
}

// restore makes the solver know what it knew then.
func (s *solver) restore(x *saved) {
	sol := x.sol
	p := *x.sol.Problem
	p.VRegs, p.Excludes = slices.Clip(p.VRegs), slices.Clip(p.Excludes)
	sol.Problem = &p
	sol.Phys, sol.Used = slices.Clone(x.sol.Phys), slices.Clone(x.sol.Used)
	s.sol, s.live, s.sets, s.kin = &sol, x.live, x.sets, maps.Clone(x.kin)
}

// Price sums up the spill code, by how often its blocks run.
func (s *Solution) Price() (cost float64) {
	p := s.Problem
	for b := range p.Blocks {
		blk := &p.Blocks[b]
		here := 0.0
		for n := blk.First; n < blk.First+blk.N; n++ {
			switch i := &p.Insts[n]; {
			case i.Kind == Remat:
				here += problem.RematCost
			case i.Kind == Spill || i.Kind == Reload:
				words := float64(p.Ops[i.First].N)
				if i.Slot < 0 {
					words *= problem.MoveCost
				}
				here += words
			}
		}
		cost += here * blockWeight(blk.Depth)
	}
	return cost
}
