package memory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/sim/async"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// PrepLoad reads the size of an access to a space.
func PrepLoad(space uint8) func(*machine.Inst, []string) error {
	return func(i *machine.Inst, parts []string) error {
		i.Sub = space
		return code.AccessSize(&i.Inst, parts)
	}
}

// PrepLdc finds the bank, which is the first number of the address.
func PrepLdc(i *machine.Inst, parts []string) error {
	for n := range i.In.NArg() {
		if o := i.In.Arg(n); o.Role == sass.Address && o.Kind == sass.KindImm {
			i.Bar = uint8(o.Imm)
			i.Addr[0].Imm -= o.Imm
			break
		}
	}
	if code.Pick(parts, -1, "IL") >= 0 {
		return fmt.Errorf(".IL has no meaning in the simulator")
	}
	if code.Pick(parts, -1, "IS", "ISL") >= 0 {
		i.Cmp = 1
	}
	return code.AccessSize(&i.Inst, parts)
}

// PrepQspc reads the space that is asked for.
func PrepQspc(i *machine.Inst, parts []string) error {
	switch code.Pick(parts, -1, "G", "L", "S", "D") {
	case 0:
		i.Sub = machine.SpaceGlobal
	case 1:
		i.Sub = machine.SpaceLocal
	case 2, 3:
		i.Sub = machine.SpaceShared
	default:
		return fmt.Errorf("unknown space")
	}
	return nil
}

// PrepAtomic reads operation and type of an atomic on a space.
func PrepAtomic(space uint8) func(*machine.Inst, []string) error {
	return func(i *machine.Inst, parts []string) error {
		i.Sub = space
		if len(parts) > 1 && parts[0] == "POPC" {
			i.Run = popcInc
			return nil
		}
		if slices.Contains(parts, "ARRIVE") {
			i.Run, i.Size = async.OldArrive, 8
			return nil
		}
		op := code.Pick(parts, -1, "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "CAS", "CAST")
		if op < 0 {
			return fmt.Errorf("unknown operation")
		}
		i.Cmp = uint8(op)
		return AtomicType(i, parts)
	}
}

// AtomicType reads the type: an integer, a float, or several floats.
func AtomicType(i *machine.Inst, parts []string) error {
	i.Size, i.It = 4, fp.Int{Bits: 32}
	for _, p := range parts {
		switch p {
		case "S32":
			i.It = fp.Int{Bits: 32, Signed: true}
		case "64", "U64":
			i.Size, i.It = 8, fp.Int{Bits: 64}
		case "S64":
			i.Size, i.It = 8, fp.Int{Bits: 64, Signed: true}
		case "128":
			i.Size, i.It = 16, fp.Int{Bits: 128}
		case "F64":
			i.Size, i.It, i.Src = 8, fp.Int{}, fp.F64
		}
		name, count, _ := strings.Cut(p, "x")
		switch name {
		case "F32":
			i.It, i.Src, i.Size = fp.Int{}, fp.F32, 4*max(1, digit(count))
		case "F16", "BF16":
			i.It, i.Src, i.Size = fp.Int{}, fp.F16, 2*max(2, digit(count))
			if name == "BF16" {
				i.Src = fp.BF16
			}
		}
	}
	return nil
}

func digit(s string) uint8 {
	if len(s) == 1 {
		return s[0] - '0'
	}
	return 0
}
