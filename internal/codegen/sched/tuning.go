package sched

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// How orders are found; see package tuning.
type (
	Tuning = tuning.Tuning
	Turns  = tuning.Turns
)

// Usual is what is used where nobody searches.
func Usual() Tuning { return tuning.Usual() }

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
func how(t *Tuning) manner {
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
