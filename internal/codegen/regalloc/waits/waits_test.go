package waits

import (
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/problem"
)

// TestCost: a write costs the more the shorter it stands behind a late read of its
// register, nothing out of range or in a register that nobody reads late, and a
// late read costs as much before a write.
func TestCost(t *testing.T) {
	for _, c := range []struct {
		between int
		want    int
	}{{0, 11}, {15, 6}, {30, 1}, {waitRange, 0}} {
		p := &problem.Problem{VRegs: []problem.VReg{{Width: 1}, {Width: 1}}}
		inst := func(late bool, ops ...problem.Operand) {
			i := problem.Inst{First: int32(len(p.Ops)), N: int32(len(ops))}
			if late {
				i.Late = 1
			}
			p.Insts, p.Ops = append(p.Insts, i), append(p.Ops, ops...)
		}
		inst(false, problem.Operand{V: 0, N: 1, Role: problem.Def})
		inst(true, problem.Operand{V: 0, N: 1, Role: problem.Use})
		for range c.between {
			inst(false)
		}
		inst(false, problem.Operand{V: 1, N: 1, Role: problem.Def})
		p.Blocks = []problem.Block{{N: int32(len(p.Insts))}}
		if !Has(p, 0) || Has(p, 1) {
			t.Fatal("the late read is not found")
		}
		f := FactsOf(p, 0, func(v int32) (int32, int16) { return v, 0 })
		reader, writer := New(f, 8, 3), New(f, 8, 3)
		reader.Take(0, 5)
		writer.Take(1, 5)
		if got := reader.Cost(1, 5); got != c.want {
			t.Errorf("a write %d instructions behind a late read costs %d, want %d", c.between+1, got, c.want)
		}
		if got := writer.Cost(0, 5); got != c.want {
			t.Errorf("a late read %d instructions before a write costs %d, want %d", c.between+1, got, c.want)
		}
		if got := reader.Cost(1, 6); got != 0 {
			t.Errorf("another register costs %d", got)
		}
	}
}
