package control

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// IfConvert turns short conditional blocks into guarded instructions:
//
//	    @p BRA b2              @!p LDG r1 = … else r0
//	b1: LDG r1 = …
//	b2: r2 = PHI r0, r1
//
// or, where both paths do something,
//
//	    @p BRA b2              IADD3 r1 = …
//	b1: IADD3 r1 = …           @p LDG r2 = … else r1
//	    BRA b3
//	b2: LDG r2 = …
//	b3: r3 = PHI r1, r2
//
// A guard costs less than parting the threads of a warp and bringing them
// together again. What only computes needs not even the guard, unless the PHI
// wants something else where it does not run: that is left then. What has a
// guard already, because a branch in the block was converted before, gets one
// that holds where both do, if it must not run. It works on SSA form.
func IfConvert(f *ori.Func, most ConvertCost) bool {
	if !f.Props.SSA {
		return false
	}
	changed := false
	for again := true; again; {
		again = false
		c := &converter{f: f, v: opt.ValuesOf(f), most: most}
		for _, b := range f.Blocks {
			if h, ok := c.hammockAt(b); ok && f.Should("convert", b.Last()) {
				c.convert(b, h)
				again, changed = true, true
			}
		}
		branch.Unreachable(f)
		if again { // what stood around the branch may be short enough now
			branch.Merge(f)
		}
	}
	return changed
}

// ConvertCost is what blocks may cost to be guarded: one alone, two together, and two
// in a loop with products of matrices in registers. What matters to those is that
// they stand in one block with all that leads to the next.
type ConvertCost struct{ One, Both, Products int }

// hammock is a condition and what runs under it: one or two blocks that lead
// from b to join.
type hammock struct {
	sides []side
	join  *ori.Block
}

type side struct {
	t     *ori.Block
	guard ori.Operand
}

type converter struct {
	f     *ori.Func
	v     *opt.Values
	most  ConvertCost
	loops *flow.Loops // once they are asked for
}

// besideProducts reports whether the innermost loop around b multiplies matrices in
// registers.
func (c *converter) besideProducts(b *ori.Block) bool {
	if c.loops == nil {
		c.loops = flow.LoopsOf(c.f, flow.DomOf(c.f))
	}
	l := c.loops.Of(b)
	return l != nil && slices.ContainsFunc(l.Blocks, func(x *ori.Block) bool {
		for i := range x.Instrs {
			if i.Op.Has(op.Matrix) && !i.Op.Has(op.Effect) {
				return true
			}
		}
		return false
	})
}

// hammockAt recognises the short blocks between b and where its paths reconverge.
func (c *converter) hammockAt(b *ori.Block) (h hammock, ok bool) {
	i := b.Last()
	if i == nil || i.Op != op.BRA || i.Mods != (op.Mods{}) || len(i.Args) != 1 || i.Guard.Kind != ori.KReg || i.Guard.Class != ori.P || len(b.Succs) != 2 {
		return h, false
	}
	to := branch.Target(b, i)
	next := b.Succs[1]
	if to == nil || to == next || to != b.Succs[0] {
		return h, false
	}
	yes, no := side{to, i.Guard}, side{next, i.Guard.Not()}
	switch {
	case between(c.f, b, next, to):
		h = hammock{[]side{no}, to}
	case between(c.f, b, to, next):
		h = hammock{[]side{yes}, next}
	case len(to.Succs) == 1 && between(c.f, b, next, to.Succs[0]) && between(c.f, b, to, to.Succs[0]):
		h = hammock{[]side{no, yes}, to.Succs[0]}
	default:
		return h, false
	}
	sum := 0
	for _, s := range h.sides {
		n, ok := c.convertible(s)
		if !ok {
			return h, false
		}
		sum += n
	}
	sum += c.moves(b, h)
	if len(h.sides) == 1 {
		return h, sum <= c.most.One
	}
	return h, sum <= c.most.Both || sum <= c.most.Products && c.besideProducts(b)
}

// between reports whether t is entered from b alone and leads to join.
func between(f *ori.Func, b, t, join *ori.Block) bool {
	return t != b && t != join && join != b && t != f.Blocks[0] && !t.Kept && len(t.Preds) == 1 && len(t.Succs) == 1 && t.Succs[0] == join
}

// convertible reports whether all of a side can run under its guard, and what
// that costs, which is at most as much as it may. Two words are cleared by one
// instruction.
func (c *converter) convertible(s side) (cost int, ok bool) {
	inner, cleared := guards{outer: s.guard}, 0
	for i := s.t.First(); i != nil; i = i.Next() {
		if i == s.t.Last() && i.Op == op.BRA && i.Guard.Kind == ori.KNone && i.Mods == (op.Mods{}) {
			break
		}
		if i.Op == op.PHISRC {
			continue
		}
		if clears(i) {
			cleared++
			cost -= cleared&1 ^ 1
		}
		if cost++; cost > c.most.One || i.Op.Has(op.Effect|op.Terminator|op.Convergent|op.Uniform) || i.Op.Has(op.Pseudo) && i.Op != op.COPY && i.Op != op.UNDEF {
			return 0, false
		}
		for _, d := range i.Dsts() {
			if d.Class != ori.R && d.Class != ori.P || d.HasReg() && d.Reg == s.guard.Reg { // what comes behind would ask the new one
				return 0, false
			}
		}
		if i.Guard.Kind == ori.KNone {
			continue
		}
		if i.Guard.Kind != ori.KReg || i.Guard.Class != ori.P {
			return 0, false
		}
		if i.Guard.Reg != s.guard.Reg && !c.harmless(i) && !inner.known(i.Guard) && testOf(c.v, s.t, i.Guard) == nil {
			inner.add(i.Guard, i.Guard)
			cost++
		}
	}
	return cost, cost <= c.most.One
}

// clears reports whether i sets a word to zero and does nothing else.
func clears(i *ori.Instr) bool {
	return (i.Op == op.MOV || i.Op == op.COPY) && i.Guard.Kind == ori.KNone && len(i.Args) == 2 && i.Args[0].Class == ori.R && opt.IsZero(i.Args[1])
}

// harmless reports whether i may run where its block does not, as far as
// nobody wants its results then.
func (c *converter) harmless(i *ori.Instr) bool {
	for _, d := range i.Dsts() {
		if c.v.IsVariable(d) {
			return false
		}
	}
	for _, s := range i.Srcs() {
		if s.Kind == ori.KConst && s.Reg != ori.NoReg {
			return false // an index that is only valid here
		}
	}
	guard := i.Guard
	i.Guard = ori.Operand{}
	pure := opt.IsPure(i) || i.Op == op.UNDEF
	i.Guard = guard
	return pure
}

// convert moves the instructions of the sides to the end of b.
func (c *converter) convert(b *ori.Block, h hammock) {
	jump := b.Last()
	for _, s := range h.sides {
		c.settle(s)
	}
	want := olds{}
	var brings []ori.Operand
	var choices []meeting
	for i := h.join.First(); i != nil && i.Op == op.PHI; i = i.Next() {
		m := c.meeting(b, h, i)
		x := m.value
		switch {
		case m.value.Kind == ori.KNone:
			x = m.instead
		case m.same():
		case c.leave(nil, m) && c.leave(want, m):
			c.advance(want, b, h, m)
		default:
			c.f.Regs = append(c.f.Regs, c.f.Regs[i.Args[0].Reg])
			x = i.Args[0]
			x.Reg = ori.Reg(len(c.f.Regs) - 1)
			m.result = x
			choices = append(choices, m)
		}
		brings = append(brings, x)
	}
	for _, s := range h.sides {
		c.guard(b, jump, s, want)
	}
	c.v.Grow()
	for _, m := range choices {
		for n := range max(1, m.result.N) {
			c.choose(jump, wordOf(m.result, n), wordOf(m.value, n), wordOf(m.instead, n), m)
		}
	}
	c.lead(b, h, brings)
}

// settle removes the guards of a side that hold wherever it runs, and what
// never runs in it.
func (c *converter) settle(s side) {
	for i := range s.t.Instrs {
		switch {
		case i.Guard == s.guard:
			c.v.Count(i, -1)
			i.Guard, i.Old = ori.Operand{}, nil
			c.v.Count(i, 1)
		case i.Guard == s.guard.Not():
			at := i.Prev()
			c.v.Remove(i)
			for k, o := range i.Old {
				if i.Args[k].Kind != ori.KReg {
					continue
				}
				n := c.f.NewInstr(op.UNDEF, op.Mods{}, []ori.Operand{i.Args[k]}, nil)
				if o.Kind != ori.KNone {
					n = c.f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{i.Args[k]}, []ori.Operand{o})
				}
				n.Line, n.Loc = i.Line, i.Loc
				if at == nil {
					at = s.t.Prepend(n)
				} else {
					at = s.t.InsertAfter(n, at)
				}
				c.v.Count(n, 1)
			}
		}
	}
}

// guard moves the instructions of a side before the jump at the end of b.
func (c *converter) guard(b *ori.Block, jump *ori.Instr, s side, want olds) {
	inner := guards{outer: s.guard}
	must := func(i *ori.Instr) bool { return want[i] != nil || !c.harmless(i) }
	inner.tests(c.v, s.t, must)
	for i := range s.t.Instrs {
		if i.Op == op.BRA || i.Op == op.PHISRC {
			continue
		}
		if must(i) {
			c.v.Count(i, -1)
			if i.Guard.Kind == ori.KNone {
				i.Guard = s.guard
			} else {
				i.Guard = inner.both(c.v, jump, i)
			}
			c.old(jump, i, want[i])
			c.v.Count(i, 1)
		}
		i.Remove()
		b.InsertBefore(i, jump)
	}
}

// lead makes the join all that b leads to, with what it brings there.
func (c *converter) lead(b *ori.Block, h hammock, brings []ori.Operand) {
	jump := b.Last()
	for s := range flow.PhiSources(b, h.join) {
		c.v.Remove(s)
	}
	for _, x := range h.sides {
		for s := range flow.PhiSources(x.t, h.join) {
			c.v.Remove(s)
		}
	}
	for _, s := range h.sides {
		b.RemoveEdge(s.t)
		s.t.RemoveEdge(h.join)
	}
	if len(b.Succs) == 0 {
		b.AddEdge(h.join)
	}
	n := 0
	for i := h.join.First(); i != nil && i.Op == op.PHI; i = i.Next() {
		s := c.f.NewInstr(op.PHISRC, op.Mods{}, nil, []ori.Operand{ori.Label(h.join), i.Args[1], brings[n]})
		b.InsertBefore(s, jump)
		c.v.Count(s, 1)
		n++
	}
	c.v.Count(jump, -1)
	jump.Guard = ori.Operand{}
	jump.Args[0] = ori.Label(h.join)
	c.v.Count(jump, 1)
	c.f.Touch()
}
