package sched

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// touch is one access to memory.
type touch struct {
	node   int32
	space  flow.Space
	write  bool
	strict bool        // never passes another access
	base   int32       // word number of the base register, -1 = not known
	vers   int64       // of the base's value
	uni    int32       // word number of a uniform register added to it, plus one
	uvers  int32       // of that one's value
	lo, hi int64       // bytes from the base
	place  *flow.Place // what is known of the address, before allocation
}

// touchOf describes the memory access of i; ok is false when it has none
// that matters: constants do not change, nor does what loads through the
// constant path read.
func touchOf(i *ori.Instr) (t touch, ok bool) {
	if holdsMemory(i) {
		return touch{space: flow.Anything &^ op.SpaceLocal, write: true, strict: true, base: -1}, true // local memory is the thread's own
	}
	if i.IsGroupMMA() { // it reads shared memory
		return touch{space: op.SpaceShared, base: -1}, true
	}
	a, ok := flow.AccessOf(i)
	return touch{space: a.Space, write: a.Write, strict: a.Strict, base: -1, lo: a.Lo, hi: a.Hi}, ok && !a.Frozen
}

// holdsMemory reports whether no access to memory passes i.
func holdsMemory(i *ori.Instr) bool {
	return places.IsBarrier(i) || i.Op == op.WARPGROUP || places.MarksCopies(i) || places.IsFence(i)
}

// conflicts reports whether two accesses must keep their order.
func (t *touch) conflicts(u *touch) bool {
	switch {
	case t.strict && u.strict:
		return true
	case t.space&u.space == 0 || !t.write && !u.write:
		return false
	case t.base >= 0 && t.base == u.base && t.vers == u.vers && t.uni == u.uni && t.uvers == u.uvers:
		return t.lo < u.hi && u.lo < t.hi
	}
	return t.place == nil || u.place == nil || !t.place.Disjoint(u.place)
}
