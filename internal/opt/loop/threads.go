package loop

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
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
// to them.
//
//	b1: MOV r1 = 0x1            b1: MOV r1 = 0x1; …
//	    BRA b3                      BRA b4
//	b2: MOV r1 = r2             b2: MOV r1 = r2
//	b3: …                       b3: …
//	    ISETP.EQ p = r1, 0x1        ISETP.EQ p = r1, 0x1
//	    @p BRA b4                   @p BRA b4
func JumpThreads(f *ori.Func, most Threading) bool {
	t := &threader{f: f, most: most, room: most.Growth, value: map[cell]uint32{}}
	t.eval.look = func(r ori.Reg, sub uint8) (uint32, bool) {
		v, ok := t.value[cell{r, sub}]
		return v, ok
	}
	changed := false
	for range maxThreads {
		if !t.round() {
			break
		}
		changed = true
		f.Touch()
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
		len(b.Succs) == 2 && b.Succs[0] != b.Succs[1] && opt.Target(b, i) == b.Succs[0]
}

// copiable reports whether what b does may be done elsewhere.
func (t *threader) copiable(b *ori.Block) bool {
	if b.Len() > max(t.most.Copied, t.most.Apart)+maxWay {
		return false
	}
	for i := range b.Instrs {
		if i != b.Last() && (i.Op.Has(op.Effect|op.Terminator|op.Convergent|op.Uniform) || i.Op.Has(op.Pseudo) && i.Op != op.COPY) {
			return false
		}
	}
	return true
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
	}
	for i := range b.Instrs {
		if !t.visit(i) && i != b.Last() {
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

// visit notes what is known behind i, and reports whether all of its results
// are.
func (t *threader) visit(i *ori.Instr) bool {
	if i.NDst == 0 {
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
		ok = ok && d.N <= 1 && (d.Class == ori.R || d.Class == ori.P) && !t.f.Regs[d.Reg].Fixed
		for n := range max(1, d.N) {
			delete(t.value, cell{d.Reg, d.Sub + n})
		}
		if ok {
			t.value[cell{d.Reg, d.Sub}] = v[k]
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
	if t.f.Regs[g.Reg].Fixed {
		return
	}
	holds := (next == b.Succs[0]) == (g.Flags&ori.Inv == 0)
	t.set(cell{g.Reg, g.Sub}, holds)
	// the word that was compared is what it is equal to
	for i := b.Last().Prev(); i != nil; i = i.Prev() {
		does, _ := wordOf(i, cell{g.Reg, g.Sub})
		if !does {
			continue
		}
		if r, k, equal := equality(i); equal == holds && r.Kind == ori.KReg && !t.f.Regs[r.Reg].Fixed && !writtenSince(i, r) {
			t.value[cell{r.Reg, r.Sub}] = k
		}
		return
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

// writtenSince reports whether something behind i in its block writes r.
func writtenSince(i *ori.Instr, r ori.Operand) bool {
	for i = i.Next(); i != nil; i = i.Next() {
		if does, _ := wordOf(i, cell{r.Reg, r.Sub}); does {
			return true
		}
	}
	return false
}

// lead lets the way from p to b lead to t, past a copy of what b does.
func (t *threader) lead(p, b, to *ori.Block) {
	f := t.f
	c := f.NewBlock()
	for i := range b.Instrs {
		if i == b.Last() {
			break
		}
		m := f.NewInstr(i.Op, i.Mods, i.Dsts(), i.Srcs())
		m.Guard, m.Line, m.Loc = i.Guard, i.Line, i.Loc
		c.Append(m)
	}
	c.AddEdge(to)
	if p.Last() != nil {
		redirect(p, b, c)
	} else {
		p.ReplaceSucc(b, c)
	}
	f.Blocks = slices.Insert(f.Blocks[:len(f.Blocks)-1], slices.Index(f.Blocks, p)+1, c)
}
