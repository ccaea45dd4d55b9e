package sched

import (
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
)

// space is a set of memories.
type space uint8

const (
	global space = 1 << iota
	shared
	local
	everywhere = global | shared | local
)

// touch is one access to memory.
type touch struct {
	node   int32
	space  space
	write  bool
	strict bool  // never passes another access
	base   int32 // word number of the base register, -1 = not known
	vers   int64 // of the base's value
	lo, hi int64 // bytes from the base
}

// spaces gives the memory of plain loads and stores; what is not here is
// ordered with everything.
var spaces = [...]struct {
	op     op.Op
	space  space
	simple bool // a plain load or store of the bytes its modifiers say
}{
	{op.LDG, global, true},
	{op.STG, global, true},
	{op.LDL, local, true},
	{op.STL, local, true},
	{op.LDS, shared, true},
	{op.STS, shared, true},
	{op.LDSM, shared, false},
	{op.STSM, shared, false},
	{op.LD, everywhere, true},
	{op.ST, everywhere, true},
	{op.ATOMS, shared, false},
	{op.ATOMG, global, false},
	{op.REDG, global, false},
}

// touchOf describes the memory access of i; ok is false when it has none
// that matters: constants do not change.
func touchOf(i *ori.Instr) (t touch, ok bool) {
	if meets(i) {
		return touch{space: everywhere, write: true, strict: true, base: -1}, true
	}
	if !i.Op.Has(op.Reads|op.Writes) || i.Op == op.LDC || i.Op == op.ULDC || i.Op == op.LDCU {
		return t, false
	}
	t = touch{space: everywhere, write: true, strict: true, base: -1}
	for _, s := range spaces {
		if s.op != i.Op {
			continue
		}
		t.space = s.space
		t.write = i.Op.Has(op.Writes)
		t.strict = i.Mods.Has(op.MSTRONG) || i.Mods.Has(op.MMMIO)
		t.lo, t.hi = -1<<62, 1<<62
		if s.simple {
			t.extent(i)
		}
	}
	// loads through the constant path read what no store of the kernel writes
	return t, !(i.Op == op.LDG && i.Mods.Has(op.MCONSTANT))
}

// extent sets the bytes that a plain access touches, from its base.
func (t *touch) extent(i *ori.Instr) {
	size := int64(4)
	for _, m := range i.Mods {
		switch m {
		case op.M64:
			size = 8
		case op.M128:
			size = 16
		}
	}
	for k, o := range i.Srcs() {
		if o.Kind == ori.KAddr && (k+1 >= len(i.Srcs()) || i.Srcs()[k+1].Kind != ori.KUAddr) {
			t.lo, t.hi = o.Imm, o.Imm+size
		}
	}
}

// conflicts reports whether two accesses must keep their order.
func (t *touch) conflicts(u *touch) bool {
	switch {
	case t.strict && u.strict:
		return true
	case t.space&u.space == 0 || !t.write && !u.write:
		return false
	case t.base >= 0 && t.base == u.base && t.vers == u.vers:
		return t.lo < u.hi && u.lo < t.hi
	}
	return true
}
