package opt

import (
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
)

// Where threads of a warp are apart, groups of them run one after the other
// and change places only where one waits: between such places a constant
// may stand in a uniform register, written and read by the same group. This
// is what keeps the many constants of f64 polynomials out of the general
// registers.

// locals moves constants that are made and read within one block in which
// threads are apart.
func (u *uniformer) locals() {
	place := make([]int32, u.f.NumInstrs()) // of instructions, in their block
	waits := make([]int32, u.f.NumInstrs()) // places before them in their block at which a group may wait
	for _, b := range u.f.Blocks {
		n, w := int32(0), int32(0)
		for i := range b.Instrs {
			if mayWait(i) {
				w++
			}
			place[i.ID], waits[i.ID] = n, w
			n++
		}
	}
	for r := range u.moves {
		if u.moves[r] || u.f.Regs[r].Class != ori.R || u.f.Regs[r].Fixed || !u.local(ori.Reg(r), place, waits) {
			continue
		}
		u.moves[r] = true
		if p := u.price(ori.Reg(r)); p.uses > 0 || p.good == 0 {
			u.moves[r] = false
			continue
		}
		for _, i := range u.defs[r] {
			u.can[i.ID] = true
		}
	}
}

// local reports whether r is a constant made once and read in one block of
// threads apart, without a wait between.
func (u *uniformer) local(r ori.Reg, place, waits []int32) bool {
	defs, uses := u.defs[r], u.uses[r]
	if len(defs) == 0 || len(uses) == 0 || len(defs) > int(u.f.Regs[r].Width) || !u.apart.Is(defs[0].Block()) {
		return false
	}
	words := uint64(0)
	last := defs[0]
	for _, d := range defs {
		w := uint64(1)<<(d.Args[0].Sub+max(1, d.Args[0].N)) - uint64(1)<<d.Args[0].Sub
		if d.Block() != defs[0].Block() || !isConstant(d) || words&w != 0 || !u.possible(d) {
			return false
		}
		words |= w
		if place[d.ID] > place[last.ID] {
			last = d
		}
	}
	for _, i := range uses {
		if i.Block() != last.Block() || u.can[i.ID] || i.Op.Has(op.Pseudo) || place[i.ID] <= place[last.ID] || waits[i.ID] != waits[defs[0].ID] {
			return false
		}
	}
	return waits[last.ID] == waits[defs[0].ID]
}

// isConstant reports whether i puts a constant into a register.
func isConstant(i *ori.Instr) bool {
	if i.Guard.Kind != ori.KNone || i.NDst != 1 || len(i.Args) != 2 || i.Args[1].Flags != 0 {
		return false
	}
	switch s := i.Args[1]; s.Kind {
	case ori.KImm, ori.KZero:
		return i.Op == op.MOV
	case ori.KConst:
		return (i.Op == op.MOV || i.Op == op.LDC) && s.Reg == ori.NoReg
	}
	return false
}

// mayWait reports whether a group of threads may stop at i and another go
// on.
func mayWait(i *ori.Instr) bool {
	return i.Op.Has(op.Effect | op.Convergent | op.Terminator)
}
