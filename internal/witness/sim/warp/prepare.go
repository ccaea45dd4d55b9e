package warp

import (
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// PrepVote reads the kind of a vote.
func PrepVote(i *machine.Inst, parts []string) error {
	i.Sub = uint8(code.Pick(parts, voteAll, "ALL", "ANY", "EQ"))
	return nil
}

// PrepShfl reads the mode.
func PrepShfl(i *machine.Inst, parts []string) error {
	i.Sub = uint8(code.Pick(parts, shflIdx, "IDX", "UP", "DOWN", "BFLY"))
	return nil
}

// PrepMatch reads width and kind.
func PrepMatch(i *machine.Inst, parts []string) error {
	i.Size = 4
	if slices.Contains(parts, "U64") {
		i.Size = 8
	}
	if i.Has(code.FlagALL) {
		i.Sub = 1
	}
	return nil
}

// PrepCredux reads operation and type of CREDUX.
func PrepCredux(i *machine.Inst, parts []string) error {
	if slices.Contains(parts, "F32") {
		i.Run, i.Sub = reduxFloat, uint8(code.Pick(parts, 0, "MIN", "MAX", "MINABS", "MAXABS"))
		return nil
	}
	switch code.Pick(parts, -1, "MIN", "MAX") {
	case 0:
		i.Sub = reduxMin
	case 1:
		i.Sub = reduxMax
	default:
		return fmt.Errorf("unknown operation")
	}
	i.It.Signed = slices.Contains(parts, "S32")
	return nil
}

// PrepRedux reads operation and type of REDUX.
func PrepRedux(i *machine.Inst, parts []string) error {
	i.Sub = uint8(code.Pick(parts, reduxAnd, "AND", "OR", "XOR", "SUM", "MIN", "MAX"))
	i.It.Signed = slices.Contains(parts, "S32")
	return nil
}
