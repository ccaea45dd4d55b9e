package control

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// IfConvert turns short conditional blocks into guarded instructions:
//
//	    @p BRA b2              @!p LDG r = …
//	b1: LDG r = …
//	b2: …
//
// or, where both paths do something,
//
//	    @p BRA b2              @!p IADD3 r = …
//	b1: IADD3 r = …            @p  LDG r = …
//	    BRA b3
//	b2: LDG r = …
//	b3: …
//
// A guard costs less than parting the threads of a warp and bringing them
// together again. What only computes a word that nobody wants on the other path
// needs not even the guard, and is alive no longer than it was. What has one already, because a branch in the block was
// converted before, gets one that holds where both do. Two guarded moves to one
// register become a choice in Selects.
func IfConvert(f *ori.Func, most ConvertCost) bool {
	v := opt.ValuesOf(f)
	c := &converter{f: f, v: v}
	changed := false
	for again := true; again; {
		again = false
		for _, b := range f.Blocks {
			if h, ok := hammockAt(v, f, b, most); ok && f.Should("convert", b.Last()) {
				c.convert(b, h)
				again, changed = true, true
			}
		}
		opt.Unreachable(f)
		if again { // what stood around the branch may be short enough now
			opt.Merge(f)
		}
	}
	return changed
}

// ConvertCost is what blocks may cost to be guarded: one alone, and two together.
type ConvertCost struct{ One, Both int }

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

// hammockAt recognises the short blocks between b and where its paths reconverge.
func hammockAt(v *opt.Values, f *ori.Func, b *ori.Block, most ConvertCost) (h hammock, ok bool) {
	i := b.Last()
	if i == nil || i.Op != op.BRA || i.Mods != (op.Mods{}) || len(i.Args) != 1 || i.Guard.Kind != ori.KReg || i.Guard.Class != ori.P || len(b.Succs) != 2 {
		return h, false
	}
	to := opt.Target(b, i)
	next := b.Succs[1]
	if to == nil || to == next || to != b.Succs[0] {
		return h, false
	}
	yes, no := side{to, i.Guard}, side{next, i.Guard.Not()}
	switch {
	case between(f, b, next, to):
		h = hammock{[]side{no}, to}
	case between(f, b, to, next):
		h = hammock{[]side{yes}, next}
	case len(to.Succs) == 1 && between(f, b, next, to.Succs[0]) && between(f, b, to, to.Succs[0]):
		h = hammock{[]side{no, yes}, to.Succs[0]}
	default:
		return h, false
	}
	sum := 0
	for _, s := range h.sides {
		n, ok := convertible(v, s.t, s.guard, most.One)
		if !ok {
			return h, false
		}
		sum += n
	}
	return h, len(h.sides) == 1 || sum <= most.Both
}

// between reports whether t is entered from b alone and leads to join.
func between(f *ori.Func, b, t, join *ori.Block) bool {
	return t != b && t != join && join != b && t != f.Blocks[0] && !t.Kept && len(t.Preds) == 1 && len(t.Succs) == 1 && t.Succs[0] == join
}

// convertible reports whether all of t can run under the guard, and what
// that costs, which is at most as much as it may. Two words are cleared by one
// instruction.
func convertible(v *opt.Values, t *ori.Block, guard ori.Operand, most int) (cost int, ok bool) {
	inner, cleared := guards{outer: guard}, 0
	for i := t.First(); i != nil; i = i.Next() {
		if i == t.Last() && i.Op == op.BRA && i.Guard.Kind == ori.KNone && i.Mods == (op.Mods{}) {
			break
		}
		if clears(i) {
			cleared++
			cost -= cleared&1 ^ 1
		}
		if cost++; cost > most || i.Op.Has(op.Effect|op.Terminator|op.Convergent|op.Uniform) || i.Op.Has(op.Pseudo) && i.Op != op.COPY {
			return 0, false
		}
		for _, d := range i.Dsts() {
			if d.Class != ori.R && d.Class != ori.P || d.HasReg() && d.Reg == guard.Reg {
				return 0, false
			}
		}
		if i.Guard.Kind == ori.KNone {
			inner.written(i)
			continue
		}
		if i.Guard.Kind != ori.KReg || i.Guard.Class != ori.P {
			return 0, false
		}
		if i.Guard.Reg != guard.Reg && !inner.known(i.Guard) && testOf(v, t, i.Guard) == nil {
			inner.add(i.Guard, i.Guard)
			cost++
		}
		inner.written(i)
	}
	return cost, cost <= most
}

// clears reports whether i sets a word to zero and does nothing else.
func clears(i *ori.Instr) bool {
	return (i.Op == op.MOV || i.Op == op.COPY) && i.Guard.Kind == ori.KNone && len(i.Args) == 2 && i.Args[0].Class == ori.R && opt.IsZero(i.Args[1])
}

// converter knows what words were wanted before anything was converted. What
// stands at the start of a block wants no more of them since then, whatever
// else is guarded instead of jumped around.
type converter struct {
	f     *ori.Func
	v     *opt.Values
	live  *flow.Live
	loops *flow.Loops
}

// convert moves the instructions of the sides to the end of b.
func (c *converter) convert(b *ori.Block, h hammock) {
	if c.live == nil {
		c.live, c.loops = flow.LiveOf(c.f), flow.LoopsOf(c.f, flow.DomOf(c.f))
	}
	jump := b.Last()
	for n, s := range h.sides {
		other := h.join
		if n+1 < len(h.sides) {
			other = h.sides[n+1].t
		}
		c.guard(b, jump, s, other)
		b.RemoveEdge(s.t)
		s.t.RemoveEdge(h.join)
	}
	if len(b.Succs) == 0 {
		b.AddEdge(h.join)
	}
	c.v.Count(jump, -1)
	jump.Guard = ori.Operand{}
	jump.Args[0] = ori.Label(h.join)
	c.v.Count(jump, 1)
	c.f.Touch()
}

// guard moves the instructions of a side before the jump at the end of b. other
// is where threads go on that do not run it.
func (c *converter) guard(b *ori.Block, jump *ori.Instr, s side, other *ori.Block) {
	v := c.v
	inner := guards{outer: s.guard}
	inner.tests(v, s.t)
	for i := range s.t.Instrs {
		switch {
		case i.Op == op.BRA:
			continue
		case i.Guard == s.guard.Not(): // it never runs
			v.Remove(i)
			continue
		case i.Guard.Kind == ori.KReg && i.Guard.Reg != s.guard.Reg:
			g := inner.both(v, jump, i)
			v.CountRead(&i.Guard, -1)
			i.Guard = g
			v.CountRead(&i.Guard, 1)
		case i.Guard.Kind == ori.KNone && !speculates(i, func(d *ori.Operand) bool { return v.Stable(*d) || c.unwanted(other, d) }):
			c.begin(jump, i, other)
			v.Count(i, -1)
			i.Guard = s.guard
			v.Count(i, 1)
		}
		inner.written(i)
		i.Remove()
		b.InsertBefore(i, jump)
	}
}

// begin says before the jump that the results of i begin there: under the guard
// that i gets it would not end what they were in the turn of the loop before,
// which nobody wants.
func (c *converter) begin(jump, i *ori.Instr, other *ori.Block) {
	for n := range i.Dsts() {
		d := &i.Args[n]
		if d.Kind != ori.KReg || c.v.Stable(*d) && c.loops.Of(jump.Block()) == nil || !c.unwanted(other, d) ||
			slices.ContainsFunc(i.Srcs(), func(s ori.Operand) bool { return s.HasReg() && s.Reg == d.Reg }) {
			continue
		}
		u := c.f.NewInstr(op.UNDEF, op.Mods{}, []ori.Operand{*d}, nil)
		u.Line, u.Loc = i.Line, i.Loc
		jump.Block().InsertBefore(u, jump)
		c.v.Count(u, 1)
	}
}

// unwanted reports whether d may have any value at the start of b.
func (c *converter) unwanted(b *ori.Block, d *ori.Operand) bool {
	if d.Kind != ori.KReg || !c.live.Knows(d.Reg) || c.f.Regs[d.Reg].Fixed {
		return false
	}
	for n := range max(1, int(d.N)) {
		if w := c.live.Number(d.Reg, int(d.Sub)+n); w >= 0 && c.live.Start(b).Has(w) {
			return false
		}
	}
	return true
}

// speculates reports whether i may run even when its results are not wanted,
// which free is asked of each of them.
func speculates(i *ori.Instr, free func(*ori.Operand) bool) bool {
	if !opt.IsPure(i) || i.Op == op.COPY {
		return false
	}
	for _, s := range i.Srcs() {
		if s.Kind == ori.KConst && s.Reg != ori.NoReg {
			return false // an index that is only valid here
		}
	}
	for n := range i.Dsts() {
		if d := &i.Args[n]; d.HasReg() && !free(d) {
			return false
		}
	}
	return true
}
