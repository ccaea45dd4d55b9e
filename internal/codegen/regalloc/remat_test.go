package regalloc_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/check"
)

// crowd is a block with a value in between whose uses so many others live
// that something goes to memory or is made again.
type crowd struct {
	p regalloc.Problem
}

func newCrowd(budget int) *crowd {
	return &crowd{regalloc.Problem{Files: []regalloc.File{{Name: "R", Size: 255, Budget: budget, SpillTo: regalloc.Memory}}}}
}

func (c *crowd) reg(width, align uint8) int32 {
	c.p.VRegs = append(c.p.VRegs, regalloc.VReg{Width: width, Align: align, Fixed: -1, Remat: -1})
	return int32(len(c.p.VRegs) - 1)
}

func (c *crowd) inst(ops ...regalloc.Operand) int32 {
	c.p.Insts = append(c.p.Insts, regalloc.Inst{First: int32(len(c.p.Ops)), N: int32(len(ops))})
	c.p.Ops = append(c.p.Ops, ops...)
	return int32(len(c.p.Insts) - 1)
}

func def(v int32) regalloc.Operand { return regalloc.Operand{V: v, N: 1, Role: regalloc.Def} }
func use(v int32) regalloc.Operand { return regalloc.Operand{V: v, N: 1, Role: regalloc.Use} }

// fill makes n values that live at once, and reads them twice, so that they
// are dear.
func (c *crowd) fill(n int) {
	first := int32(len(c.p.VRegs))
	for range n {
		c.inst(def(c.reg(1, 1)))
	}
	for range 2 {
		for v := first; v < first+int32(n); v++ {
			c.inst(use(v))
		}
	}
}

func (c *crowd) solve(t *testing.T) *regalloc.Solution {
	t.Helper()
	c.p.Blocks = []regalloc.Block{{N: int32(len(c.p.Insts))}}
	s, err := regalloc.Solve(&c.p, regalloc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := check.Check(&c.p, s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestMadeFromOthers: a value that one instruction makes of a register that
// lives anyway is made again, unless that register was written in between.
func TestMadeFromOthers(t *testing.T) {
	for _, c := range []struct {
		name    string
		written bool
		slots   int
	}{{"as it was", false, 0}, {"written since", true, 1}} {
		x := newCrowd(5)
		from, v := x.reg(1, 1), x.reg(1, 1)
		x.inst(def(from))
		n := x.inst(def(v), use(from))
		x.p.VRegs[v].Remat = n
		if c.written {
			x.inst(def(from))
		}
		x.fill(4)
		x.inst(use(v))
		x.inst(use(from))
		s := x.solve(t)
		if s.Slots != c.slots {
			t.Errorf("%s: %d words of memory, want %d", c.name, s.Slots, c.slots)
		}
	}
}

// TestMadeFromMany: of many values, each made from the one before and read at
// the end, some go to memory: to make the last again would take all of them.
func TestMadeFromMany(t *testing.T) {
	const values = 100
	x := newCrowd(8)
	last := x.reg(1, 1)
	x.inst(def(last))
	for range values {
		v := x.reg(1, 1)
		x.p.VRegs[v].Remat = x.inst(def(v), use(last))
		last = v
	}
	for v := last; v >= 0; v-- {
		x.inst(use(v))
	}
	s := x.solve(t)
	made, stored := 0, 0
	for n := range s.Problem.Insts {
		switch s.Problem.Insts[n].Kind {
		case regalloc.Remat:
			made++
		case regalloc.Spill:
			stored++
		}
	}
	if made == 0 || stored == 0 || made > 3*values {
		t.Errorf("%d are made again, %d stored", made, stored)
	}
}

// TestRepeatedTooLate: the checker sees that an instruction is repeated where
// it reads something else than before.
func TestRepeatedTooLate(t *testing.T) {
	x := newCrowd(5)
	from, v := x.reg(1, 1), x.reg(1, 1)
	x.inst(def(from))
	x.p.VRegs[v].Remat = x.inst(def(v), use(from))
	x.fill(4)
	x.inst(use(v))
	x.inst(use(from))
	s := x.solve(t)
	again := -1
	for n := range s.Problem.Insts {
		if s.Problem.Insts[n].Kind == regalloc.Remat {
			again = n
		}
	}
	if again < 0 {
		t.Fatal("nothing is made again")
	}
	for n := range s.Problem.Insts { // one of the others becomes a write of what it is made from
		i := &s.Problem.Insts[n]
		if i.Kind == regalloc.Normal && i.Orig == 2 {
			x.p.Ops[x.p.Insts[2].First].V = from
			s.Problem.Ops[i.First].V = from
		}
	}
	if check.Check(&x.p, s) == nil {
		t.Error("nothing is said of a value made from another one")
	}
}

// TestConstantsLate: zeros under a guarded load of four words do not go to
// memory.
func TestConstantsLate(t *testing.T) {
	x := newCrowd(8)
	v := x.reg(4, 4)
	for k := range uint8(4) {
		x.p.Insts[x.inst(regalloc.Operand{V: v, Sub: k, N: 1, Role: regalloc.Def})].Constant = true
	}
	x.fill(6)
	x.inst(regalloc.Operand{V: v, N: 4, Role: regalloc.DefMay})
	x.fill(6)
	x.inst(regalloc.Operand{V: v, N: 4, Role: regalloc.Use})
	s := x.solve(t)
	stores := 0
	for n := range s.Problem.Insts {
		if i := &s.Problem.Insts[n]; i.Kind == regalloc.Spill {
			stores += int(s.Problem.Ops[i.First].N)
		}
	}
	if stores != 4 {
		t.Errorf("%d words go to memory, 4 are loaded", stores)
	}
}
