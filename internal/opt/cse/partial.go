package cse

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// PartialRedundancy brings to a block, in SSA form, what it computes and what
// was computed on some of the ways to it before. On those that lack it, which
// lead nowhere else and do something anyway, it is computed at their end, so
// that no way computes more than it did.
//
//	b1: IMAD r3 = r1, r2, rz    b1: IMAD r3 = r1, r2, rz
//	    STS [r0], r3                STS [r0], r3
//	    BRA b3                      BRA b3, with r3 for r6
//	b2: …                       b2: IMAD r5 = r1, r2, rz, for r6
//	b3: IMAD r4 = r1, r2, rz    b3: PHI r6; r4 is r6
func PartialRedundancy(f *ori.Func) bool {
	if !f.Props.SSA || len(f.Blocks) < 3 {
		return false
	}
	dom := flow.DomOf(f)
	p := &partial{f: f, v: opt.ValuesOf(f), dom: dom, loops: flow.LoopsOf(f, dom)}
	for _, b := range dom.Order.Blocks {
		if p.joins(b) && p.words(b) <= maxWords {
			p.block(b)
		}
	}
	return f.Touched(p.changed)
}

// partial is one run of PartialRedundancy.
type partial struct {
	f       *ori.Func
	v       *opt.Values
	dom     *flow.Dom
	loops   *flow.Loops
	known   map[uint32][]*ori.Instr // computations by their hash; nil: not looked yet
	changed bool
}

// joins reports whether several ways lead to b, each of them once.
func (p *partial) joins(b *ori.Block) bool {
	if len(b.Preds) < 2 || len(b.Preds) > maxWays || b.Kept {
		return false
	}
	for n, q := range b.Preds {
		if p.dom.Order.Index[q.ID] < 0 || slices.Contains(b.Preds[:n], q) {
			return false
		}
	}
	return true
}

// maxWays bounds the ways to a block that are looked at.
const maxWays = 4

// maxWords bounds the words that live on the ways to a block because of what
// is brought to it. Both halves of each word of a matrix, wanted again behind
// a part of the way that may load the next one, would take two registers
// instead of one there, and a load of 128 registers finds no room beside them.
const maxWords = 24

// words counts the values that may be brought to b, less those they are made of.
func (p *partial) words(b *ori.Block) int {
	type word struct {
		r   ori.Reg
		sub uint8
	}
	n, of := 0, map[word]bool{}
	for i := range b.Instrs {
		if i.Op == op.PHI || !p.computes(i) || !p.before(b, i) {
			continue
		}
		if p.known == nil {
			p.look()
		}
		ways, ok := p.ways(b, i)
		if !ok || !slices.ContainsFunc(ways, func(w way) bool { return w.has != ways[0].has }) && ways[0].has != nil {
			continue
		}
		n += int(i.Args[0].N)
		for _, s := range i.Srcs() {
			if w := (word{s.Reg, s.Sub}); s.HasReg() && s.Class == ori.R && !of[w] {
				of[w] = true
				n -= int(s.N)
			}
		}
	}
	return n
}

// look lists all computations of the function.
func (p *partial) look() {
	p.known = map[uint32][]*ori.Instr{}
	for _, b := range p.dom.Order.Blocks {
		for i := range b.Instrs {
			if p.computes(i) {
				p.known[hash(i)] = append(p.known[hash(i)], i)
			}
		}
	}
}

// computes reports whether i computes one value of others.
func (p *partial) computes(i *ori.Instr) bool {
	if !opt.IsPure(i) || i.Op == op.COPY || i.Op == op.MOV || i.NDst != 1 || len(i.Srcs()) > maxKey || i.Op.Has(op.Reads|op.Uniform) {
		return false
	}
	d := i.Args[0]
	if d.Kind != ori.KReg || d.Class != ori.R || d != p.f.Words(d.Reg) || !p.v.Stable(d) || p.f.Regs[d.Reg].Fixed {
		return false
	}
	of := 0
	for _, s := range i.Srcs() {
		if s.HasReg() && (s.Class != ori.R && s.Class != ori.P || !p.v.Stable(s)) {
			return false
		}
		if s.HasReg() {
			of++
		}
	}
	return of > 0
}

// block looks at what b computes.
func (p *partial) block(b *ori.Block) {
	for i := range b.Instrs {
		if i.Op == op.PHI || !p.computes(i) || !p.before(b, i) {
			continue
		}
		if p.known == nil {
			p.look()
		}
		ways, ok := p.ways(b, i)
		if !ok || !p.f.Should("partial", i) {
			continue
		}
		if x := ways[0].has; x != nil && !slices.ContainsFunc(ways, func(w way) bool { return w.has != x }) {
			p.copy(b, i, x)
		} else {
			p.bring(b, i, ways)
		}
	}
}

// before reports whether what i reads was there before b, or comes to it
// in PHIs.
func (p *partial) before(b *ori.Block, i *ori.Instr) bool {
	for _, s := range i.Srcs() {
		if !s.HasReg() {
			continue
		}
		d := p.v.Writer(s)
		if d == nil || d.Block() == b && (d.Op != op.PHI || s.Kind != ori.KReg || s.Sub != d.Args[0].Sub || s.N != d.Args[0].N) {
			return false
		}
	}
	return true
}

// way is one of the ways to a block.
type way struct {
	from *ori.Block
	srcs []ori.Operand // what the computation reads there
	has  *ori.Instr    // what computed it before, or nil
}

// ways tells what is known on each of the ways to b of what i computes. It is
// false if that brings nothing.
func (p *partial) ways(b *ori.Block, i *ori.Instr) (list []way, ok bool) {
	other := false
	for _, q := range b.Preds {
		w := way{from: q}
		if w.srcs, ok = p.translate(b, q, i); !ok {
			return nil, false
		}
		w.has = p.find(q, i, w.srcs)
		switch {
		case w.has != nil:
			other = other || w.has != i
		case len(q.Succs) != 1 || !works(q) || p.loops.Depth(q) > p.loops.Depth(b):
			return nil, false
		}
		list = append(list, w)
	}
	return list, other
}

// works reports whether something is done in b anyway.
func works(b *ori.Block) bool {
	for i := range b.Instrs {
		if i.Op != op.PHI && i.Op != op.PHISRC && i.Op != op.COPY && !i.Op.Has(op.Terminator) {
			return true
		}
	}
	return false
}

// translate returns the sources of i as they are at the end of q.
func (p *partial) translate(b, q *ori.Block, i *ori.Instr) ([]ori.Operand, bool) {
	srcs := slices.Clone(i.Srcs())
	for k := range srcs {
		s := &srcs[k]
		d := (*ori.Instr)(nil)
		if s.HasReg() {
			d = p.v.Writer(*s)
		}
		if d == nil || d.Op != op.PHI || d.Block() != b {
			continue
		}
		found := false
		for x := range flow.PhiSources(q, b) {
			if x.Args[1].Imm != d.Args[1].Imm {
				continue
			}
			a := x.Args[2]
			if a.Kind != ori.KReg || a.Flags != 0 || a.N != s.N || !p.v.Stable(a) {
				return nil, false
			}
			a.Flags = s.Flags
			*s, found = a, true
		}
		if !found {
			return nil, false
		}
	}
	return srcs, true
}

// find returns what computed the same as i of srcs before the end of q.
func (p *partial) find(q *ori.Block, i *ori.Instr, srcs []ori.Operand) *ori.Instr {
	key := ori.Instr{Op: i.Op, NDst: 1, Mods: i.Mods, Args: append([]ori.Operand{i.Args[0]}, srcs...)}
	for _, x := range p.known[hash(&key)] {
		if b := x.Block(); b != nil && x.Op == i.Op && x.Mods == i.Mods && x.Args[0].N == i.Args[0].N && slices.Equal(x.Srcs(), srcs) && (b == q || p.dom.Dominates(b, q)) {
			return x
		}
	}
	return nil
}

// copy makes i a copy of what was computed on all ways to b.
func (p *partial) copy(b *ori.Block, i, x *ori.Instr) {
	c := p.f.NewInstr(op.COPY, op.Mods{}, i.Dsts(), x.Dsts())
	c.Line, c.Loc = i.Line, i.Loc
	b.InsertBefore(c, i)
	p.v.Remove(i)
	p.v.Count(c, 1)
	p.changed = true
}

// bring computes i where it is lacking, and makes a PHI of it.
func (p *partial) bring(b *ori.Block, i *ori.Instr, ways []way) {
	f := p.f
	phi := f.NewPhi(i.Args[0])
	phi.Line, phi.Loc = i.Line, i.Loc
	for _, w := range ways {
		at := sourcesOf(w.from)
		add := func(x *ori.Instr) {
			x.Line, x.Loc = i.Line, i.Loc
			if at != nil {
				w.from.InsertBefore(x, at)
			} else {
				w.from.Append(x)
			}
			p.v.Grow()
			p.v.Count(x, 1)
		}
		if w.has == nil {
			info := f.Regs[i.Args[0].Reg]
			r := f.NewReg(info.Class, int(info.Width))
			f.Regs[r].Align = info.Align
			w.has = f.NewInstr(i.Op, i.Mods, []ori.Operand{f.Words(r)}, w.srcs)
			add(w.has)
			p.known[hash(w.has)] = append(p.known[hash(w.has)], w.has)
		}
		add(f.NewInstr(op.PHISRC, op.Mods{}, nil, []ori.Operand{ori.Label(b), phi.Args[1], w.has.Args[0]}))
	}
	p.v.Remove(i)
	b.Prepend(phi)
	p.v.Count(phi, 1)
	p.changed = true
}

// sourcesOf returns what code added at the end of b stands before: sources
// of PHIs or jumps. nil: there are none.
func sourcesOf(b *ori.Block) *ori.Instr {
	at := b.Tail()
	for {
		prev := b.Last()
		if at != nil {
			prev = at.Prev()
		}
		if prev == nil || prev.Op != op.PHISRC {
			return at
		}
		at = prev
	}
}
