package isel

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Early reconvergence. Where a path out of a branch leaves a loop for good, the
// branch's paths reconverge only behind that loop. The threads that stay in the
// loop can still reconverge inside it, where they would if nobody left, when those
// that leave say so:
//
//	L:      BSSY k = x
//	        @p BRA b2
//	b1:     @q BREAK k           they will not come
//	        @q BRA behind
//	        …
//	b2:     …
//	x:      BSYNC k              all others, together
//	        @r BRA L
//
// Without that, threads that parted in one turn of the loop would run all
// other turns apart.

// early finds the region of the branch at the end of b inside the innermost
// loop in which two of its paths stay and reconverge, if its paths do so behind
// that loop.
func (c *converger) early(b *ori.Block) {
	if c.dom.Order.Index[b.ID] < 0 {
		return
	}
	for p := c.loops.Of(b); p != nil; p = p.Parent {
		if to := c.pdom.Ipdom[b.ID]; to >= 0 && c.inside(p, c.byID[to]) {
			return
		}
		stay := 0
		for _, s := range b.Succs {
			if c.inside(p, s) {
				stay++
			}
		}
		if stay < 2 {
			continue
		}
		x := c.within(p)[b.ID]
		if x < 0 {
			c.oneEnd(p)
			continue
		}
		r, ok := c.earlyRegion(b, c.byID[x], p)
		if !ok {
			continue
		}
		if !slices.ContainsFunc(c.regions, func(s region) bool { return s.from == r.from && s.to == r.to }) {
			c.regions = append(c.regions, r)
		}
		return
	}
}

// oneEnd notes that the turns of loop p, which end in several places, should
// end in one: there its threads can reconverge.
func (c *converger) oneEnd(p *flow.Loop) {
	n := 0
	for _, b := range p.Header.Preds {
		if !c.inside(p, b) {
			continue
		}
		if last := b.Last(); last != nil && last.Op.Has(op.Terminator) && last.Op != op.BRA {
			return // a table names the header
		}
		n++
	}
	if n > 1 && !p.Header.Kept && !c.joined && !slices.Contains(c.many, p) {
		c.many = append(c.many, p)
	}
}

// oneEntry notes that loop p, which is entered from several places or from
// one that goes elsewhere too, should have a block before it: there its
// threads can be noted.
func (c *converger) oneEntry(p *flow.Loop) {
	for _, b := range p.Header.Preds {
		if last := b.Last(); !c.inside(p, b) && last != nil && last.Op.Has(op.Terminator) && last.Op != op.BRA {
			return // a table names the header
		}
	}
	if !p.Header.Kept && !c.joined && !slices.Contains(c.heads, p) {
		c.heads = append(c.heads, p)
	}
}

// join gives each of those loops a block in which its turns end, or one
// before it.
func (c *converger) join() {
	for _, p := range c.many {
		in := map[*ori.Block]bool{}
		for _, b := range p.Blocks {
			in[b] = true
		}
		c.landing(p.Header, in)
	}
	for _, p := range c.heads {
		in := map[*ori.Block]bool{}
		for _, b := range p.Header.Preds {
			if !c.inside(p, b) {
				in[b] = true
			}
		}
		c.landing(p.Header, in)
	}
	c.f.Touch()
}

// earlyRegion makes the region in loop p from b, or from before the loops
// around b, to the block to, if all of it is entered there and every branch
// out of p can be told of.
func (c *converger) earlyRegion(b, to *ori.Block, p *flow.Loop) (region, bool) {
	r := region{from: b, to: to, in: p}
	var out *flow.Loop
	for l := c.loops.Of(b); l != nil && l != p && !c.inside(l, to); l = l.Parent {
		out = l
	}
	if out != nil {
		if r.from = c.before(out); r.from == nil || !c.inside(p, r.from) {
			return r, false
		}
	}
	if to == p.Header || !c.closed(&r) || c.tangled && !c.once(&r) {
		return r, false
	}
	leaves := false
	for _, x := range c.between(&r) {
		if _, n, ok := c.leaving(x, p); !ok {
			return r, false
		} else if n > 0 {
			leaves = true
		}
	}
	_, n, _ := c.leaving(r.from, p)
	return r, leaves && n == 0
}

// leaving returns the guard under which the branch at the end of b leaves
// loop p, and how many of its edges do; ok is false if that is not a plain
// predicate.
func (c *converger) leaving(b *ori.Block, p *flow.Loop) (guard ori.Operand, n int, ok bool) {
	for _, s := range b.Succs {
		if !c.inside(p, s) {
			n++
		}
	}
	if n == 0 || n == len(b.Succs) {
		return ori.Operand{}, n, true
	}
	i := b.Last()
	if i == nil || i.Op != op.BRA || len(b.Succs) != 2 || i.Guard.Kind != ori.KReg || i.Guard.Class != ori.P || len(i.Args) != 1 || i.Args[0].Kind != ori.KLabel {
		return ori.Operand{}, n, false
	}
	if prev := i.Prev(); prev != nil && prev.Op.Has(op.Terminator) {
		return ori.Operand{}, n, false
	}
	guard = i.Guard
	for _, s := range b.Succs {
		if s.ID == int32(i.Args[0].Reg) && c.inside(p, s) { // it leaves by not branching
			guard = guard.Not()
		}
	}
	return guard, n, true
}

// depart tells barrier k of the threads that leave r's loop at the end of b:
// inner barriers before those around them. Of the threads that stay, those that
// wait at an inner one would else be left behind where the outer one is found
// complete.
func (c *converger) depart(b *ori.Block, r *region, k ori.Reg) {
	guard, n, _ := c.leaving(b, r.in)
	if n == 0 {
		return
	}
	i := c.f.NewInstr(op.BREAK, op.Mods{}, nil, []ori.Operand{c.f.Words(k)})
	i.Guard = guard
	at := b.Last()
	if at == nil || !at.Op.Has(op.Terminator) {
		at = nil
	} else {
		i.Line, i.Loc = at.Line, at.Loc
	}
	for p := b.Last(); p != nil && (p == at || p.Op == op.BREAK); p = p.Prev() {
		if p != at && slices.Contains(c.placed[p.Srcs()[0].Reg], r.from) {
			at = p // its region has r inside
		}
	}
	if at == nil {
		b.Append(i)
		return
	}
	b.InsertBefore(i, at)
}

// within returns, by block ID, the immediate post-dominators of the blocks
// of loop p when a turn of it ends the program and nobody leaves it; -1 for
// those whose paths reconverge only at the end of the turn, or end elsewhere.
func (c *converger) within(p *flow.Loop) []int32 {
	if c.turns[p] != nil {
		return c.turns[p]
	}
	post, last := c.upwards(p)
	up := make([]int32, c.f.NumBlocks())
	for n := range up {
		up[n] = -2 // not known
	}
	for changed := true; changed; {
		changed = false
		for n := len(post) - 1; n >= 0; n-- {
			b := post[n]
			to := int32(-2)
			for _, s := range b.Succs {
				x := s.ID
				switch {
				case s == p.Header:
					x = -1
				case !c.inside(p, s) || last[x] < 0 || up[x] == -2:
					continue
				}
				to = nearestBoth(to, x, up, last)
			}
			if to != up[b.ID] {
				up[b.ID] = to
				changed = true
			}
		}
	}
	for n := range up {
		up[n] = max(up[n], -1)
	}
	if c.turns == nil {
		c.turns = map[*flow.Loop][]int32{}
	}
	c.turns[p] = up
	return up
}

// nearestBoth returns the nearest block that post-dominates both a and b; -1 is
// the end of the turn, -2 is no block yet.
func nearestBoth(a, b int32, up, last []int32) int32 {
	if a == -2 {
		return b
	}
	for a != b {
		switch {
		case a == -1 || b == -1:
			return -1
		case last[a] < last[b]:
			a = up[a]
		default:
			b = up[b]
		}
	}
	return a
}

// upwards lists the blocks of loop p from which a turn can end in postorder
// of a walk up from there, and the place of each in it, by block ID; -1 for
// all others.
func (c *converger) upwards(p *flow.Loop) (post []*ori.Block, last []int32) {
	last = make([]int32, c.f.NumBlocks())
	for n := range last {
		last[n] = -1
	}
	seen := make([]bool, c.f.NumBlocks())
	type frame struct {
		b *ori.Block
		n int
	}
	for _, latch := range p.Header.Preds {
		if !c.inside(p, latch) || seen[latch.ID] {
			continue
		}
		seen[latch.ID] = true
		stack := []frame{{latch, 0}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.b != p.Header && top.n < len(top.b.Preds) {
				q := top.b.Preds[top.n]
				top.n++
				if c.inside(p, q) && !seen[q.ID] {
					seen[q.ID] = true
					stack = append(stack, frame{q, 0})
				}
				continue
			}
			last[top.b.ID] = int32(len(post))
			post = append(post, top.b)
			stack = stack[:len(stack)-1]
		}
	}
	return post, last
}
