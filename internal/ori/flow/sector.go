package flow

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Sector is how many bytes of global memory come and go together.
const Sector = 32

// Narrow is how many bytes an access has at most of which several share a sector.
const Narrow = 4

// PartOfSector reports whether i loads or stores a few bytes of a sector of
// global memory that is at hand for the accesses behind it, and what it touches.
func PartOfSector(i *ori.Instr) (a Access, ok bool) {
	if i.Op != op.LDG && i.Op != op.STG || i.IsVolatile() || i.Mods.Has(op.MNA) || i.Mods.Has(op.MLU) {
		return a, false
	}
	a, ok = AccessOf(i)
	return a, ok && a.Plain && a.Hi-a.Lo <= Narrow
}
