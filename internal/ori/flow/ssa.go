package flow

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// CheckSSA proves that a function in SSA form is: every word that belongs to
// no variable and to no register fixed by convention has at most one
// definition, which dominates every use; PHIs stand first in their blocks and
// have one source on every edge; guarded definitions say what they leave.
func CheckSSA(f *ori.Func) error {
	if !f.Props.SSA {
		return nil
	}
	c := &ssaChecker{f: f, dom: dominators(f, OrderOf(f)), base: make([]int32, len(f.Regs)+1), pos: make([]int32, f.NumInstrs())}
	for r := range f.Regs {
		c.base[r+1] = c.base[r] + int32(f.Regs[r].Width)
	}
	c.def = make([]*ori.Instr, c.base[len(f.Regs)])
	for _, step := range [...]func(*ori.Block) error{c.defs, c.uses, c.phis} {
		for _, b := range c.dom.Order.Blocks {
			if err := step(b); err != nil {
				return fmt.Errorf("function %s: b%d: %w", f.Name, b.ID, err)
			}
		}
	}
	return nil
}

type ssaChecker struct {
	f    *ori.Func
	dom  *Dom
	base []int32
	def  []*ori.Instr // of each word
	pos  []int32      // of each instruction in its block
}

// isValue reports whether the register of an operand is no variable.
func (c *ssaChecker) isValue(a *ori.Operand) bool {
	return a.HasReg() && !c.f.Regs[a.Reg].Var && !c.f.Regs[a.Reg].Fixed
}

func (c *ssaChecker) words(a *ori.Operand) (first, end int32) {
	if a.Kind == ori.KConst {
		return c.base[a.Reg], c.base[a.Reg] + 1
	}
	first = c.base[a.Reg] + int32(a.Sub)
	return first, first + int32(max(1, a.N))
}

// defs: one definition of each word.
func (c *ssaChecker) defs(b *ori.Block) error {
	n := int32(0)
	for i := b.First(); i != nil; i = i.Next() {
		n++
		c.pos[i.ID] = n
		for k := range i.NDst {
			a := &i.Args[k]
			if !c.isValue(a) {
				if a.Kind == ori.KReg && len(i.Old) > 0 && i.Old[k].Kind == ori.KNone {
					return fmt.Errorf("%s leaves nothing in a variable", c.f.AppendInstr(nil, i))
				}
				continue
			}
			if i.Guard.Kind != ori.KNone && len(i.Old) == 0 {
				return fmt.Errorf("%s does not say what it leaves", c.f.AppendInstr(nil, i))
			}
			w, end := c.words(a)
			for ; w < end; w++ {
				if c.def[w] != nil {
					return fmt.Errorf("%s defines again what %s does", c.f.AppendInstr(nil, i), c.f.AppendInstr(nil, c.def[w]))
				}
				c.def[w] = i
			}
		}
	}
	return nil
}

// uses: every use behind its definition.
func (c *ssaChecker) uses(b *ori.Block) error {
	for i := b.First(); i != nil; i = i.Next() {
		for k := int(i.NDst); k <= len(i.Args)+len(i.Old); k++ {
			a := &i.Guard
			switch {
			case k < len(i.Args):
				a = &i.Args[k]
			case k > len(i.Args):
				a = &i.Old[k-len(i.Args)-1]
			}
			if !c.isValue(a) {
				continue
			}
			w, end := c.words(a)
			for ; w < end; w++ {
				d := c.def[w]
				if d == nil || d.Block() == b && c.pos[d.ID] >= c.pos[i.ID] || d.Block() != b && !c.dom.Dominates(d.Block(), b) {
					return fmt.Errorf("%s reads what nothing before it defines", c.f.AppendInstr(nil, i))
				}
			}
		}
	}
	return nil
}

// phis: PHIs come first, and each edge has one source for each of them, like
// its result.
func (c *ssaChecker) phis(b *ori.Block) error {
	list := map[int64]*ori.Instr{}
	for i := b.First(); i != nil; i = i.Next() {
		if i.Op != op.PHI {
			continue
		}
		if p := i.Prev(); p != nil && p.Op != op.PHI {
			return fmt.Errorf("%s is not first", c.f.AppendInstr(nil, i))
		}
		list[i.Args[1].Imm] = i
	}
	for n, p := range b.Preds {
		if c.dom.Order.Index[p.ID] < 0 || n > 0 && p == b.Preds[0] {
			continue
		}
		found := 0
		for i := range PhiSources(p, b) {
			x, s := list[i.Args[1].Imm], i.Args[2]
			if x == nil || s.Kind != ori.KNone && (s.Kind != ori.KReg || s.Flags != 0 || s.N != x.Args[0].N || s.Class != x.Args[0].Class) {
				return fmt.Errorf("%s in b%d has no PHI like it", c.f.AppendInstr(nil, i), p.ID)
			}
			found++
		}
		if found != len(list) {
			return fmt.Errorf("%d sources in b%d for %d PHIs", found, p.ID, len(list))
		}
	}
	return nil
}

// PhiSources yields the sources that b has for the PHIs of its successor s.
func PhiSources(b, s *ori.Block) func(yield func(*ori.Instr) bool) {
	return func(yield func(*ori.Instr) bool) {
		for i := b.Last(); i != nil; {
			prev := i.Prev()
			if i.Op == op.PHISRC {
				if i.Args[0].Reg == ori.Reg(s.ID) && !yield(i) {
					return
				}
			}
			i = prev
		}
	}
}
