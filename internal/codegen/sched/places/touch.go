package places

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Touch is one access to memory.
type Touch struct {
	Node           int32
	Space          flow.Space
	Reads          flow.Space // of these, those that it never writes, though it writes others
	Write          bool
	Strict         bool        // never passes another access
	Base           int32       // word number of the base register, -1 = not known
	Version        int64       // of the base's value
	Uniform        int32       // word number of a uniform register added to it, plus one
	UniformVersion int32       // of that one's value
	Lo, Hi         int64       // bytes from the base
	Place          *flow.Place // what is known of the address, before allocation
}

// TouchOf describes the memory access of i; ok is false when it has none
// that matters: constants do not change, nor does what loads through the
// constant path read.
func TouchOf(i *ori.Instr) (t Touch, ok bool) {
	if HoldsMemory(i) {
		return Touch{Space: flow.Anything &^ op.SpaceLocal, Write: true, Strict: true, Base: -1}, true // local memory is the thread's own
	}
	if i.IsGroupMMA() { // it reads shared memory
		return Touch{Space: op.SpaceShared, Base: -1}, true
	}
	a, ok := flow.AccessOf(i)
	t = Touch{Space: a.Space, Write: a.Write, Strict: a.Strict, Base: -1, Lo: a.Lo, Hi: a.Hi}
	switch {
	case i.Op == op.LDGSTS: // addresses of later copies come from the frame, and other loads need not wait for it
		t.Space, t.Reads = i.Op.Space(), op.SpaceGlobal
	case i.Op.Has(op.Ordered) && i.Op.Space() != 0 && i.Op.Space()&op.SpaceLocal == 0:
		t.Space &^= op.SpaceLocal
	}
	return t, ok && !a.Frozen
}

// Covers reports whether what keeps its order with u does so with t, which stands
// behind it, too.
func (t *Touch) Covers(u *Touch) bool {
	return t.Strict && u.Strict && t.Write && t.Base < 0 && t.Place == nil && u.Space&^t.Space == 0 && t.Reads&^u.Reads == 0
}

// written are the memories that t may write.
func (t *Touch) written() flow.Space {
	if !t.Write {
		return 0
	}
	return t.Space &^ t.Reads
}

// HoldsMemory reports whether no access to memory passes i.
func HoldsMemory(i *ori.Instr) bool {
	return IsBarrier(i) || i.Op == op.WARPGROUP || MarksCopies(i) || IsFence(i)
}

// Conflicts reports whether two accesses must keep their order.
func (t *Touch) Conflicts(u *Touch) bool {
	switch {
	case t.Strict && u.Strict:
		return true
	case t.Space&u.written() == 0 && u.Space&t.written() == 0:
		return false
	case t.Base >= 0 && t.Base == u.Base && t.Version == u.Version && t.Uniform == u.Uniform && t.UniformVersion == u.UniformVersion:
		return t.Lo < u.Hi && u.Lo < t.Hi
	}
	return t.Place == nil || u.Place == nil || !t.Place.Disjoint(u.Place)
}
