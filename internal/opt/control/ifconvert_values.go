package control

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// What PHIs behind converted blocks are.

// moves counts the words of PHIs that need a move under the guard.
func (c *converter) moves(b *ori.Block, h hammock) (n int) {
	for i := h.join.First(); i != nil && i.Op == op.PHI; i = i.Next() {
		if m := c.meeting(b, h, i); !m.same() && !c.leave(nil, m) {
			n += int(max(1, i.Args[0].N))
		}
	}
	return n
}

// meeting is what a PHI is behind a hammock: value, under the guard of side in,
// or instead.
type meeting struct {
	value, instead ori.Operand
	in             side
	result         ori.Operand // of a choice between them
}

// same reports whether there is nothing to choose.
func (m *meeting) same() bool {
	return m.value == m.instead || m.value.Kind == ori.KNone || m.instead.Kind == ori.KNone
}

// meeting says what a PHI is behind a hammock. The second side comes behind the
// first, so that what it makes can leave what that makes.
func (c *converter) meeting(b *ori.Block, h hammock, phi *ori.Instr) meeting {
	last := h.sides[len(h.sides)-1]
	m := meeting{value: source(last.t, h.join, phi), in: last}
	if len(h.sides) == 1 {
		m.instead = source(b, h.join, phi)
		return m
	}
	first := h.sides[0]
	m.instead = source(first.t, h.join, phi)
	if !c.madeIn(last.t, m.value) && c.madeIn(first.t, m.instead) {
		m = meeting{value: m.instead, instead: m.value, in: first}
	}
	return m
}

// source is what b brings to a PHI of s.
func source(b, s *ori.Block, phi *ori.Instr) ori.Operand {
	if x := branch.SourceOf(b, s, phi); x != nil {
		return x.Args[2]
	}
	return ori.Operand{}
}

// madeIn reports whether t makes some word of a.
func (c *converter) madeIn(t *ori.Block, a ori.Operand) bool {
	if a.Kind != ori.KReg {
		return false
	}
	w := c.v.WordOf(a)
	for n := w; n < w+int32(max(1, a.N)); n++ {
		if d := c.v.Words[n].Def; d != nil && d.Block() == t {
			return true
		}
	}
	return false
}

// olds says what instructions of the sides leave, word by word of their results;
// words that are none: nothing, but they must not run where their side does not.
type olds map[*ori.Instr][]ori.Operand

// leave lets what makes the value of m leave what there is instead. It is
// false if that cannot be. Without want nothing is noted.
func (c *converter) leave(want olds, m meeting) bool {
	for n := range max(1, m.value.N) {
		if !c.leaves(want, wordOf(m.value, n), wordOf(m.instead, n), m.in.t, opt.MaxChain) {
			return false
		}
	}
	return true
}

// wordOf returns word n of an operand.
func wordOf(a ori.Operand, n uint8) ori.Operand {
	a.Sub, a.N = a.Sub+n, 1
	return a
}

// leaves lets word x, which an instruction of t makes, be o where t does not
// run.
func (c *converter) leaves(want olds, x, o ori.Operand, t *ori.Block, steps int) bool {
	d := c.v.Writer(x)
	if d == nil || d.Block() != t || d.Op == op.PHI || d.Op == op.UNDEF || steps == 0 {
		return false
	}
	n := 0 // words before it
	for k := range d.Dsts() {
		r := &d.Args[k]
		if r.Kind != ori.KReg || r.Reg != x.Reg || x.Sub < r.Sub || x.Sub >= r.Sub+r.N {
			n += int(max(1, r.N))
			continue
		}
		n += int(x.Sub - r.Sub)
		if k < len(d.Old) && d.Old[k].Kind == ori.KReg {
			old := wordOf(d.Old[k], x.Sub-r.Sub)
			if old != o && !c.leaves(want, old, o, t, steps-1) {
				return false
			}
			o = ori.Operand{}
		}
		break
	}
	if was := want[d]; was != nil && was[n].Kind != ori.KNone && o.Kind != ori.KNone && was[n] != o {
		return false
	}
	if want == nil {
		return true
	}
	if want[d] == nil {
		want[d] = make([]ori.Operand, wordsIn(d.Dsts()))
	}
	if o.Kind != ori.KNone {
		want[d][n] = o
	}
	return true
}

// wordsIn counts the words of operands.
func wordsIn(list []ori.Operand) (n int) {
	for k := range list {
		n += int(max(1, list[k].N))
	}
	return n
}

// choose makes word d before the jump: x where the guard of m holds, y where not.
// What was updated under a guard is updated once more: another guard around all of it
// can let it be.
func (c *converter) choose(jump *ori.Instr, d, x, y ori.Operand, m meeting) {
	const either = 0xca // the second if the first holds, else the third
	guard := m.in.guard
	if c.updated(x) {
		x, y, guard = y, x, guard.Not()
	}
	i := c.f.NewInstr(op.SEL, op.Mods{}, []ori.Operand{d}, []ori.Operand{x, y, guard})
	switch {
	case d.Class == ori.P:
		i = c.f.NewInstr(op.PLOP3, op.M(op.MLUT), []ori.Operand{d}, []ori.Operand{guard, x, y, ori.Imm(either), ori.Imm(0)})
	case c.updated(y):
		i = c.f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{d}, []ori.Operand{x})
		i.Guard, i.Old = guard, []ori.Operand{y}
	}
	i.Line, i.Loc = jump.Line, jump.Loc
	jump.Block().InsertBefore(i, jump)
	c.v.Count(i, 1)
}

// updated reports whether word x is what a guarded instruction makes or leaves.
func (c *converter) updated(x ori.Operand) bool {
	d := c.v.Writer(x)
	return d != nil && d.Guard.Kind != ori.KNone && d.NDst == 1 && d.Args[0] == x && d.Old[0].Kind == ori.KReg
}

// advance lets both sides write over a word that each makes its own next value
// of, and that nobody reads behind them:
//
//	    @p BRA b2                 @!p SHF r1 = r0, … else r0
//	b1: SHF r1 = r0, …            @p IMAD r2 = r1, … else r1
//	    BRA b3
//	b2: IMAD r2 = r0, …
//	b3: r3 = PHI r1, r2
//
// Where the second side runs the first has left what it reads.
func (c *converter) advance(want olds, b *ori.Block, h hammock, m meeting) {
	if len(h.sides) == 1 || m.in.t != h.sides[1].t {
		return
	}
	first, last := h.sides[0].t, h.sides[1].t
	d := c.v.Once(m.instead)
	if d == nil || d.Block() != first || d.NDst != 1 || d.Args[0] != m.instead || m.instead.N != 1 || want[d] != nil || d.Op.Has(op.Pseudo) {
		return
	}
	for _, s := range d.Srcs() {
		s.Flags = 0
		if s.Kind != ori.KReg || s.Class != m.instead.Class || s.N != 1 || c.v.Writer(s) == nil || !c.ends(s, d, b, last) {
			continue
		}
		want[d] = []ori.Operand{s}
		for i := range last.Instrs {
			c.rename(i, s, m.instead)
		}
		return
	}
}

// ends reports whether all who read word a stand in b, in the block of d and
// not behind it, and in last.
func (c *converter) ends(a ori.Operand, d *ori.Instr, b, last *ori.Block) bool {
	reads, second := int32(0), int32(0)
	for i := b.First(); i != nil; i = i.Next() {
		reads += readsOf(i, a)
	}
	for i := d; i != nil; i = i.Prev() {
		reads += readsOf(i, a)
	}
	for i := last.First(); i != nil; i = i.Next() {
		second += readsOf(i, a)
		if readsOf(i, a) > 0 && (i.Op == op.PHISRC || slices.ContainsFunc(i.Args, func(s ori.Operand) bool { return s.N > 1 && opt.Overlaps(s, a) })) {
			return false
		}
	}
	return second > 0 && reads+second == c.v.ReadsOf(a)
}

// readsOf counts how often i reads word a.
func readsOf(i *ori.Instr, a ori.Operand) (n int32) {
	for k := int(i.NDst); k < len(i.Args); k++ {
		if opt.Overlaps(i.Args[k], a) {
			n++
		}
	}
	for _, o := range i.Old {
		if opt.Overlaps(o, a) {
			n++
		}
	}
	if opt.Overlaps(i.Guard, a) {
		n++
	}
	return n
}

// rename lets i read word x instead of a, if it reads that word as such.
func (c *converter) rename(i *ori.Instr, a, x ori.Operand) {
	c.v.Count(i, -1)
	for k := int(i.NDst); k < len(i.Args); k++ {
		if s := &i.Args[k]; opt.Overlaps(*s, a) {
			s.Reg, s.Sub = x.Reg, x.Sub
		}
	}
	for k := range i.Old {
		if s := &i.Old[k]; opt.Overlaps(*s, a) {
			s.Reg, s.Sub = x.Reg, x.Sub
		}
	}
	if opt.Overlaps(i.Guard, a) {
		i.Guard.Reg, i.Guard.Sub = x.Reg, x.Sub
	}
	c.v.Count(i, 1)
}

// old says what the results of i, which has a guard, are where that does not
// hold: the words, as far as they say, or what they were said to be.
func (c *converter) old(jump, i *ori.Instr, words []ori.Operand) {
	if i.Old == nil && i.NDst > 0 {
		i.Old = make([]ori.Operand, i.NDst)
		for k, d := range i.Dsts() {
			if c.v.IsVariable(d) {
				i.Old[k] = d
			}
		}
	}
	if words == nil {
		return
	}
	for k := range i.Dsts() {
		n := max(1, i.Args[k].N)
		if o := c.together(jump, i, i.Args[k], words[:n]); o.Kind != ori.KNone {
			i.Old[k] = o
		}
		words = words[n:]
	}
}

// together returns words that result d may be instead as one operand, none if
// there are none.
func (c *converter) together(jump, i *ori.Instr, d ori.Operand, words []ori.Operand) ori.Operand {
	first, some, row := words[0], false, true
	for n, w := range words {
		some = some || w.Kind != ori.KNone
		row = row && w.Kind == ori.KReg && w == wordOf(first, uint8(n))
	}
	switch {
	case !some:
		return ori.Operand{}
	case row:
		first.N = uint8(len(words))
		return first
	}
	c.f.Regs = append(c.f.Regs, c.f.Regs[d.Reg])
	d.Reg = ori.Reg(len(c.f.Regs) - 1)
	c.v.Grow()
	for n, w := range words {
		m := c.f.NewInstr(op.UNDEF, op.Mods{}, []ori.Operand{wordOf(d, uint8(n))}, nil)
		if w.Kind != ori.KNone {
			m = c.f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{wordOf(d, uint8(n))}, []ori.Operand{w})
		}
		m.Line, m.Loc = i.Line, i.Loc
		jump.Block().InsertBefore(m, jump)
		c.v.Count(m, 1)
	}
	return d
}
