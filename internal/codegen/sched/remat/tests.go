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
	maker  *ori.Instr   // makes what it compares from a register that is the same before the stores, or nil
	again  *ori.Instr   // the comparison before these
	column *ori.Instr   // and what it compares
}

// sharing is how many tests compare what is made from one register before that
// lives on for them instead.
const sharing = 4

// Tests returns the tests of a block that may be made again.
func Tests(f *ori.Func, b *ori.Block) []*Test {
	tests := map[ori.Reg]*Test{}
	reads := map[ori.Reg][]*Test{} // by what comparisons read
	m := makers{by: map[ori.Reg]*ori.Instr{}, from: map[ori.Reg][]ori.Reg{}}
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
			for _, r := range m.written(d.Reg) {
				for _, t := range reads[r] {
					t.freeze()
				}
			}
		}
		m.add(f, i)
		if t := testOf(f, i); t != nil {
			tests[i.Args[0].Reg] = t
			list = append(list, t)
			for _, a := range i.Srcs() {
				if a.HasReg() {
					reads[a.Reg] = append(reads[a.Reg], t)
					if x := m.by[a.Reg]; x != nil {
						t.maker = x
					}
				}
			}
		}
	}
	return slices.DeleteFunc(list, func(t *Test) bool {
		return !t.loads || len(t.stores) == 0 || !f.Should("test again", t.def)
	})
}

// makers are the instructions of a block that make a word from another one.
type makers struct {
	by   map[ori.Reg]*ori.Instr // by what they make, as long as that and its source are the same
	from map[ori.Reg][]ori.Reg  // by the source, what is made
}

// written forgets what is made from r, and r, and returns the former.
func (m *makers) written(r ori.Reg) []ori.Reg {
	delete(m.by, r)
	list := m.from[r]
	delete(m.from, r)
	for _, c := range list {
		delete(m.by, c)
	}
	return list
}

// add notes i if it makes a word from one register.
func (m *makers) add(f *ori.Func, i *ori.Instr) {
	if base := baseOf(f, i); base != ori.NoReg {
		r := i.Args[0].Reg
		m.by[r] = i
		m.from[base] = append(m.from[base], r)
	}
}

// baseOf is the only register that i makes another one from.
func baseOf(f *ori.Func, i *ori.Instr) ori.Reg {
	if i.NDst != 1 || i.Guard.Kind != ori.KNone || !i.Op.Has(op.Derives) || i.Op.Has(op.Turns) {
		return ori.NoReg
	}
	d, base := i.Args[0], ori.NoReg
	if d.Kind != ori.KReg || d.Class != ori.R || f.Regs[d.Reg].Width != 1 || f.Regs[d.Reg].Fixed {
		return ori.NoReg
	}
	for _, a := range i.Srcs() {
		switch {
		case !a.HasReg():
		case a.Kind != ori.KReg || a.Class != ori.R || a.N > 1 || a.Reg == d.Reg || base != ori.NoReg && base != a.Reg:
			return ori.NoReg
		default:
			base = a.Reg
		}
	}
	return base
}

// freeze has the test compare the word that it compares now.
func (t *Test) freeze() {
	if len(t.stores) == 0 {
		t.maker = nil
	}
}

// Columns leaves the tests their makers where that spares registers: where
// nobody else reads what they compare, and several words are made from one. It
// reports whether there are any.
func Columns(f *ori.Func, list []*Test) (some bool) {
	tested, bases := map[ori.Reg]int{}, map[ori.Reg]int{}
	for _, t := range list {
		if t.maker != nil {
			tested[t.maker.Args[0].Reg]++
			bases[baseOf(f, t.maker)]++
		}
	}
	if len(tested) == 0 {
		return false
	}
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			Reads(i, func(o *ori.Operand) {
				if n, ok := tested[o.Reg]; ok {
					tested[o.Reg] = n - 1
				}
			})
		}
	}
	for _, t := range list {
		if t.maker == nil {
			continue
		}
		if tested[t.maker.Args[0].Reg] != 0 || bases[baseOf(f, t.maker)] < sharing {
			t.maker = nil
		} else {
			some = true
		}
	}
	return some
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

// Column makes what the comparison before the first store compares again, too.
func (t *Test) Column(f *ori.Func) {
	if t.maker == nil {
		return
	}
	old := t.maker.Args[0]
	d := old
	d.Reg = f.NewReg(ori.R, 1)
	f.Regs[d.Reg] = f.Regs[old.Reg]
	t.column = f.NewInstr(t.maker.Op, t.maker.Mods, []ori.Operand{d}, t.maker.Srcs())
	t.column.Line, t.column.Loc = t.maker.Line, t.maker.Loc
	t.again.Block().InsertBefore(t.column, t.again)
	Reads(t.again, func(o *ori.Operand) {
		if o.Reg == old.Reg {
			o.Reg = d.Reg
		}
	})
}

// UndoColumn takes that back.
func (t *Test) UndoColumn() {
	if t.column == nil {
		return
	}
	Reads(t.again, func(o *ori.Operand) {
		if o.Reg == t.column.Args[0].Reg {
			o.Reg = t.maker.Args[0].Reg
		}
	})
	t.column.Remove()
	t.column = nil
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
