package sunk

import (
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/problem"
)

// TestFind: a constant is made later if what touches its words next reads and
// writes them, in the same block, and the register is of the file.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		role     problem.Role
		n        uint8 // words of what touches them
		constant bool
		class    uint8
		sinks    bool
	}{{problem.DefMay, 2, true, 0, true}, {problem.UseDef, 2, true, 0, true}, {problem.Use, 2, true, 0, false}, {problem.Def, 2, true, 0, false}, {problem.DefMay, 1, true, 0, false}, {problem.DefMay, 2, false, 0, false}, {problem.DefMay, 2, true, 1, false}} {
		p := &problem.Problem{
			VRegs:  []problem.VReg{{Class: c.class, Width: 2}},
			Ops:    []problem.Operand{{N: 2, Role: problem.Def}, {N: c.n, Role: c.role}},
			Insts:  []problem.Inst{{First: 0, N: 1, Constant: c.constant}, {First: 1, N: 1}},
			Blocks: []problem.Block{{First: 0, N: 2}},
		}
		l := Find(p, []int32{0, 2}, 0)
		if l.Write[0] != c.sinks || (l.Read[1] == 2) != c.sinks {
			t.Errorf("%+v: %+v", c, l)
		}
		if cost := l.Reading(p, 1); (cost == 2*problem.RematCost) != c.sinks {
			t.Errorf("%+v: reading costs %v", c, cost)
		}
	}
}
