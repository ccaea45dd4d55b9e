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

// Threading are the bounds on what is copied to jumps, in instructions.
type Threading struct {
	Copied int // of a block, where all threads of the warp branch alike
	Apart  int // where they may part, or parted before: each part would run a copy
	Growth int // that copies add to a function
}

// JumpThreads lets ways to a branch that is known to go one way for who comes
// on them lead there at once. What the branch's block does besides is copied
// to them. It works on SSA form.
//
//	b1: MOV r1 = 0x1            b1: MOV r1 = 0x1; …
//	    BRA b3                      BRA b4
//	b2: MOV r1 = r2             b2: MOV r1 = r2
//	b3: …                       b3: …
//	    ISETP.EQ p = r1, 0x1        ISETP.EQ p = r1, 0x1
//	    @p BRA b4                   @p BRA b4
func JumpThreads(f *ori.Func, most Threading) bool {
	if !f.Props.SSA {
		return false
	}
	t := &threader{f: f, most: most, room: most.Growth, value: map[cell]uint32{}}
	t.eval.look = t.look
	changed := false
	for range maxThreads {
		if !t.round() {
			break
		}
		changed = true
		ssa.Mend(f)
	}
	return changed
}

const (
	maxThreads = 3  // rounds: a way that is led on may come to the next branch
	maxWay     = 6  // blocks of a way that are looked at
	maxSeen    = 80 // instructions of them
)

// threader leads ways on. The last field is of one way.
type threader struct {
	f     *ori.Func
	v     *opt.Values // of f when the round began
	most  Threading
	room  int
	eval  evaluator
	value map[cell]uint32 // what is known where it ends
}

// round looks at all branches.
func (t *threader) round() bool {
	var x *flow.Uniformity
	var loops *flow.Loops
	changed := false
	t.v = opt.ValuesOf(t.f)
	for _, b := range slices.Clone(t.f.Blocks) {
		if len(b.Preds) < 2 || b.Kept || b == t.f.Blocks[0] || !forks(b) || !t.copiable(b) {
			continue
		}
		if loops == nil { // of the function as it was: what is led on makes no loop
			loops, x = flow.LoopsOf(t.f, flow.DomOf(t.f)), flow.UniformityOf(t.f)
		}
		if l := loops.Of(b); l != nil && l.Header == b {
			continue
		}
		for _, p := range slices.Clone(b.Preds) {
			if p == b || len(p.Succs) == 2 && p.Succs[0] == p.Succs[1] || !t.leads(p) {
				continue
			}
			most := t.most.Copied
			if x.Parts(b) || apart(x, p) {
				most = t.most.Apart
			}
			to, left, ok := t.follow(p, b)
			if !ok || left > min(most, t.room) || to.Kept || isHeader(loops, to, b) || !t.f.Should("thread", b.Last()) {
				continue
			}
			t.room -= left
			t.lead(p, b, to)
			changed = true
		}
	}
	return changed
}

// apart reports whether other threads of the warp may come to where p leads on
// another way. Of blocks that were made since nothing is known.
func apart(x *flow.Uniformity, p *ori.Block) bool {
	return !x.Knows(p) || x.Partial(p) || x.Parts(p)
}

// isHeader reports whether a way from b to t is a turn of a loop.
func isHeader(loops *flow.Loops, t, b *ori.Block) bool {
	l := loops.Of(t)
	return l != nil && l.Header == t && slices.Contains(l.Blocks, b)
}

// forks reports whether b ends with a branch that may go two ways.
func forks(b *ori.Block) bool {
	i := b.Last()
	return i != nil && i.Op == op.BRA && i.Mods == (op.Mods{}) && len(i.Args) == 1 && i.Guard.Kind == ori.KReg && i.Guard.Class == ori.P &&
		len(b.Succs) == 2 && b.Succs[0] != b.Succs[1] && branch.Target(b, i) == b.Succs[0]
}

// copiable reports whether what b does may be done elsewhere.
func (t *threader) copiable(b *ori.Block) bool {
	n := 0
	for i := range b.Instrs {
		switch {
		case i == b.Last() || i.Op == op.PHI || i.Op == op.PHISRC:
		case i.Op.Has(op.Effect|op.Terminator|op.Convergent|op.Uniform) || i.Op.Has(op.Pseudo) && i.Op != op.COPY:
			return false
		default:
			n++
		}
	}
	return n < max(t.most.Copied, t.most.Apart)+maxWay
}

// leads reports whether the way at the end of p can lead elsewhere.
func (t *threader) leads(p *ori.Block) bool {
	i := p.Last()
	if i == nil || !i.Op.Has(op.Terminator) {
		return i == nil || i.Op != op.CALL
	}
	return i.Op == op.BRA && len(p.Succs) <= 2 && (len(p.Succs) == 1 || forks(p))
}

// follow returns where the branch of b leads who comes from p, and how many
// instructions are left of b.
func (t *threader) follow(p, b *ori.Block) (to *ori.Block, left int, ok bool) {
	clear(t.value)
	way := []*ori.Block{p}
	seen := p.Len()
	for q := p; len(q.Preds) == 1 && len(way) < maxWay && !slices.Contains(way, q.Preds[0]); {
		q = q.Preds[0]
		if seen += q.Len(); seen > maxSeen {
			break
		}
		way = append(way, q)
	}
	for n, q := range slices.Backward(way) {
		for i := range q.Instrs {
			t.visit(i)
		}
		next := b
		if n > 0 {
			next = way[n-1]
		}
		t.learn(q, next)
		t.pass(q, next)
	}
	for i := range b.Instrs {
		if i.Op != op.PHI && i.Op != op.PHISRC && !t.visit(i) && i != b.Last() {
			left++
		}
	}
	g := b.Last().Guard
	v, known := t.value[cell{g.Reg, g.Sub}]
	if (v != 0) == (g.Flags&ori.Inv == 0) {
		return b.Succs[0], left, known
	}
	return b.Succs[1], left, known
}

// look returns what a word is on the way: what was found there, or the constant
// that it is everywhere.
func (t *threader) look(r ori.Reg, sub uint8) (uint32, bool) {
	if v, ok := t.value[cell{r, sub}]; ok {
		return v, ok
	}
	a := t.f.Word(r, int(sub))
	i := t.v.Once(a)
	if i == nil || i.Args[0] != a {
		return 0, false
	}
	v, ok := setOf(i)
	return uint32(v), ok
}

// pass notes what the PHIs of next are for who comes from q.
func (t *threader) pass(q, next *ori.Block) {
	found := map[cell]uint32{}
	for s := range flow.PhiSources(q, next) {
		phi := t.phi(next, s)
		if phi == nil || s.Args[2].Kind != ori.KReg {
			continue
		}
		for n := range max(1, phi.Args[0].N) {
			if v, ok := t.look(s.Args[2].Reg, s.Args[2].Sub+n); ok {
				found[cell{phi.Args[0].Reg, phi.Args[0].Sub + n}] = v
			}
		}
	}
	for i := next.First(); i != nil && i.Op == op.PHI; i = i.Next() {
		for n := range max(1, i.Args[0].N) {
			delete(t.value, cell{i.Args[0].Reg, i.Args[0].Sub + n})
		}
	}
	for c, v := range found {
		t.value[c] = v
	}
}

// phi returns the PHI of b that s is a source of.
func (t *threader) phi(b *ori.Block, s *ori.Instr) *ori.Instr {
	for i := b.First(); i != nil && i.Op == op.PHI; i = i.Next() {
		if i.Args[1] == s.Args[1] {
			return i
		}
	}
	return nil
}

// visit notes what is known behind i, and reports whether all of its results
// are.
func (t *threader) visit(i *ori.Instr) bool {
	if i.NDst == 0 || i.Op == op.PHI {
		return false
	}
	v, ok := [2]uint32{}, false
	if i.Guard.Kind == ori.KNone {
		v, ok = t.eval.run(i)
	}
	for k, d := range i.Dsts() {
		if !d.HasReg() {
			continue
		}
		ok = ok && d.N <= 1 && (d.Class == ori.R || d.Class == ori.P) && !t.f.Regs[d.Reg].Fixed && !t.f.Regs[d.Reg].Var
		for n := range max(1, d.N) {
			delete(t.value, cell{d.Reg, d.Sub + n})
		}
		if ok {
			t.value[cellOf(d)] = v[k]
		}
	}
	return ok
}

// learn notes what is known where b leads to next.
func (t *threader) learn(b, next *ori.Block) {
	if !forks(b) {
		return
	}
	g := b.Last().Guard
	g.Flags = 0
	i := t.v.Once(g)
	if i == nil {
		return
	}
	holds := (next == b.Succs[0]) == (b.Last().Guard.Flags&ori.Inv == 0)
	t.set(cellOf(g), holds)
	// the word that was compared is what it is equal to
	if r, k, equal := equality(i); i.Block() == b && equal == holds && r.Kind == ori.KReg && t.v.Writer(r) != nil {
		t.value[cellOf(r)] = k
	}
}

func (t *threader) set(c cell, holds bool) {
	t.value[c] = 0
	if holds {
		t.value[c] = 1
	}
}

// equality reads a comparison of a register with a constant, and whether it
// holds where they are equal. No register: it is none.
func equality(i *ori.Instr) (r ori.Operand, k uint32, equal bool) {
	if i.Op != op.ISETP || i.Guard.Kind != ori.KNone || i.NDst != 1 || len(i.Args) != 4 || !i.Mods.Has(op.MAND) || i.Mods.Has(op.MEX) {
		return r, 0, false
	}
	if p := i.Args[3]; p.Kind != ori.KZero || p.Flags != 0 || !i.Mods.Has(op.MEQ) && !i.Mods.Has(op.MNE) {
		return r, 0, false
	}
	c, ok := constWord(i.Args[2])
	if !ok || !opt.Plain(i.Args[1]) {
		return r, 0, false
	}
	return i.Args[1], uint32(c), i.Mods.Has(op.MEQ)
}

// lead lets the way from p to b lead to t, past a copy of what b does.
func (t *threader) lead(p, b, to *ori.Block) {
	f := t.f
	w := clone(f, []*ori.Block{b})
	c := w.of(b)
	c.Last().Remove()
	for _, s := range slices.Clone(c.Succs) {
		if s != to {
			branch.CutEdge(c, s)
		}
	}
	redirect(p, b, c, w.there)
	f.Blocks = slices.Insert(f.Blocks[:len(f.Blocks)-1], slices.Index(f.Blocks, p)+1, c)
}
