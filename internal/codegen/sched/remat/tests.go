package remat

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Test is a predicate of a block that one comparison makes.
type Test struct {
	def    *ori.Instr
	loads  bool         // it guards loads
	stores []*ori.Instr // those that it guards behind them
	again  *ori.Instr   // the comparison before these
}

// Tests returns the tests of a block that may be made again.
func Tests(f *ori.Func, b *ori.Block) []*Test {
	tests := map[ori.Reg]*Test{}
	reads := map[ori.Reg][]*Test{} // by what comparisons read
	var list []*Test
	for i := b.First(); i != nil; i = i.Next() {
		Reads(i, func(o *ori.Operand) {
			if t := tests[o.Reg]; t != nil {
				t.use(i, o)
			}
		})
		for _, d := range i.Dsts() {
			if d.Kind != ori.KReg {
				continue
			}
			delete(tests, d.Reg)
			for _, t := range reads[d.Reg] { // it cannot be made again from here on
				delete(tests, t.def.Args[0].Reg)
			}
			delete(reads, d.Reg)
		}
		if t := testOf(f, i); t != nil {
			tests[i.Args[0].Reg] = t
			list = append(list, t)
			for _, a := range i.Srcs() {
				if a.HasReg() {
					reads[a.Reg] = append(reads[a.Reg], t)
				}
			}
		}
	}
	return slices.DeleteFunc(list, func(t *Test) bool {
		return !t.loads || len(t.stores) == 0 || !f.Should("test again", t.def)
	})
}

// use notes that i reads a predicate.
func (t *Test) use(i *ori.Instr, o *ori.Operand) {
	switch {
	case o != &i.Guard:
	case i.Op.Has(op.Writes):
		t.stores = append(t.stores, i)
	case i.Op.Has(op.Reads) && len(t.stores) == 0:
		t.loads = true
	}
}

// testOf returns the comparison i, if it can be made again.
func testOf(f *ori.Func, i *ori.Instr) *Test {
	if i.Op != op.ISETP || i.Guard.Kind != ori.KNone || i.NDst != 1 || i.Args[0].Kind != ori.KReg || i.Args[0].Class != ori.P || f.Regs[i.Args[0].Reg].Fixed {
		return nil
	}
	for _, a := range i.Srcs() {
		if a.HasReg() && (a.Class == ori.P || a.Class == ori.UP) {
			return nil
		}
	}
	return &Test{def: i}
}

// Repeat makes the comparison again before the first store.
func (t *Test) Repeat(f *ori.Func) {
	old := t.def.Args[0]
	d := old
	d.Reg = f.NewReg(ori.P, 1)
	f.Regs[d.Reg] = f.Regs[old.Reg]
	m := f.NewInstr(t.def.Op, t.def.Mods, []ori.Operand{d}, t.def.Srcs())
	m.Line, m.Loc = t.def.Line, t.def.Loc
	t.stores[0].Block().InsertBefore(m, t.stores[0])
	for _, i := range t.stores {
		i.Guard.Reg = d.Reg
	}
	t.again = m
}

// Undo takes it back.
func (t *Test) Undo() {
	for _, i := range t.stores {
		i.Guard.Reg = t.def.Args[0].Reg
	}
	t.again.Remove()
}
