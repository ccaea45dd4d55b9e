package control

import (
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// PrepBra reads the kind of a branch.
func PrepBra(i *machine.Inst, parts []string) error {
	i.Sub = uint8(code.Pick(parts, braPlain, "", "DIV", "CONV", "ANY"))
	if i.Sub == braPlain && slices.Contains(parts, "U") { // of .U.ANY all lanes go when one does (TestClusterCopies)
		i.Sub = braAll
	}
	return nil
}

// PrepBmov finds the barrier: B0 to B15.
func PrepBmov(i *machine.Inst, _ []string) error {
	v, _ := i.In.Mod(sass.ModBreg)
	n := v.String()
	i.Sub = 16
	if len(n) >= 2 && n[0] == 'B' && n[1] >= '0' && n[1] <= '9' {
		i.Sub = 0
		for _, c := range n[1:] {
			i.Sub = i.Sub*10 + uint8(c-'0')
		}
	}
	return nil
}

// PrepBar reads kind and reduction of BAR.
func PrepBar(i *machine.Inst, parts []string) error {
	i.Sub = uint8(code.Pick(parts, barSync, "SYNC", "ARV", "RED"))
	i.Cmp = uint8(code.Pick(parts, machine.RedPopc, "POPC", "AND", "OR"))
	return nil
}

// PrepSR finds the special register.
func PrepSR(i *machine.Inst, _ []string) error {
	i.Sub = uint8(i.In.Word().Field(72, 8))
	if !machine.KnownSpecial(i.Sub) {
		return fmt.Errorf("the special register has no meaning in the simulator")
	}
	return nil
}
