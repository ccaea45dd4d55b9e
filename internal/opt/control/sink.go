package control

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Sink moves computations behind the branches and exits after which alone
// their results are read: parameters that only threads with work read, values
// of one arm. Nothing moves into a loop, nor from where the threads of a warp
// are together to where they may be apart (it could not move to the uniform
// datapath there), nor past where every path leads to its readers anyway, unless
// more than most words of general registers are alive between the blocks.
func Sink(f *ori.Func, most int) bool {
	if len(f.Blocks) < 2 {
		return false
	}
	s := &sinker{f: f, v: opt.ValuesOf(f), dom: flow.DomOf(f), post: flow.PostDomOf(f), most: most}
	s.loops = flow.LoopsOf(f, s.dom)
	s.index()
	changed := false
	for _, b := range slices.Backward(s.dom.Order.Blocks) {
		if len(b.Succs) == 0 {
			continue
		}
		for i := b.Last(); i != nil; {
			prev := i.Prev()
			if t := s.target(i); t != nil && s.f.Should("sink", i) {
				s.spare(b, i, t)
				s.move(i, t)
				changed = true
			}
			i = prev
		}
	}
	return f.Touched(changed)
}

// sinker moves instructions down.
type sinker struct {
	f      *ori.Func
	v      *opt.Values
	dom    *flow.Dom
	post   *flow.PostDom
	loops  *flow.Loops
	live   *flow.Live
	apart  *flow.Divergence
	blocks []*ori.Block   // by ID
	uses   [][]*ori.Instr // by register
	most   int            // words alive behind a block that are no crowd yet
	found  []int32        // by block ID: words alive behind it, -1 where they were not counted
	left   []int32        // those that did not move

	brought map[int32]*ori.Block // by word: how far it lives for what moved
}

// index lists who reads each register.
func (s *sinker) index() {
	s.uses, s.blocks = flow.IndexOf(s.f).Uses, make([]*ori.Block, s.f.NumBlocks())
	for _, b := range s.f.Blocks {
		s.blocks[b.ID] = b
	}
}

// target returns the block that i should stand in, nil for where it is.
func (s *sinker) target(i *ori.Instr) *ori.Block {
	if !s.moves(i) {
		return nil
	}
	from := i.Block()
	var t *ori.Block
	for _, d := range i.Dsts() {
		if !d.HasReg() {
			continue
		}
		for _, u := range s.uses[d.Reg] {
			if t = s.common(t, u.Block()); t == from {
				return nil
			}
		}
	}
	if t == nil {
		return nil
	}
	if s.apart == nil {
		s.apart = flow.DivergenceOf(s.f, flow.UniformityOf(s.f))
	}
	for t != from && (s.loops.Depth(t) > s.loops.Depth(from) || s.apart.Is(t) && !s.apart.Is(from)) {
		t = s.blocks[s.dom.Idom[t.ID]]
	}
	if t == from || !general(i) && s.apart.Is(t) {
		return nil
	}
	if s.always(from, t) {
		if !general(i) || !s.crowded(from) && !s.leaves(i) || s.frees(i, t) < 0 {
			return nil
		}
	} else if !s.cheap(i, t) {
		return nil
	}
	return t
}

// always reports whether every path from a leads to b, which it dominates: no
// branch leads around it and nothing on the way ends some of the threads.
func (s *sinker) always(a, b *ori.Block) bool {
	for x := b; x != a; {
		x = s.blocks[s.dom.Idom[x.ID]]
		if e := x.Last(); e != nil && e.Op == op.EXIT && e.Guard.Kind == ori.KReg {
			return false
		}
	}
	for at := s.post.Ipdom[a.ID]; at >= 0; at = s.post.Ipdom[at] {
		if at == b.ID {
			return true
		}
	}
	return false
}

// crowded reports whether too many words of general registers are alive behind b.
func (s *sinker) crowded(b *ori.Block) bool {
	if s.left == nil {
		s.found, s.left, s.brought = slices.Repeat([]int32{-1}, len(s.blocks)), make([]int32, len(s.blocks)), map[int32]*ori.Block{}
	}
	if s.found[b.ID] < 0 {
		n, live := int32(0), s.lives()
		for w := range live.End(b).All() {
			if s.f.Regs[live.Reg(w)].Class == ori.R {
				n++
			}
		}
		s.found[b.ID], s.left[b.ID] = n, n
	}
	return int(s.left[b.ID]) > s.most
}

// leaves reports whether i is the lower part of a sum whose upper part has left before.
func (s *sinker) leaves(i *ori.Instr) bool {
	return i.NDst == 2 && i.Args[1].HasReg() && i.Args[1].Class == ori.P && s.left[i.Block().ID] < s.found[i.Block().ID]
}

// frees returns how many words of general registers fewer are alive up to t once
// i is there. Who moved before may have taken its sources along.
func (s *sinker) frees(i *ori.Instr, t *ori.Block) (words int) {
	for _, d := range i.Dsts() {
		if d.HasReg() && d.Class == ori.R {
			words += int(max(1, d.N))
		}
	}
	s.ending(i, t, func(int32) { words-- })
	return words
}

// ending visits the words of general registers that i reads and that end before t.
func (s *sinker) ending(i *ori.Instr, t *ori.Block, visit func(word int32)) {
	for k := int(i.NDst); k < len(i.Args); k++ {
		a := &i.Args[k]
		if !a.HasReg() || a.Class != ori.R {
			continue
		}
		for n := range max(1, a.N) {
			if at := s.lives().Number(a.Reg, int(a.Sub+n)); at >= 0 && s.live.Start(t).Has(at) {
				continue
			}
			w := s.v.Word(a) + int32(n)
			if far := s.brought[w]; far == nil || !s.dom.Dominates(t, far) {
				visit(w)
			}
		}
	}
}

// spare takes the results of i, which leaves b for t, off what is alive behind b,
// and notes how far its sources live now.
func (s *sinker) spare(b *ori.Block, i *ori.Instr, t *ori.Block) {
	if s.left == nil || s.found[b.ID] < 0 {
		return
	}
	s.left[b.ID] -= int32(s.frees(i, t))
	s.ending(i, t, func(w int32) { s.brought[w] = t })
}

// lives returns what was alive before anything moved.
func (s *sinker) lives() *flow.Live {
	if s.live == nil {
		s.live = flow.LiveOf(s.f)
	}
	return s.live
}

// moves reports whether i may stand anywhere between where it is and who
// reads it.
func (s *sinker) moves(i *ori.Instr) bool {
	if !opt.IsPure(i) || i.Op.Has(op.Pseudo) {
		return false
	}
	for k := range i.Args {
		a := &i.Args[k]
		if !a.HasReg() {
			continue
		}
		if s.f.Regs[a.Reg].Fixed || a.Class == ori.B {
			return false
		}
		w := s.v.Word(a)
		for n := w; n < w+int32(max(1, a.N)); n++ {
			if !s.v.IsValue(n) {
				return false
			}
		}
	}
	// words of one register are written by several: all would have to move
	for _, d := range i.Dsts() {
		if d.HasReg() && int(max(1, d.N)) != int(s.f.Regs[d.Reg].Width) {
			return false
		}
	}
	return true
}

// general reports whether i is of the general datapath.
func general(i *ori.Instr) bool {
	return !slices.ContainsFunc(i.Dsts(), func(d ori.Operand) bool { return d.Class == ori.UR || d.Class == ori.UP })
}

// common returns the last block through which every path to a and b leads.
func (s *sinker) common(a, b *ori.Block) *ori.Block {
	if a == nil {
		return b
	}
	for !s.dom.Dominates(a, b) {
		a = s.blocks[s.dom.Idom[a.ID]]
	}
	return a
}

// cheap reports whether the sources of i that have to live until t are no
// more words than its results are. Those that come from constants and move
// behind it do not count.
func (s *sinker) cheap(i *ori.Instr, t *ori.Block) bool {
	words := 0
	for _, d := range i.Dsts() {
		if d.HasReg() {
			words += int(max(1, d.N))
		}
	}
	for k := int(i.NDst); k < len(i.Args); k++ {
		a := &i.Args[k]
		if !a.HasReg() {
			continue
		}
		if d := s.v.Once(*a); d != nil && isRoot(d) {
			continue
		}
		live := s.lives()
		for n := range max(1, a.N) {
			if at := live.Number(a.Reg, int(a.Sub+n)); at < 0 || !live.Start(t).Has(at) {
				words--
			}
		}
	}
	return words >= 0
}

// isRoot reports whether i makes its result from no register.
func isRoot(i *ori.Instr) bool {
	return opt.IsPure(i) && !slices.ContainsFunc(i.Srcs(), func(a ori.Operand) bool { return a.HasReg() })
}

// move puts i before its first reader in t, or at the end of t.
func (s *sinker) move(i *ori.Instr, t *ori.Block) {
	at := t.Last()
	for at != nil && at.Prev() != nil && at.Op.Has(op.Terminator) && at.Prev().Op.Has(op.Terminator) {
		at = at.Prev()
	}
	for j := range t.Instrs {
		if readsResult(j, i) {
			at = j
			break
		}
	}
	i.Remove()
	if at == nil || !at.Op.Has(op.Terminator) && !readsResult(at, i) {
		t.Append(i)
		return
	}
	t.InsertBefore(i, at)
}

// readsResult reports whether j reads a result of i.
func readsResult(j, i *ori.Instr) bool {
	for _, d := range i.Dsts() {
		if !d.HasReg() {
			continue
		}
		if j.Guard.HasReg() && j.Guard.Reg == d.Reg || slices.ContainsFunc(j.Srcs(), func(a ori.Operand) bool { return a.HasReg() && a.Reg == d.Reg }) {
			return true
		}
	}
	return false
}
