package ori

import "github.com/goptxas/goptxas/internal/ori/op"

// Warp-group matrix operations run beside the program: the registers they
// accumulate in, and those they read a matrix from, are theirs until
// WARPGROUP.DEPBAR says otherwise.

// IsGroupMMA reports whether i is a warp-group matrix operation.
func (i *Instr) IsGroupMMA() bool { return i.Op.Has(op.Group) && i.Op.Has(op.Matrix) }

// IsTensorMMA reports whether i is a matrix operation on tensor memory.
func (i *Instr) IsTensorMMA() bool { return i.Op.Has(op.Uniform) && i.Op.Has(op.Matrix) }

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

// Injected is an arrival or, with Wait, a wait for warp-group matrix operations
// that the source does not have, at a position of its text.
type Injected struct {
	Pos  int32
	Wait bool
}

// CopiesMap reports whether i writes a word of a tensor map to global memory:
// an exchange whose result nobody reads, at an address that is not described.
func (i *Instr) CopiesMap() bool {
	if i.Op != op.ATOMG || !i.Mods.Has(op.MEXCH) {
		return false
	}
	for _, o := range i.Dsts() {
		if o.Kind == KReg {
			return false
		}
	}
	for _, o := range i.Srcs() {
		if o.Kind == KDesc || o.Kind == KAddr && o.Flags&Wide != 0 {
			return false
		}
	}
	return true
}
