// Package ahead sends what a loop loads a turn ahead.
package ahead

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Bounds are those on loads that are sent a turn ahead.
type Bounds struct {
	Body    int                     // instructions of a loop; 0: none is sent
	Words   int                     // words of a loop's loads
	Latency int                     // cycles that a load takes
	Share   int                     // percent of the time before that what comes out takes at most
	Most    int                     // words that may live at once
	Warps   func(words int) float64 // that share a scheduler where so many words live
	Few     float64                 // that do where the grid is small
}

// PipelineLoops sends loads from global memory a turn ahead: what turn i+1
// reads is on its way while turn i computes. The first turn's is sent before
// the loop, and those of the others under the guard of the loop's test, so
// that nothing is read that was not before.
//
//	b1: …                            b1: LDG v0 = [a0]
//	b2: a = PHI a0, a1               b2: a = PHI a0, a1; v = PHI v0, v1
//	    LDG v = [a]                      STS [s], v
//	    STS [s], v                       IADD3 a1 = a, 0x40, rz
//	    BAR.SYNC                         ISETP.LT p = a1, n
//	    …                                @p LDG v1 = [a1] else _
//	    BAR.SYNC                         BAR.SYNC
//	    IADD3 a1 = a, 0x40, rz           …
//	    ISETP.LT p = a1, n               BAR.SYNC
//	    @p BRA b2                        @p BRA b2
//
// The load stands behind the last reader of what the turn before sent, so both
// are one register and nothing is copied. It works on SSA form. What may be read
// earlier order.go says, what it is worth price.go.
func PipelineLoops(f *ori.Func, a Bounds) bool {
	if !f.Props.SSA || a.Body <= 0 || a.Words <= 0 {
		return false
	}
	p := &pipeliner{f: f, a: a, tried: map[*ori.Block]bool{}}
	return p.each(func() bool {
		list := p.worth(p.candidates())
		if len(list) > 0 {
			p.rewrite(list)
		}
		return len(list) > 0
	})
}

// What keeps the time of these phases in proportion to the code.
const (
	mostLoops = 32 // of a function that are changed
	mostLoads = 64 // of a loop that are looked at
	maxSteps  = 64 // definitions that are looked at for a load
)

// pipeliner is one run of a phase.
type pipeliner struct {
	f     *ori.Func
	a     Bounds
	tried map[*ori.Block]bool // headers
	v     *opt.Values
	dom   *flow.Dom
	loops *flow.Loops
	calm  int8 // whether quiet holds: 0 nobody asked, 1 yes, -1 no

	loop  *flow.Loop
	in    map[*ori.Block]bool
	latch *ori.Block
	goOn  ori.Operand // holds where another turn follows
	busy  traffic
	enter map[int64]ori.Operand // what PHIs of the header are in the first turn, by key
	back  map[int64]ori.Operand // and in the next
	pos   map[*ori.Instr]int
	steps int // how many more definitions are looked at

	cursor *ori.Instr // what is added stands behind it
	moved  map[*ori.Instr]bool
}

// ahead is a load that can be sent a turn ahead.
type ahead struct {
	load *ori.Instr
	last *ori.Instr // the last that reads what it loaded
	at   int        // its place in its block
	due  int64      // when what was sent is there
}

// each lets a phase change loops, one after the other.
func (p *pipeliner) each(change func() bool) (changed bool) {
	for range mostLoops {
		if !p.one(change) {
			break
		}
		p.f.Touch()
		changed = true
	}
	return changed
}

// one finds a loop that was not tried before and that change finds something in.
func (p *pipeliner) one(change func() bool) bool {
	p.dom = flow.DomOf(p.f)
	p.loops = flow.LoopsOf(p.f, p.dom)
	for _, l := range p.loops.All {
		if p.tried[l.Header] {
			continue
		}
		p.tried[l.Header] = true
		if !p.takes(l) {
			continue
		}
		if p.v == nil {
			p.v = opt.ValuesOf(p.f)
		}
		if change() {
			p.v = nil
			return true
		}
	}
	return false
}

// takes reports whether l ends with its test, has no other exit, and holds a
// load and nothing that keeps its place among all accesses to memory.
func (p *pipeliner) takes(l *flow.Loop) bool {
	h := l.Header
	p.loop, p.latch, p.calm = l, nil, 0
	if h.Kept {
		return false
	}
	p.in = make(map[*ori.Block]bool, len(l.Blocks))
	for _, b := range l.Blocks {
		p.in[b] = true
	}
	for _, b := range h.Preds {
		if p.in[b] {
			if p.latch != nil {
				return false
			}
			p.latch = b
		}
	}
	loads, size := 0, 0
	for _, b := range l.Blocks {
		if size += b.Len(); size > 2*p.a.Body || !p.stays(b) {
			return false
		}
		for i := range b.Instrs {
			if i.Op == op.LDG {
				loads++
			}
			if i.Op.Has(op.Terminator) && i.Op != op.BRA {
				return false
			}
		}
	}
	if loads == 0 || !p.test() {
		return false
	}
	p.busy = p.look()
	return !p.busy.other
}

// stays reports whether all ways out of b, but one of the latch, stay in the loop.
func (p *pipeliner) stays(b *ori.Block) bool {
	if b.Tail() != nil && b.Tail() != b.Last() {
		return false
	}
	for _, s := range b.Succs {
		if !p.in[s] && b != p.latch {
			return false
		}
	}
	return true
}

// test finds what decides whether another turn follows.
func (p *pipeliner) test() bool {
	jump := p.latch.Last()
	if jump == nil || jump.Op != op.BRA || jump.Mods != (op.Mods{}) || len(jump.Args) != 1 || jump.Guard.Kind != ori.KReg || jump.Guard.Class != ori.P || len(p.latch.Succs) != 2 {
		return false
	}
	t, fall := branch.Target(p.latch, jump), p.latch.Succs[1]
	if t == nil || t == fall || t != p.loop.Header && fall != p.loop.Header || p.in[t] && p.in[fall] {
		return false
	}
	if p.goOn = jump.Guard; fall == p.loop.Header {
		p.goOn = p.goOn.Not()
	}
	return true
}

// candidates lists the loads of the loop that can be sent a turn ahead, in
// the order in which every turn comes to their last readers.
func (p *pipeliner) candidates() (list []*ahead) {
	p.phis()
	p.pos = map[*ori.Instr]int{}
	var blocks []*ori.Block
	for _, b := range p.loop.Blocks {
		if p.loops.Of(b) == p.loop && p.dom.Dominates(b, p.latch) {
			blocks = append(blocks, b)
		}
	}
	slices.SortFunc(blocks, func(a, b *ori.Block) int { return int(p.dom.Order.Index[a.ID] - p.dom.Order.Index[b.ID]) })
	for _, b := range blocks {
		n, from := 0, len(list)
		for i := range b.Instrs {
			n++
			p.pos[i] = n
		}
		for i := range b.Instrs {
			if i.Op != op.LDG || len(list) == mostLoads || !p.early(i) {
				continue
			}
			if c := p.readers(i); c != nil && p.can(c) && p.f.Should("pipeline", i) {
				list = append(list, c)
			}
		}
		slices.SortStableFunc(list[from:], func(x, y *ahead) int { return x.at - y.at })
	}
	return list
}

// phis notes what the PHIs of the header are in the next turn, those that are
// something in the first.
func (p *pipeliner) phis() {
	p.enter, p.back = map[int64]ori.Operand{}, map[int64]ori.Operand{}
	for i := range flow.PhiSources(p.latch, p.loop.Header) {
		p.back[i.Args[1].Imm] = i.Args[2]
	}
	for _, b := range p.loop.Header.Preds {
		if p.in[b] {
			continue
		}
		for i := range flow.PhiSources(b, p.loop.Header) {
			if i.Args[2].Kind != ori.KReg {
				delete(p.back, i.Args[1].Imm)
			}
		}
	}
}

// readers finds the last of those who read what i loads, all of which stand in
// its block.
func (p *pipeliner) readers(i *ori.Instr) *ahead {
	if i.NDst != 1 || i.Args[0].Kind != ori.KReg || i.Args[0] != p.f.Words(i.Args[0].Reg) {
		return nil
	}
	d := i.Args[0]
	reads, all := int32(0), int32(0)
	for k := range int32(d.N) {
		w := p.v.WordOf(d) + k
		if !p.v.IsValue(w) {
			return nil
		}
		all += p.v.Words[w].Reads
	}
	c := &ahead{load: i}
	for j := i.Next(); j != nil; j = j.Next() {
		if j.Op == op.PHISRC || j.Op == op.CALL || j.Op.Has(op.Terminator) {
			break
		}
		if n := readsOf(j, d); n > 0 {
			reads += n
			c.last, c.at = j, p.pos[j]
		}
	}
	if c.last == nil || reads != all {
		return nil
	}
	return c
}

// readsOf counts the words of d that i reads, each as often as it does.
func readsOf(i *ori.Instr, d ori.Operand) (n int32) {
	count := func(a *ori.Operand) {
		if a.HasReg() && a.Reg == d.Reg && a.Class == d.Class {
			n += int32(max(1, a.N))
		}
	}
	for k := range i.Srcs() {
		count(&i.Srcs()[k])
	}
	for k := range i.Old {
		count(&i.Old[k])
	}
	count(&i.Guard)
	return n
}

// can reports whether what the next turn loads from can be told behind the
// last reader, and what the first does before the loop.
func (p *pipeliner) can(c *ahead) bool {
	p.steps = maxSteps
	if !p.ready(wordOf(p.goOn, 0), c.last) {
		return false
	}
	return p.allSources(c.load, func(w word) bool { return p.nextable(w, c.last) })
}

// rewrite sends loads ahead.
func (p *pipeliner) rewrite(list []*ahead) {
	f, h := p.f, p.loop.Header
	pre := p.before()
	p.moved = map[*ori.Instr]bool{}
	begin, after := p.begin(pre), &moment{phis: p.back, known: map[word]ori.Operand{}, add: p.add}
	added := map[*ori.Instr]*ori.Instr{} // the last that stands behind each last reader
	for _, c := range list {
		i := c.load
		first := p.sent(i, begin)
		first.Guard = p.then(i.Guard, begin)
		atSources(pre, first)

		if p.cursor = added[c.last]; p.cursor == nil {
			p.cursor = c.last
		}
		p.make(wordOf(p.goOn, 0), c.last)
		after.need = func(w word) { p.make(w, c.last) }
		next := p.sent(i, after)
		if next.Guard = p.goOn; i.Guard.Kind == ori.KReg {
			next.Guard = p.both(p.then(i.Guard, after))
		}
		if len(next.Old) == 0 {
			next.Old = []ori.Operand{{}}
		}
		p.add(next)
		added[c.last] = p.cursor

		for k := range int(i.Args[0].N) {
			phi := h.Prepend(f.NewPhi(f.Word(i.Args[0].Reg, k)))
			phi.Line, phi.Loc = i.Line, i.Loc
			for _, s := range [...]struct {
				b *ori.Block
				i *ori.Instr
			}{{pre, first}, {p.latch, next}} {
				branch.AtEnd(s.b, f.NewInstr(op.PHISRC, op.Mods{}, nil, []ori.Operand{ori.Label(h), phi.Args[1], f.Word(s.i.Args[0].Reg, k)}))
			}
		}
		i.Remove()
	}
}

// sent returns the load i of another turn, to a register of its own.
func (p *pipeliner) sent(i *ori.Instr, t *moment) *ori.Instr {
	info := p.f.Regs[i.Args[0].Reg]
	r := p.f.NewReg(info.Class, int(info.Width))
	p.f.Regs[r].Align = info.Align
	srcs := make([]ori.Operand, 0, len(i.Srcs()))
	for _, s := range i.Srcs() {
		srcs = append(srcs, p.then(s, t))
	}
	c := p.f.NewInstr(i.Op, i.Mods, []ori.Operand{p.f.Words(r)}, srcs)
	c.Line, c.Loc = i.Line, i.Loc
	for _, o := range i.Old {
		c.Old = append(c.Old, p.then(o, t))
	}
	return c
}

// both returns a predicate that holds where g does and another turn follows.
func (p *pipeliner) both(g ori.Operand) ori.Operand {
	d := p.f.Words(p.f.NewReg(ori.P, 1))
	p.add(p.f.NewInstr(op.PLOP3, op.M(op.MLUT), []ori.Operand{d}, []ori.Operand{p.goOn, g, ori.Zero(ori.P), ori.Imm(0xc0), ori.Imm(0)}))
	return d
}

// add puts i behind what was added last.
func (p *pipeliner) add(i *ori.Instr) {
	p.cursor = p.cursor.Block().InsertAfter(i, p.cursor)
}

// before returns a block that leads to the loop and nowhere else, through which
// all ways into it go.
func (p *pipeliner) before() *ori.Block {
	h := p.loop.Header
	var outside []*ori.Block
	for _, b := range h.Preds {
		if !p.in[b] {
			outside = append(outside, b)
		}
	}
	if b := outside[0]; len(outside) == 1 && len(b.Succs) == 1 && (b.Tail() == nil || b.Tail().Op == op.BRA) {
		for i := range flow.PhiSources(b, h) {
			p.enter[i.Args[1].Imm] = i.Args[2]
		}
		return b
	}
	pre := p.f.NewBlock()
	key := map[int64]int64{}
	for i := h.First(); i != nil && i.Op == op.PHI; i = i.Next() {
		d := i.Args[0]
		r := p.f.NewReg(d.Class, int(d.N))
		p.f.Regs[r].Align = uint8(min(int(p.f.Regs[d.Reg].Align), int(d.N)))
		phi := pre.Append(p.f.NewPhi(p.f.Words(r)))
		p.enter[i.Args[1].Imm], key[i.Args[1].Imm] = phi.Args[0], phi.Args[1].Imm
	}
	for _, b := range outside {
		for i := range flow.PhiSources(b, h) {
			i.Args[0], i.Args[1].Imm = ori.Label(pre), key[i.Args[1].Imm]
		}
		for i := range b.Leaving {
			for k := range i.Args {
				if a := &i.Args[k]; a.Kind == ori.KLabel && a.Reg == ori.Reg(h.ID) {
					a.Reg = ori.Reg(pre.ID)
				}
			}
		}
		b.ReplaceSucc(h, pre)
	}
	for i := h.First(); i != nil && i.Op == op.PHI; i = i.Next() {
		pre.Append(p.f.NewInstr(op.PHISRC, op.Mods{}, nil, []ori.Operand{ori.Label(h), i.Args[1], p.enter[i.Args[1].Imm]}))
	}
	pre.AddEdge(h)
	last := len(p.f.Blocks) - 1
	p.f.Blocks = slices.Insert(p.f.Blocks[:last], slices.Index(p.f.Blocks, h), pre)
	return pre
}

// atSources puts i at the end of b, before what b brings to PHIs.
func atSources(b *ori.Block, i *ori.Instr) {
	at := b.Tail()
	for prev := b.Last(); ; prev = at.Prev() {
		if at != nil {
			prev = at.Prev()
		}
		if prev == nil || prev.Op != op.PHISRC {
			break
		}
		at = prev
	}
	if at == nil {
		b.Append(i)
		return
	}
	b.InsertBefore(i, at)
}
