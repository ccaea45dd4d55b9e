package loop

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/opt/ssa"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Peel writes the first turn of a loop before it where a branch inside goes one
// way in the first turn and the other in all others. Neither asks then. It works
// on SSA form.
//
//	    MOV r1 = rz                 MOV r1 = rz
//	b1: ISETP.EQ p = r1, rz         …; the first turn, as if p
//	    @p BRA b3                   @!q BRA b5
//	b2: …                       b1: …; the turn, as if not p
//	b3: …                           @q BRA b1
//	    IADD3 r1 = r1, 0x1      b5:
//	    ISETP.LT q = r1, r2
//	    @q BRA b1
func Peel(f *ori.Func, most Copied) bool {
	if !f.Props.SSA {
		return false
	}
	u := &unroller{f: f, room: most.Growth, dom: flow.DomOf(f), v: opt.ValuesOf(f), in: make([]int32, f.NumBlocks())}
	all := flow.LoopsOf(f, u.dom).All
	outer := map[*flow.Loop]bool{}
	for _, l := range all {
		outer[l.Parent] = true
	}
	changed := false
	for n, l := range all {
		u.loop, u.number = l, int32(n)+1
		if outer[l] || !u.copiable(most.Body) || u.size > u.room || !u.shape() || !u.forks {
			continue
		}
		if s := u.firsts(); len(s) > 0 && f.Should("peel", s[0].at.Last()) {
			u.room -= u.size
			u.peel(s)
			changed = true
		}
	}
	if changed {
		ssa.Mend(f)
	}
	return changed
}

// early is a branch of a loop that goes one way in the first turn and the other
// in all others.
type early struct {
	at          *ori.Block
	first, rest *ori.Block // where it leads then
}

// firsts lists such branches of the loop.
func (u *unroller) firsts() (list []early) {
	for _, b := range u.loop.Blocks {
		i := b.Last()
		if b == u.latch || i == nil || i.Op != op.BRA || i.Mods != (op.Mods{}) || len(i.Args) != 1 || i.Guard.Kind != ori.KReg || i.Guard.Class != ori.P || len(b.Succs) != 2 {
			continue
		}
		t := branch.Target(b, i)
		if t == nil || t == b.Succs[1] || !u.has(t) || !u.has(b.Succs[1]) {
			continue
		}
		first, ok := u.onlyFirst(i)
		if !ok {
			continue
		}
		if first == (i.Guard.Flags&ori.Inv == 0) {
			list = append(list, early{b, t, b.Succs[1]})
		} else {
			list = append(list, early{b, b.Succs[1], t})
		}
	}
	return list
}

// onlyFirst returns what the predicate of a branch is in the first turn, if it
// is the opposite in all others.
func (u *unroller) onlyFirst(i *ori.Instr) (first, ok bool) {
	g := i.Guard
	g.Flags = 0
	test := u.inside(g)
	if test == nil || test.Op != op.ISETP || test.NDst != 1 || len(test.Args) != 4 || test.Mods.Has(op.MEX) || !test.Mods.Has(op.MAND) {
		return false, false
	}
	if p := test.Args[3]; p.Kind != ori.KZero || p.Flags != 0 {
		return false, false
	}
	a, b, swapped := test.Args[1], test.Args[2], false
	if a.Kind != ori.KReg {
		a, b, swapped = b, a, true
	}
	k, ok := constWord(b)
	if !ok || !opt.Plain(a) {
		return false, false
	}
	cmp := op.NoMod
	for _, m := range comparisons {
		if test.Mods.Has(m.cmp) {
			cmp = m.of(swapped, false)
		}
	}
	at, phi, added := u.start(a)
	if phi == nil {
		return false, false
	}
	from, ok := u.initial(phi, at)
	if !ok {
		return false, false
	}
	if flag, ok := u.flag(phi, at); ok {
		x, y := compared(cmp, from+int32(added), k, test), compared(cmp, flag+int32(added), k, test)
		return x, x != y
	}
	equal := cmp == op.MEQ
	return equal, (equal || cmp == op.MNE) && added == 0 && from == k && u.passes(at)
}

// compared computes a comparison of constants.
func compared(cmp op.Mod, a, b int32, test *ori.Instr) bool {
	x, y := int64(a), int64(b)
	if test.Mods.Has(op.MU32) {
		x, y = int64(uint32(a)), int64(uint32(b))
	}
	switch cmp {
	case op.MLT:
		return x < y
	case op.MLE:
		return x <= y
	case op.MGT:
		return x > y
	case op.MGE:
		return x >= y
	case op.MEQ:
		return x == y
	}
	return x != y
}

// initial returns the constant that a word of a PHI is in the first turn.
func (u *unroller) initial(phi *ori.Instr, at ori.Operand) (int32, bool) {
	first, ok := u.first(phi, at)
	if !ok {
		return 0, false
	}
	return u.setTo(first)
}

// flag returns the constant that every turn sets a word of a PHI to.
func (u *unroller) flag(phi *ori.Instr, at ori.Operand) (int32, bool) {
	next, ok := u.next(phi, at)
	if !ok {
		return 0, false
	}
	return u.setTo(next)
}

// passes reports whether a word that every turn counts never is again what it
// was before the first turn: it goes by ones to a bound that it cannot miss.
func (u *unroller) passes(at ori.Operand) bool {
	c, ok := u.countedBy(2)
	if !ok || c.at != at || c.first != c.step || c.step != 1 && c.step != -1 {
		return false
	}
	return c.cmp == op.MNE || c.step == 1 && c.cmp == op.MLT || c.step == -1 && c.cmp == op.MGT
}

// peel writes the first turn before the loop.
func (u *unroller) peel(list []early) {
	f, header := u.f, u.loop.Header
	body := u.body()
	old := len(f.Blocks)
	t := clone(f, body)
	for _, p := range u.entries() {
		redirect(p, header, t.of(header), t.there)
	}
	redirect(t.of(u.latch), t.of(header), header, t.back)
	for _, s := range list {
		decide(t.of(s.at), t.of(s.rest))
		decide(s.at, s.first)
	}
	at := slices.Index(f.Blocks, body[0])
	made := slices.Clone(f.Blocks[old:])
	f.Blocks = slices.Insert(f.Blocks[:old], at, made...)
}
