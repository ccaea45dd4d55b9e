package ssa

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// final returns an operand as it is called in the end.
func (l *leaver) final(a ori.Operand) ori.Operand {
	if !a.HasReg() || l.up == nil || int(a.Reg) >= len(l.up) {
		return a
	}
	r, d := l.root(a.Reg)
	a.Reg = r
	if a.Kind != ori.KConst {
		a.Sub += uint8(d)
	}
	return a
}

// settleEdges lists the copies that PHIs need on each edge, and decides where
// they stand, while the registers still have the names of values.
func (l *leaver) settleEdges() {
	for _, b := range l.f.Blocks {
		for n, s := range b.Succs {
			if n > 0 && s == b.Succs[0] {
				continue
			}
			e := edgeCopies{from: b, to: s}
			for i := range flow.PhiSources(b, s) {
				if a := i.Args[2]; a.Kind == ori.KReg && l.final(a) != l.final(l.phis[i.Args[1].Imm].Args[0]) {
					e.list = append(e.list, i)
				}
			}
			if len(e.list) == 0 {
				continue
			}
			slices.Reverse(e.list)
			e.before = true
			for _, i := range e.list {
				e.before = e.before && l.harmless(b, s, i)
			}
			l.edges = append(l.edges, e)
		}
	}
}

// harmless reports whether the copy for PHISRC i may be made at the end of b
// whichever way it goes: nothing that its place holds is wanted by the jump or
// elsewhere.
func (l *leaver) harmless(b, s *ori.Block, i *ori.Instr) bool {
	one := len(b.Succs) == 1 || len(b.Succs) == 2 && b.Succs[0] == b.Succs[1]
	if l.up == nil {
		return one && !guardedTail(b)
	}
	d := l.phis[i.Args[1].Imm].Args[0]
	root, at := l.root(d.Reg)
	at += int(d.Sub)
	// wanted asks about the words that are in the place and are not what is
	// copied there
	wanted := func(test func(r ori.Reg, n int) bool) bool {
		for _, r := range l.of(root) {
			_, dr := l.root(r)
			for w := max(at, dr); w < min(at+int(d.N), dr+int(l.f.Regs[r].Width)); w++ {
				from := l.v.Word(&i.Args[2]) + int32(w-at)
				if l.value(l.v.Base[r]+int32(w-dr)) != l.value(from) && test(r, w-dr) {
					return true
				}
			}
		}
		return false
	}
	if wanted(func(r ori.Reg, n int) bool {
		for j := range b.Leaving {
			if l.reads(j, l.v.Base[r]+int32(n)) {
				return true
			}
		}
		return false
	}) {
		return false
	}
	if one {
		return true
	}
	for _, o := range b.Succs {
		if o == s {
			continue
		}
		if wanted(func(r ori.Reg, n int) bool {
			if k := l.live.Number(r, n); k >= 0 && l.live.Start(o).Has(k) {
				return true
			}
			for j := range flow.PhiSources(b, o) {
				if l.reads(j, l.v.Base[r]+int32(n)) {
					return true
				}
			}
			for j := o.First(); j != nil && j.Op == op.PHI; j = j.Next() {
				if x := &j.Args[0]; x.Reg == r && n >= int(x.Sub) && n < int(x.Sub+x.N) {
					return true
				}
			}
			return false
		}) {
			return false
		}
	}
	return true
}

// guardedTail reports whether threads may leave b before its end: an exit that
// not all of them take is no jump, but reads its guard where jumps do.
func guardedTail(b *ori.Block) bool {
	for i := range b.Leaving {
		if i.Guard.Kind != ori.KNone {
			return true
		}
	}
	return false
}

// rename gives everything its final name, and puts copies where values could
// not share a place.
func (l *leaver) rename() {
	type copies struct {
		edgeCopies
		moves []move
	}
	var edges []copies
	for _, e := range l.edges {
		c := copies{edgeCopies: e}
		for _, i := range e.list {
			d, s := l.final(l.phis[i.Args[1].Imm].Args[0]), l.final(i.Args[2])
			for n := range d.N {
				to, from := d, s
				to.Sub, to.N, from.Sub, from.N = d.Sub+n, 1, s.Sub+n, 1
				if to != from {
					c.moves = append(c.moves, move{to, from})
				}
			}
		}
		edges = append(edges, c)
	}
	for _, b := range l.f.Blocks {
		for i := range b.Instrs {
			l.instr(b, i)
		}
	}
	for _, e := range edges {
		l.place(e.edgeCopies, e.moves)
	}
	for _, e := range edges {
		l.repeated(e.from)
	}
}

// repeated removes the copies of b that the only block before it has made. To
// who looks at registers a second one on one path of two, where threads part,
// would make what all threads share depend on the path.
func (l *leaver) repeated(b *ori.Block) {
	if len(b.Preds) != 1 || b.Preds[0] == b {
		return
	}
	for i := range b.Instrs {
		if i.Op == op.COPY && l.holds(i, b.Preds[0]) {
			i.Remove()
		}
	}
}

// holds reports whether what copy i makes is so before it: the end of block p,
// which comes before, has made the same.
func (l *leaver) holds(i *ori.Instr, p *ori.Block) bool {
	for j := i.Prev(); j != nil; j = j.Prev() {
		if disturbs(j, i) {
			return false
		}
	}
	for j := p.Last(); j != nil; j = j.Prev() {
		if j.Op == op.COPY && j.Guard.Kind == ori.KNone && j.Args[0] == i.Args[0] && j.Args[1] == i.Args[1] {
			return true
		}
		if disturbs(j, i) {
			return false
		}
	}
	return false
}

// disturbs reports whether j writes a register of i.
func disturbs(j, i *ori.Instr) bool {
	for _, d := range j.Dsts() {
		if d.HasReg() && (opt.Overlaps(d, i.Args[0]) || i.Args[1].HasReg() && opt.Overlaps(d, i.Args[1])) {
			return true
		}
	}
	return false
}

// instr renames i, or removes it.
func (l *leaver) instr(b *ori.Block, i *ori.Instr) {
	if i.Op == op.PHI || i.Op == op.PHISRC {
		i.Remove()
		return
	}
	for k := range i.Args {
		i.Args[k] = l.final(i.Args[k])
	}
	i.Guard = l.final(i.Guard)
	var moves []move
	for k := range i.Old {
		if o := l.final(i.Old[k]); o.Kind == ori.KReg && o != i.Args[k] {
			moves = append(moves, move{i.Args[k], o})
		} else if d := i.Args[k]; o.Kind == ori.KNone && d.Kind == ori.KReg && !l.f.Regs[d.Reg].Var && !l.f.Regs[d.Reg].Fixed {
			// it would else hold what it did before, in a loop all around it
			n := l.f.NewInstr(op.UNDEF, op.Mods{}, []ori.Operand{d}, nil)
			n.Line, n.Loc = i.Line, i.Loc
			b.InsertBefore(n, i)
		}
	}
	i.Old = nil
	for _, m := range l.sequence(moves) {
		b.InsertBefore(l.copy(m, i), i)
	}
	if i.Op == op.COPY && i.Guard.Kind == ori.KNone && i.Args[0] == i.Args[1] {
		i.Remove()
	}
}

func (l *leaver) copy(m move, like *ori.Instr) *ori.Instr {
	c := l.f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{m.to}, []ori.Operand{m.from})
	if like != nil {
		c.Line, c.Loc = like.Line, like.Loc
	}
	return c
}

// place puts the copies of an edge where they belong.
func (l *leaver) place(e edgeCopies, moves []move) {
	b := e.from
	if !e.before {
		b = l.split(e.from, e.to)
	}
	at := b.Tail()
	for _, m := range l.sequence(moves) {
		if c := l.copy(m, at); at != nil {
			b.InsertBefore(c, at)
		} else {
			b.Append(c)
		}
	}
}

// split puts a block on the edge from b to s.
func (l *leaver) split(b, s *ori.Block) *ori.Block {
	f := l.f
	n := f.NewBlock()
	last := len(f.Blocks) - 1
	jumped := false
	for i := range b.Leaving {
		for k := range i.Args {
			if a := &i.Args[k]; a.Kind == ori.KLabel && a.Reg == ori.Reg(s.ID) {
				a.Reg = ori.Reg(n.ID)
				jumped = true
			}
		}
	}
	if jumped {
		j := f.NewInstr(op.BRA, op.Mods{}, nil, []ori.Operand{ori.Label(s)})
		j.Line, j.Loc = b.Last().Line, b.Last().Loc
		n.Append(j)
	} else {
		at := slices.Index(f.Blocks, b) + 1
		f.SetBlocks(slices.Insert(f.Blocks[:last:last], at, n))
	}
	b.ReplaceSucc(s, n)
	n.AddEdge(s)
	return n
}

// move is a copy that is made together with others.
type move struct{ to, from ori.Operand }

// sequence orders copies that are made at once, so that none overwrites what
// another still reads. Where they go around in a circle one value waits in a
// register of its own.
func (l *leaver) sequence(moves []move) []move {
	if len(moves) < 2 {
		return moves
	}
	var out []move
	for len(moves) > 0 {
		k := slices.IndexFunc(moves, func(m move) bool {
			return !slices.ContainsFunc(moves, func(o move) bool { return o != m && opt.Overlaps(o.from, m.to) })
		})
		if k >= 0 {
			out = append(out, moves[k])
			moves = slices.Delete(moves, k, k+1)
			continue
		}
		m := &moves[0]
		t := l.f.Words(l.f.NewReg(m.from.Class, int(m.from.N)))
		out = append(out, move{t, m.from})
		m.from = t
	}
	return out
}
