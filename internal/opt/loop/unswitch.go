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

// Copied are the bounds on loops of which a copy is made, in instructions.
type Copied struct {
	Body   int // of the loop
	Growth int // that copies add to a function
}

// Unswitch writes innermost loops twice that ask in every turn what no turn changes and
// all threads of the warp agree about: it is asked once, before them. Where
// threads may disagree the loops stay, as they would do both one after the
// other. It works on SSA form.
//
//	b1: …                           ISETP p2 = r2, rz; @p2 BRA b5
//	    ISETP p = r2, rz        b1: …
//	    @p BRA b3               b2: …
//	b2: …                       b4: …; @q BRA b1; BRA b6
//	    BRA b4                  b5: …
//	b3: …                           as b3
//	b4: …                           @q BRA b5
//	    @q BRA b1               b6:
//	b6:
func Unswitch(f *ori.Func, most Copied) bool {
	if !f.Props.SSA {
		return false
	}
	u := &unroller{f: f, room: most.Growth, tried: map[*ori.Block]bool{}}
	changed := false
	for u.unswitchOne(most) {
		ssa.Mend(f)
		changed = true
	}
	return changed
}

// unswitchOne writes an innermost loop twice. Loops around others have few turns
// too often: what a copy of theirs keeps others from costs more.
func (u *unroller) unswitchOne(most Copied) bool {
	f := u.f
	u.dom = flow.DomOf(f)
	all := flow.LoopsOf(f, u.dom).All
	if len(all) == 0 {
		return false
	}
	u.v = opt.ValuesOf(f)
	u.in = make([]int32, f.NumBlocks())
	var x *flow.Uniformity
	outer := map[*flow.Loop]bool{}
	for _, l := range all {
		outer[l.Parent] = true
	}
	for n, l := range all {
		u.loop, u.number = l, int32(n)+1
		if outer[l] || u.tried[l.Header] || !u.copiable(most.Body) || u.size > u.room {
			continue
		}
		if x == nil {
			x = flow.UniformityOf(f)
		}
		for _, b := range l.Blocks {
			s, ok := u.switchOf(b)
			if !ok || x.Differs(s.guard.Reg) || !f.Should("unswitch", b.Last()) {
				continue
			}
			u.tried[l.Header] = true
			u.room -= u.size
			u.unswitch(s)
			return true
		}
	}
	return false
}

// copiable reports whether the loop is short and holds nothing that must not
// be copied, and nothing for which threads gather.
func (u *unroller) copiable(most int) bool {
	u.size = 0
	for _, b := range u.loop.Blocks {
		for i := range b.Instrs {
			if i.Op != op.PHI && i.Op != op.PHISRC {
				u.size++
			}
		}
		if u.size > most || b.Kept || !u.plain(b) {
			return false
		}
		u.in[b.ID] = u.number
	}
	if len(u.f.Syncs) == 0 {
		return true
	}
	for _, b := range u.loop.Blocks {
		for i := range b.Instrs {
			if flow.IsSync(u.f, i) {
				return false
			}
		}
	}
	return true
}

// asked is a branch of a loop on a predicate that is the same in all turns.
type asked struct {
	at         *ori.Block
	guard      ori.Operand
	made       *ori.Instr // in the loop, where it is made; nil: before
	then, rest *ori.Block
}

// switchOf recognises such a branch at the end of b, both ways of which stay in
// the loop.
func (u *unroller) switchOf(b *ori.Block) (s asked, ok bool) {
	i := b.Last()
	if i == nil || i.Op != op.BRA || i.Mods != (op.Mods{}) || len(i.Args) != 1 || i.Guard.Kind != ori.KReg || i.Guard.Class != ori.P || len(b.Succs) != 2 {
		return s, false
	}
	s = asked{at: b, guard: i.Guard, then: branch.Target(b, i), rest: b.Succs[1]}
	if s.then == nil || s.then == s.rest || !u.has(s.then) || !u.has(s.rest) {
		return s, false
	}
	g := s.guard
	g.Flags = 0
	made := u.v.Writer(g)
	switch {
	case made == nil:
		return s, false
	case !u.has(made.Block()):
		return s, true
	}
	s.made = u.inside(g)
	return s, s.made != nil && u.repeatable(s.made)
}

// repeatable reports whether i compares what no turn changes.
func (u *unroller) repeatable(i *ori.Instr) bool {
	if !opt.IsPure(i) || i.NDst != 1 || len(i.Args) != 4 || i.Op != op.ISETP && i.Op != op.FSETP {
		return false
	}
	if p := i.Args[3]; p.Kind != ori.KZero {
		return false
	}
	return u.stays(i.Args[1]) && u.stays(i.Args[2])
}

// unswitch writes the loop a second time and asks before both.
func (u *unroller) unswitch(s asked) {
	f, header := u.f, u.loop.Header
	body := u.body()
	old := len(f.Blocks)
	ask := f.NewBlock()
	first := u.enter(ask)
	t := clone(f, body)
	g := s.guard
	if s.made != nil {
		c := f.NewInstr(s.made.Op, s.made.Mods, []ori.Operand{f.Words(f.NewReg(ori.P, 1))}, s.made.Srcs())
		c.Line, c.Loc = s.made.Line, s.made.Loc
		ask.Append(c)
		flags := g.Flags
		g = c.Args[0]
		g.Flags = flags
	}
	u.lead(ask, t.of(header), first, t.there)
	u.lead(ask, header, first, asIs)
	jump := f.NewInstr(op.BRA, op.Mods{}, nil, []ori.Operand{ori.Label(t.of(header))})
	jump.Guard, jump.Line, jump.Loc = g, s.at.Last().Line, s.at.Last().Loc
	ask.Append(jump)
	decide(s.at, s.then)
	decide(t.of(s.at), t.of(s.rest))
	at := slices.Index(f.Blocks, body[0])
	made := slices.Clone(f.Blocks[old:])
	f.Blocks = slices.Insert(f.Blocks[:old], at, made...)
}
