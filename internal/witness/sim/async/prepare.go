package async

import (
	"slices"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// PrepLdgsts reads the size of a copy.
func PrepLdgsts(i *machine.Inst, parts []string) error { return code.AccessSize(&i.Inst, parts) }

// PrepSyncs tells the operations on mbarriers.
func PrepSyncs(i *machine.Inst, parts []string) error {
	switch {
	case i.Op == sass.OpARRIVES:
		// a copy raises the count and its end lowers it again, unless the
		// code counted it already (.ARVCNT)
		switch {
		case slices.Contains(parts, "ARVCNT"):
			i.Run, i.Sub = copiesArrive, arrLdgsts
		case slices.Contains(parts, "TRANSCNT"):
			i.Run, i.Sub = copiesArrive, arrTxCopy
		default:
			i.Run, i.Sub, i.D[0] = OldArrive, machine.SpaceShared, code.RowSink
		}
	case parts[0] == "EXCH":
		i.Run = syncsExch
	case parts[0] == "PHASECHK":
		i.Run = syncsCheck
	case parts[0] == "LD":
		i.Run = syncsLoad
	case parts[0] == "CCTL":
		i.Run = machine.Nothing
	case parts[0] == "ARRIVE" && !slices.Contains(parts, "TMASK"):
		i.Run = syncsArrive
		i.Sub = uint8(arrOneTx + 1 + code.Pick(parts, -1, "A1T0", "A0TR", "ART0", "A0T1", "A0TX"))
		i.Cmp = 0
		if slices.Contains(parts, "OPTOUT") {
			i.Cmp = 1
		}
	}
	return nil
}

// PrepNamed notes whether the mnemonic has one of some parts.
func PrepNamed(names ...string) func(*machine.Inst, []string) error {
	return func(i *machine.Inst, parts []string) error {
		i.Sub = uint8(code.Pick(parts, -1, names...) + 1)
		return nil
	}
}
