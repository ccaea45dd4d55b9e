package opt

import (
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
)

// weigh leaves registers where they are that nobody wants to read from the
// uniform file: each reader would copy them back.
func (u *uniformer) weigh() {
	for again := true; again; {
		again = false
		var lost []*ori.Instr
		for r, yes := range u.moves {
			if yes && u.f.Regs[r].Class == ori.R && !u.wanted(ori.Reg(r)) {
				lost = u.drop(ori.Reg(r), lost)
				again = true
			}
		}
		u.settle(lost)
	}
}

// wanted reports whether some reader of r takes it from a uniform register.
func (u *uniformer) wanted(r ori.Reg) bool {
	for _, i := range u.uses[r] {
		if u.can[i.ID] || i.Op == op.R2UR {
			return true
		}
		for k := range i.Srcs() {
			if s := &i.Srcs()[k]; s.Kind == ori.KReg && s.Reg == r && u.takes(i, k) {
				return true
			}
		}
	}
	return false
}

// takes reports whether i has a form with source k in a uniform register
// and the others where they are, immediates in general registers if need
// be.
func (u *uniformer) takes(i *ori.Instr, k int) bool {
	if i.Op.Has(op.Pseudo) {
		return false
	}
	srcs := i.Srcs()
	save := append([]ori.Operand(nil), srcs...)
	defer func() { copy(srcs, save) }()
	srcs[k].Class = ori.UR
	if u.fits(i) || u.fitsSwapped(i) {
		return true
	}
	moved := false
	for n := range srcs {
		if s := &srcs[n]; n != k && n < 3 && (s.Kind == ori.KImm || s.Kind == ori.KConst) {
			*s = ori.Operand{Kind: ori.KReg, Class: ori.R, Reg: u.scratch, N: max(1, s.N)}
			moved = true
		}
	}
	return moved && (u.fits(i) || u.fitsSwapped(i))
}

func (u *uniformer) fitsSwapped(i *ori.Instr) bool {
	srcs := i.Srcs()
	if !i.Op.Has(op.Commutes) || len(srcs) < 2 {
		return false
	}
	srcs[0], srcs[1] = srcs[1], srcs[0]
	ok := u.fits(i)
	srcs[0], srcs[1] = srcs[1], srcs[0]
	return ok
}
