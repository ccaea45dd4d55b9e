package ori

import "github.com/goptxas/goptxas/internal/ori/op"

// Warp-group matrix operations run beside the program: the registers they
// accumulate in, and those they read a matrix from, are theirs until
// WARPGROUP.DEPBAR says otherwise.

// IsGroupMMA reports whether i is a warp-group matrix operation.
func (i *Instr) IsGroupMMA() bool {
	switch i.Op {
	case op.HGMMA, op.IGMMA, op.BGMMA, op.QGMMA:
		return true
	}
	return false
}

// Accumulates reports whether i adds to its result in place: result and
// addend are the same register.
func (i *Instr) Accumulates() bool {
	if !i.IsGroupMMA() || i.Args[0].Kind != KReg {
		return false
	}
	for _, s := range i.Srcs() {
		if s.Kind == KReg && s.Reg == i.Args[0].Reg {
			return true
		}
	}
	return false
}

// Commits reports whether i, a warp-group matrix operation, is the last of
// its group.
func (i *Instr) Commits() bool {
	s := i.Args[len(i.Args)-1]
	return i.IsGroupMMA() && s.Kind == KSpecial && s.Imm == int64(op.SRGroup0)
}
