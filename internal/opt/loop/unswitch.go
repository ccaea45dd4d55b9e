package loop

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
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
// other.
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
	u := &unroller{f: f, room: most.Growth, tried: map[*ori.Block]bool{}}
	changed := false
	for u.unswitchOne(most) {
		f.Touch()
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
	u.writers = nil
	u.index()
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
		if u.size += b.Len(); u.size > most || b.Kept || !u.plain(b) {
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
	if i == nil || i.Op != op.BRA || i.Mods != (op.Mods{}) || len(i.Args) != 1 || i.Guard.Kind != ori.KReg || i.Guard.Class != ori.P || len(b.Succs) != 2 || u.f.Regs[i.Guard.Reg].Fixed {
		return s, false
	}
	s = asked{at: b, guard: i.Guard, then: opt.Target(b, i), rest: b.Succs[1]}
	if s.then == nil || s.then == s.rest || !u.has(s.then) || !u.has(s.rest) {
		return s, false
	}
	g := s.guard
	g.Flags = 0
	written := slices.ContainsFunc(u.writers[g.Reg], func(w *ori.Instr) bool { return u.has(w.Block()) })
	if !written {
		return s, true
	}
	s.made = u.inside(g)
	return s, s.made != nil && u.repeatable(s.made) && u.settles(s.made, b)
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

// settles reports whether i always runs before the end of b in its turn.
func (u *unroller) settles(i *ori.Instr, b *ori.Block) bool {
	return u.dom.Dominates(i.Block(), b)
}

// unswitch writes the loop a second time and asks before both.
func (u *unroller) unswitch(s asked) {
	f, header := u.f, u.loop.Header
	body := u.body()
	old := len(f.Blocks)
	ask := f.NewBlock()
	u.enter(ask)
	to := u.clone(body)
	g := s.guard
	if s.made != nil {
		c := f.NewInstr(s.made.Op, s.made.Mods, []ori.Operand{f.Words(f.NewReg(ori.P, 1))}, s.made.Srcs())
		c.Line, c.Loc = s.made.Line, s.made.Loc
		ask.Append(c)
		flags := g.Flags
		g = c.Args[0]
		g.Flags = flags
	}
	jump := f.NewInstr(op.BRA, op.Mods{}, nil, []ori.Operand{ori.Label(to[ori.Reg(header.ID)])})
	jump.Guard, jump.Line, jump.Loc = g, s.at.Last().Line, s.at.Last().Loc
	ask.Append(jump)
	ask.AddEdge(to[ori.Reg(header.ID)])
	ask.AddEdge(header)
	twin := to[ori.Reg(s.at.ID)]
	decide(s.at, s.then)
	decide(twin, to[ori.Reg(s.rest.ID)])
	at := slices.Index(f.Blocks, body[0])
	made := slices.Clone(f.Blocks[old:])
	f.Blocks = slices.Insert(f.Blocks[:old], at, made...)
}

// decide lets the branch at the end of b no longer lead to not.
func decide(b, not *ori.Block) {
	b.Last().Remove()
	b.RemoveEdge(not)
}

// body lists the blocks of the loop in the order of the text.
func (u *unroller) body() (body []*ori.Block) {
	for _, b := range u.f.Blocks {
		if u.has(b) {
			body = append(body, b)
		}
	}
	return body
}

// enter lets what led to the header from outside of the loop lead to b.
func (u *unroller) enter(b *ori.Block) {
	header := u.loop.Header
	for _, p := range slices.Clone(header.Preds) {
		switch {
		case u.has(p):
		case p.Last() != nil:
			redirect(p, header, b)
		default:
			p.ReplaceSucc(header, b)
		}
	}
}
