package loop

import (
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// maxPasses bounds how often Constants walks a function: each walk carries
// what is known around one more loop.
const maxPasses = 10

// Constants finds, in SSA form, the words that are the same whenever they are
// read: all words are taken for constants and all branches for not taken until
// something speaks against it, so that values that decide about each other
// around a loop are found together. Where constants are read is left to
// CopyProp and Predicates.
func Constants(f *ori.Func) bool {
	if !f.Props.SSA {
		return false
	}
	s := &sparse{f: f, v: opt.ValuesOf(f), order: flow.DomOf(f).Order}
	s.state = pool.Make[latticed](f.Scratch(), len(s.v.Words))
	s.reached = make([]uint8, f.NumBlocks())
	s.eval = evaluator{look: s.look}
	s.reached[f.Blocks[0].ID] = reachedAll
	for pass := 0; ; pass++ {
		s.changed = false
		for _, b := range s.order.Blocks {
			if s.reached[b.ID]&reachedAll != 0 {
				s.block(b)
			}
		}
		if !s.changed || !s.around {
			break
		}
		if pass == maxPasses {
			return false
		}
	}
	return f.Touched(s.rewrite())
}

// latticed is what is known of a word: nothing yet, a constant, or that it is
// none.
type latticed struct {
	kind  uint8
	value uint32
}

const (
	open   uint8 = iota // nothing is known yet
	fixed               // a constant
	varies              // no constant
)

// What is known of a block's ways out: bits, beside that it is reached.
const (
	reachedAll  uint8 = 1 << iota // the block is reached
	leavesFirst                   // by its first successor
	leavesRest                    // by the others
)

// sparse is one run of Constants.
type sparse struct {
	f       *ori.Func
	v       *opt.Values
	order   *flow.Order
	state   []latticed
	reached []uint8              // by block ID
	phi     map[int64][]latticed // by key: what the sources that are reached bring
	eval    evaluator
	changed bool // since the walk began
	around  bool // some way leads back: a word may be read before what it is made of is known
}

// look is the evaluator's view of a word.
func (s *sparse) look(r ori.Reg, sub uint8) (uint32, bool) {
	x := s.state[s.v.Base[r]+int32(sub)]
	return x.value, x.kind == fixed && !s.f.Regs[r].Var
}

// block visits the instructions of a reached block.
func (s *sparse) block(b *ori.Block) {
	ways := leavesFirst | leavesRest
	if t := b.Last(); t != nil && t.Op == op.BRA && t.Guard.Kind == ori.KReg && len(b.Succs) == 2 && b.Succs[0] != b.Succs[1] && branch.Target(b, t) == b.Succs[0] {
		ways = s.way(t)
	}
	for i := b.First(); i != nil; i = i.Next() {
		switch i.Op {
		case op.PHISRC:
			ways = s.source(b, i, ways)
		case op.PHI:
			for n, x := range s.phi[i.Args[1].Imm] {
				s.lower(s.v.Word(&i.Args[0])+int32(n), x)
			}
		default:
			if i.NDst > 0 {
				s.visit(i)
			}
		}
	}
	// what the branch reads may just have become known
	if t := b.Last(); ways != leavesFirst|leavesRest {
		if now := s.way(t); now != ways {
			ways = now
			for i := b.First(); i != nil; i = i.Next() {
				if i.Op == op.PHISRC {
					s.source(b, i, ways)
				}
			}
		}
	}
	s.leave(b, ways)
}

// way tells where a guarded jump leads.
func (s *sparse) way(t *ori.Instr) uint8 {
	g := &t.Guard
	if g.Class != ori.P || s.f.Regs[g.Reg].Var {
		return leavesFirst | leavesRest
	}
	switch x := s.state[s.v.Word(g)]; {
	case x.kind == open:
		return 0
	case x.kind == varies:
		return leavesFirst | leavesRest
	case (x.value != 0) == (g.Flags&ori.Inv == 0):
		return leavesFirst
	}
	return leavesRest
}

// source brings what a PHISRC has to its PHI if its edge is taken.
func (s *sparse) source(b *ori.Block, i *ori.Instr, ways uint8) uint8 {
	first := ori.Reg(b.Succs[0].ID) == i.Args[0].Reg
	if first && ways&leavesFirst == 0 || !first && ways&leavesRest == 0 {
		return ways
	}
	key, a := i.Args[1].Imm, &i.Args[2]
	n := int(max(1, a.N))
	if s.phi == nil {
		s.phi = map[int64][]latticed{}
	}
	have := s.phi[key]
	if have == nil {
		have = make([]latticed, n)
		s.phi[key] = have
	}
	for k := range have {
		x := latticed{kind: varies}
		if a.Kind == ori.KReg && a.Flags == 0 {
			at := *a
			at.Sub += uint8(k)
			x = s.wordOf(&at)
		} else if w, ok := opt.Known(*a); ok && a.Class != ori.P && n == 1 {
			x = latticed{fixed, w}
		}
		if m := meet(have[k], x); m != have[k] {
			have[k], s.changed = m, true
		}
	}
	return ways
}

// wordOf is the state of a register word.
func (s *sparse) wordOf(a *ori.Operand) latticed {
	if s.f.Regs[a.Reg].Var || a.Class != ori.R && a.Class != ori.P {
		return latticed{kind: varies}
	}
	w := s.v.Base[a.Reg] + int32(a.Sub)
	if s.v.Words[w].Def == nil { // nothing defined it
		return latticed{kind: varies}
	}
	return s.state[w]
}

// meet is what holds of a word that is one thing or another.
func meet(a, b latticed) latticed {
	switch {
	case a.kind == open:
		return b
	case b.kind == open || a == b:
		return a
	}
	return latticed{kind: varies}
}

// lower notes what is known of a word. It never comes to be known better.
func (s *sparse) lower(w int32, x latticed) {
	if m := meet(s.state[w], x); m != s.state[w] {
		s.state[w], s.changed = m, true
	}
}

// visit computes what is known of the results of i.
func (s *sparse) visit(i *ori.Instr) {
	x := latticed{kind: varies}
	var v [2]uint32
	runs := s.runs(i)
	switch {
	case runs.kind == open:
		return
	case runs.kind == fixed && runs.value == 0: // it never does: what was there stays
		for k := range i.Dsts() {
			if d := &i.Args[k]; d.HasReg() {
				s.lower(s.v.Word(d), s.wordOf(&i.Old[k]))
			}
		}
		return
	}
	if r := evaluationOf(i.Op); r != nil && runs.kind == fixed && i.NDst <= 2 {
		switch s.sources(i, r.absorbs) {
		case open:
			return
		case fixed:
			var ok bool
			if v, ok = r.run(&s.eval, i); ok {
				x.kind = fixed
			}
		}
	}
	for k := range i.Dsts() {
		d := &i.Args[k]
		if d.Kind != ori.KReg && !d.HasReg() {
			continue
		}
		if x.kind == fixed {
			x.value = v[k]
		}
		w := s.v.Word(d)
		for n := w; n < w+int32(max(1, d.N)); n++ {
			s.lower(n, x)
		}
	}
}

// runs tells whether i is done: always, or never, where its guard is known and
// so is what its results are without it.
func (s *sparse) runs(i *ori.Instr) latticed {
	switch g := &i.Guard; {
	case g.Kind == ori.KNone:
		return latticed{kind: fixed, value: 1}
	case g.Kind == ori.KReg && len(i.Old) == int(i.NDst):
		for k := range i.Old {
			if o := &i.Old[k]; o.Kind != ori.KReg || o.Flags != 0 || o.N > 1 || i.Args[k].N > 1 {
				return latticed{kind: varies}
			}
		}
		x := s.wordOf(g)
		if x.kind == fixed && g.Flags&ori.Inv != 0 {
			x.value ^= 1
		}
		return x
	}
	return latticed{kind: varies}
}

// sources tells whether i must wait for a source, is worth computing, or
// cannot be known.
func (s *sparse) sources(i *ori.Instr, absorbs bool) uint8 {
	some, vary := false, false
	for k := int(i.NDst); k < len(i.Args); k++ {
		a := &i.Args[k]
		if a.Kind != ori.KReg {
			vary = vary || a.Kind != ori.KImm && a.Kind != ori.KZero
			continue
		}
		switch s.wordOf(a).kind {
		case open:
			return open
		case fixed:
			some = true
		default:
			vary = true
		}
	}
	if vary && !(absorbs && some) {
		return varies
	}
	return fixed
}

// leave reaches the successors of b.
func (s *sparse) leave(b *ori.Block, ways uint8) {
	if s.reached[b.ID]|ways != s.reached[b.ID] {
		s.reached[b.ID] |= ways
		s.changed = true
	}
	for n, t := range b.Succs {
		if n == 0 && ways&leavesFirst == 0 || n > 0 && ways&leavesRest == 0 {
			continue
		}
		if s.order.Index[t.ID] <= s.order.Index[b.ID] {
			s.around = true
		}
		s.reached[t.ID] |= reachedAll
	}
}

// rewrite makes constants of the instructions whose results are.
func (s *sparse) rewrite() bool {
	changed := false
	var phis map[int64]bool
	for _, b := range s.order.Blocks {
		if s.reached[b.ID]&reachedAll == 0 {
			continue
		}
		var after *ori.Instr // the last PHI
		for i := range b.Instrs {
			if i.Op == op.PHI {
				after = i
			}
		}
		for i := range b.Instrs {
			if i.NDst == 0 || !s.constant(i) {
				changed = s.settle(i) || changed
				continue
			}
			if !s.f.Should("constant", i) {
				continue
			}
			changed = true
			if i.Op == op.PHI && phis == nil {
				phis = map[int64]bool{}
			}
			if i.Op == op.PHI {
				phis[i.Args[1].Imm] = true
			}
			s.replace(b, i, after)
		}
	}
	if phis != nil {
		for _, b := range s.f.Blocks {
			for i := range b.Instrs {
				if i.Op == op.PHISRC && phis[i.Args[1].Imm] {
					i.Remove()
				}
			}
		}
	}
	return changed
}

// constant reports whether every result of i is a constant, and some are not
// said to be one already.
func (s *sparse) constant(i *ori.Instr) bool {
	if i.Op == op.MOV || i.Op == op.COPY || i.Op != op.PHI && evaluationOf(i.Op) == nil || i.Guard.Kind != ori.KNone && s.runs(i).kind != fixed {
		return false
	}
	if i.Op == op.PLOP3 && i.Args[1].Kind == ori.KZero && i.Args[2].Kind == ori.KZero && i.Args[3].Kind == ori.KZero {
		return false
	}
	for k := range i.Dsts() {
		d := &i.Args[k]
		if d.Kind == ori.KZero {
			continue
		}
		for n := range max(1, d.N) {
			at := *d
			at.Sub += n
			if s.wordOf(&at).kind != fixed {
				return false
			}
		}
	}
	return true
}

// settle makes a move of a guarded instruction that has a constant for a result
// where it runs.
func (s *sparse) settle(i *ori.Instr) bool {
	r := evaluationOf(i.Op)
	if r == nil || i.Op == op.MOV || i.Op == op.COPY || i.Guard.Kind != ori.KReg || i.NDst != 1 || len(i.Old) != 1 {
		return false
	}
	if d := &i.Args[0]; !d.HasReg() || d.Class != ori.R || d.N > 1 || s.sources(i, r.absorbs) != fixed {
		return false
	}
	v, ok := r.run(&s.eval, i)
	if !ok || !s.f.Should("guarded constant", i) {
		return false
	}
	i.Op, i.Mods, i.Args = op.MOV, op.Mods{}, []ori.Operand{i.Args[0], opt.Word(v[0])}
	return true
}

// replace writes constants for the words of i instead of it, behind the PHIs
// of the block.
func (s *sparse) replace(b *ori.Block, i, after *ori.Instr) {
	if g := i.Prev(); opt.GathersFor(g, i) {
		g.Remove()
	}
	for k := range i.Dsts() {
		d := &i.Args[k]
		if d.Kind == ori.KZero {
			continue
		}
		for n := range max(1, d.N) {
			at := *d
			at.Sub, at.N = at.Sub+n, 1
			v := s.wordOf(&at).value
			c := s.f.NewInstr(op.MOV, op.Mods{}, []ori.Operand{at}, []ori.Operand{opt.Word(v)})
			if at.Class == ori.P {
				pt := ori.Zero(ori.P)
				c = s.f.NewInstr(op.PLOP3, op.M(op.MLUT), []ori.Operand{at}, []ori.Operand{pt, pt, pt, ori.Imm(0xff * int64(v)), ori.Imm(0)})
			}
			c.Line, c.Loc = i.Line, i.Loc
			if i.Op == op.PHI {
				b.InsertAfter(c, after)
				after = c
			} else {
				b.InsertBefore(c, i)
			}
		}
	}
	i.Remove()
}
