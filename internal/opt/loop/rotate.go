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

// RotateLoops lets loops that look at their start whether another turn follows
// look at their end: a turn has one jump less, and later phases see how often
// it runs. The test is written twice. It works on SSA form.
//
//	b1: ISETP p = …            b1: ISETP p = …
//	    @p BRA b3                  @p BRA b3
//	b2: …                      b2: …
//	    BRA b1                     ISETP p = …
//	b3:                            @~p BRA b2
//	                           b3:
func RotateLoops(f *ori.Func, most int) bool {
	if !f.Props.SSA {
		return false
	}
	changed := false
	all := flow.LoopsOf(f, flow.DomOf(f)).All
	heads := make(map[*ori.Block]bool, len(all))
	for _, l := range all {
		heads[l.Header] = true
	}
	for _, l := range all {
		r, ok := rotationOf(l, most)
		if !ok || leadsTo(r.body, heads) || !f.Should("rotate", l.Header.Last()) {
			continue
		}
		r.rotate(f)
		changed = true
	}
	if changed {
		ssa.Mend(f)
	}
	return changed
}

// leadsTo reports whether nothing stands between the start of b and one of
// the heads: a loop that began with b would have one head with the loop inside,
// and threads that leave that one at different turns would not wait for each other.
func leadsTo(b *ori.Block, heads map[*ori.Block]bool) bool {
	for range opt.MaxChain {
		if heads[b] {
			return true
		}
		if i := b.First(); len(b.Succs) != 1 || i != nil && i.Op != op.BRA {
			return false
		}
		b = b.Succs[0]
	}
	return true
}

// rotation is a loop that can be rotated.
type rotation struct {
	header, latch *ori.Block
	body, exit    *ori.Block // where the header leads
	goOn          ori.Operand
}

// rotationOf recognises a loop with one way back, which is no test, and a
// short header that ends in one.
func rotationOf(l *flow.Loop, most int) (r rotation, ok bool) {
	h := l.Header
	in := make(map[*ori.Block]bool, len(l.Blocks))
	for _, b := range l.Blocks {
		in[b] = true
	}
	jump := h.Last()
	if h.Kept || jump == nil || jump.Op != op.BRA || jump.Mods != (op.Mods{}) || len(jump.Args) != 1 || jump.Guard.Kind != ori.KReg || len(h.Succs) != 2 {
		return r, false
	}
	for _, p := range h.Preds {
		if in[p] {
			if r.latch != nil {
				return r, false
			}
			r.latch = p
		}
	}
	t, fall := branch.Target(h, jump), h.Succs[1]
	if r.latch == nil || r.latch == h || len(r.latch.Succs) != 1 || t == nil || t == fall || in[t] == in[fall] {
		return r, false
	}
	r.header, r.body, r.exit, r.goOn = h, t, fall, jump.Guard
	if in[fall] {
		r.body, r.exit, r.goOn = fall, t, jump.Guard.Not()
	}
	if e := r.latch.Last(); e != nil && e.Op.Has(op.Terminator) && (e.Op != op.BRA || e.Guard.Kind != ori.KNone) {
		return r, false
	}
	size := 0
	for i := range h.Instrs {
		switch {
		case i == jump || i.Op == op.PHI || i.Op == op.PHISRC:
		case i.Op.Has(op.Effect|op.Terminator|op.Convergent|op.Pseudo) && i.Op != op.COPY:
			return r, false
		default:
			size++
		}
	}
	return r, size <= most && len(r.body.Preds) == 1 && !r.body.Kept && r.body != h
}

// rotate writes the header a second time, behind the latch.
func (r *rotation) rotate(f *ori.Func) {
	if e := r.latch.Last(); e != nil && e.Op == op.BRA {
		e.Remove()
	}
	t := clone(f, []*ori.Block{r.header})
	c := t.of(r.header)
	redirect(r.latch, r.header, c, t.there)
	c.Last().Guard, c.Last().Args[0] = r.goOn, ori.Label(r.body)
	for _, s := range slices.Clone(c.Succs) {
		c.RemoveEdge(s)
	}
	c.AddEdge(r.body)
	c.AddEdge(r.exit)
	r.body.Rolled, c.Rolled = r.header.Rolled, false
	last := len(f.Blocks) - 1
	f.Blocks = slices.Insert(f.Blocks[:last], slices.Index(f.Blocks, r.latch)+1, c)
}
