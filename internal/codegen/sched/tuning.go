package sched

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Tuning changes how orders are found. None of it touches what an order must
// keep, so every value gives right code; which is the fastest, a search finds
// out.
type Tuning struct {
	// Slack is how many cycles before it is due an instruction may issue that
	// makes a further word alive. What leads to a load from memory is not held
	// back: such a load takes longer than any estimate.
	Slack int
	// Spare is the most words kept for results of shared memory and the like
	// while loads from memory are in flight: if those took all, every other
	// load would have to wait for the one before it.
	Spare int
	// Registers is for how many registers orders are made; 0: as many as
	// occupancy makes worthwhile.
	Registers int
	// Manner is the way in which orders with few registers are looked for,
	// counted from one among those that are tried where registers run out; 0:
	// the usual one first.
	Manner int
	// Jitter is the seed of small changes to the lengths of paths, which
	// decide what issues first; 0: none.
	Jitter int
	// Turns says where the special function unit is given to one row after
	// the other.
	Turns Turns
	// ScarceTime is how many cycles operations must take their unit, at
	// least, for orders to be made from the end; and ScarceShare times these
	// cycles are as many as there are instructions.
	ScarceTime, ScarceShare int
	// Raises is how often the number of registers may rise to the next at
	// which occupancy drops. Better is the percentage of the price before, a
	// product of two times, that an order with as many warps must come to, and
	// Worthwhile that of the latency that a warp has to hide where fewer run.
	// Fewer is the percentage of the price where fewer run and the time with all
	// of them is no longer than before.
	Raises, Better, Worthwhile, Fewer int
}

// Turns are the regions whose rows take turns at the special function unit.
type Turns struct {
	Time  int // cycles that the unit is busy, at least
	Share int // times these cycles are as many as there are instructions
	Few   int // operations that make a turn of their own
	Reads int // readers from which on a result is wanted before others
}

// Usual is what is used where nobody searches.
func Usual() Tuning {
	return Tuning{
		Slack: 6, Spare: 6, Turns: Turns{Time: 96, Share: 2, Few: 4, Reads: 4}, ScarceTime: 48, ScarceShare: 2,
		Raises: 3, Better: 97, Worthwhile: 70, Fewer: 68,
	}
}

// productSlack is the slack of functions with products of matrices that have
// registers to spare: while a product runs, whatever can issue should.
const productSlack = 30

// hasProducts reports whether f has products of matrices.
func hasProducts(f *ori.Func) bool {
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if i.IsGroupMMA() || i.Op == op.HMMA || i.Op == op.IMMA {
				return true
			}
		}
	}
	return false
}

// multiplies reports whether f has products of matrices in registers, which
// may pass fences.
func multiplies(f *ori.Func) bool {
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if places.IsProduct(i) {
				return true
			}
		}
	}
	return false
}

// Manners is how many ways there are to look for orders.
const Manners = len(manners)

// how is the way that the tuning asks for.
func (t *Tuning) how() manner {
	if t.Manner > 0 && t.Manner <= len(manners) {
		return manners[t.Manner-1]
	}
	return manner{}
}

// jitterBy is by how many cycles paths are made longer or shorter at most.
const jitterBy = 8

// shake changes the lengths of paths by what a seed says. The same region
// gets the same changes wherever it stands.
func (g *graph) shake(seed int) {
	if seed == 0 {
		return
	}
	x := uint64(seed)*0x9e3779b97f4a7c15 + uint64(len(g.height))
	for k := range g.height {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		g.height[k] = max(1, g.height[k]+int32(x>>40%(2*jitterBy+1))-jitterBy)
	}
}
