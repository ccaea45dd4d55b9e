package isel

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Convergence. Threads of a warp that part at a branch run one group after
// the other until something brings them together again. BSSY, before they
// part, notes who is there; BSYNC, where their paths reconverge, waits for all of
// those (threads that exited do not count).
//
//	    BSSY k = b3          note the threads
//	    @p BRA b2
//	b1: …                    some
//	b2: …                    others
//	b3: BSYNC k              together again
//
// A branch's paths reconverge at its immediate post-dominator. When the branch
// sits in a loop that its reconvergence point is outside of, the threads must be
// noted before the loop: inside it, each turn would forget those that left
// in an earlier one. Notes with the same reconvergence point that enclose each
// other are one: the outermost is enough.

// region is one pair of BSSY and BSYNC to be.
type region struct {
	from *ori.Block // its last instruction gets the BSSY before it
	to   *ori.Block // where the threads reconverge
	in   *flow.Loop // threads that leave this loop do not come; nil if all come
}

// Converge adds the convergence instructions of f. diverges tells whether
// the threads of a warp may part at the end of a block. It reports whether
// every such branch whose paths reconverge got its instructions.
func Converge(f *ori.Func, diverges func(*ori.Block) bool) bool {
	c := &converger{f: f}
	c.find(diverges)
	if len(c.many)+len(c.heads) > 0 {
		c.join()
		*c = converger{f: f, joined: true}
		c.find(diverges)
	}
	c.leave()
	c.prune()
	for _, r := range c.regions {
		c.place(r)
	}
	return !c.open
}

// Reconverging tells of blocks at whose ends threads part whether they will wait
// for each other at a block where their paths reconverge, without changing f.
// Of some that Converge makes room for it says no.
func Reconverging(f *ori.Func, diverges func(*ori.Block) bool) func(b, reconv *ori.Block) bool {
	c := &converger{f: f}
	c.find(diverges)
	c.leave()
	in := make([][]*ori.Block, len(c.regions))
	return func(b, reconv *ori.Block) bool {
		for n := range c.regions {
			r := &c.regions[n]
			if r.to != reconv || r.in != nil {
				continue
			}
			if in[n] == nil {
				in[n] = append(c.between(r), r.from)
			}
			if slices.Contains(in[n], b) {
				return true
			}
		}
		return false
	}
}

// leave drops the regions of a function in which it calls others. Their
// threads stay apart until the caller gathers them: while some would wait,
// others may be in the same function again, and a barrier register is one
// for the whole warp. Saving it and putting it back is right only if calls
// end in the opposite order of their beginnings, which nobody promises of
// threads that are apart. A kernel is never entered again, and functions
// leave its barriers alone.
func (c *converger) leave() {
	if c.f.Kernel || !c.f.Props.HasCalls {
		return
	}
	n := len(c.regions)
	c.regions = slices.DeleteFunc(c.regions, func(r region) bool {
		return slices.ContainsFunc(c.between(&r), calls)
	})
	c.open = c.open || len(c.regions) < n
}

// calls reports whether b calls a function.
func calls(b *ori.Block) bool {
	for i := range b.Instrs {
		if i.Op == op.CALL {
			return true
		}
	}
	return false
}

// find finds the regions of all branches.
func (c *converger) find(diverges func(*ori.Block) bool) {
	c.analyse()
	for _, b := range c.f.Blocks {
		if len(b.Succs) > 1 && diverges(b) {
			c.branch(b)
			c.early(b)
		}
	}
}

type converger struct {
	f       *ori.Func
	dom     *flow.Dom
	pdom    *flow.PostDom
	loops   *flow.Loops
	byID    []*ori.Block
	regions []region
	open    bool // some branch got no region
	tangled bool // some loop has several ways in
	turns   map[*flow.Loop][]int32
	many    []*flow.Loop             // loops whose turns should end in one place
	heads   []*flow.Loop             // loops that should be entered in one place
	joined  bool                     // they do and are
	placed  map[ori.Reg][]*ori.Block // the blocks of regions, by their barriers
}

func (c *converger) analyse() {
	c.dom = flow.DomOf(c.f)
	c.pdom = flow.PostDomOf(c.f)
	c.loops = flow.LoopsOf(c.f, c.dom)
	c.byID = make([]*ori.Block, c.f.NumBlocks())
	for _, b := range c.f.Blocks {
		c.byID[b.ID] = b
		for _, s := range b.Succs {
			if at := c.dom.Order.Index; at[b.ID] >= 0 && at[s.ID] <= at[b.ID] && !c.dom.Dominates(s, b) {
				c.tangled = true
			}
		}
	}
}

// branch finds the region of the branch at the end of b: up to where its
// paths reconverge, or, where threads come there again without passing the note, to
// a later place that all of them pass.
func (c *converger) branch(b *ori.Block) {
	if c.dom.Order.Index[b.ID] < 0 {
		return
	}
	first := c.pdom.Ipdom[b.ID]
	for id := first; id >= 0; id = c.pdom.Ipdom[id] {
		to := c.byID[id]
		c.open = c.open || id != first
		if i := to.First(); i != nil && i.Op == op.EXIT && i.Guard.Kind == ori.KNone {
			return // nothing is left to do together
		}
		start := c.start(b, to)
		for from := start; from != nil; from = c.above(from, to) {
			r := region{from: from, to: to}
			if slices.ContainsFunc(c.regions, func(x region) bool { return x.from == r.from && x.to == r.to }) {
				return
			}
			if c.closed(&r) && (from == start && !c.tangled || c.once(&r)) {
				c.regions = append(c.regions, r)
				return
			}
		}
	}
	c.open = c.open || first >= 0
}

// above returns the block before from that can note the threads instead: of
// a loop with several ways in, which has no block before it of its own, and of
// loops one behind the other that are left to one place.
func (c *converger) above(from, to *ori.Block) *ori.Block {
	d := c.dom.Idom[from.ID]
	if d < 0 || d == int32(from.ID) {
		return nil
	}
	for id := c.pdom.Ipdom[d]; id >= 0; id = c.pdom.Ipdom[id] {
		if int(id) == int(to.ID) {
			return c.byID[d]
		}
	}
	return nil
}

// start returns the block that notes the threads of b that reconverge at to: b, or
// what stands before the loops that they leave; or nil.
func (c *converger) start(b, to *ori.Block) *ori.Block {
	var out *flow.Loop
	for l := c.loops.Of(b); l != nil && !c.inside(l, to); l = l.Parent {
		out = l
	}
	if out == nil {
		return b
	}
	return c.before(out)
}

func (c *converger) inside(l *flow.Loop, b *ori.Block) bool {
	for int(b.ID) >= len(c.byID) { // a landing made meanwhile
		b = b.Succs[0]
	}
	for x := c.loops.Of(b); x != nil; x = x.Parent {
		if x == l {
			return true
		}
	}
	return false
}

// before returns the block through which alone the loop is entered, or nil:
// then it asks for one.
func (c *converger) before(l *flow.Loop) *ori.Block {
	var from *ori.Block
	n := 0
	for _, p := range l.Header.Preds {
		if !c.inside(l, p) {
			from = p
			n++
		}
	}
	if n == 1 && len(from.Succs) == 1 {
		return from
	}
	if n > 0 {
		c.oneEntry(l)
	}
	return nil
}

// closed reports whether everything inside r is entered through its start
// alone, so that every thread that comes to the reconvergence point from there was
// noted, and leads there: nobody waits for threads in a loop that only an
// exit ends.
func (c *converger) closed(r *region) bool {
	in := c.between(r)
	for _, b := range in {
		if !c.dom.Dominates(r.from, b) || b == r.from {
			return false
		}
	}
	return leadTo(in, r.to)
}

// leadTo reports whether a path among the blocks of a list leads from each of
// them to a block.
func leadTo(list []*ori.Block, to *ori.Block) bool {
	open := make(map[*ori.Block]bool, len(list)) // not reached yet
	for _, b := range list {
		open[b] = true
	}
	for work := []*ori.Block{to}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range b.Preds {
			if open[p] {
				delete(open, p)
				work = append(work, p)
			}
		}
	}
	return len(open) == 0
}

// once reports whether threads that left r come into it again through its
// start alone, so that they are noted anew: others would wait for threads that
// have gone on. Of a branch, or of what stands before the loops that are left at
// it, that is true unless a loop has several ways in; blocks above may stand
// before a loop that their threads go around without them.
func (c *converger) once(r *region) bool {
	in := c.between(r)
	again := c.between(&region{from: r.to, to: r.from})
	return !slices.ContainsFunc(in, func(b *ori.Block) bool { return slices.Contains(again, b) })
}

// between lists the blocks on paths from the start of r to its
// reconvergence point, without the two, as far as its loop goes.
func (c *converger) between(r *region) []*ori.Block {
	seen := map[*ori.Block]bool{r.to: true}
	var list []*ori.Block
	work := append([]*ori.Block(nil), r.from.Succs...)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] || r.in != nil && !c.inside(r.in, b) {
			continue
		}
		seen[b] = true
		list = append(list, b)
		work = append(work, b.Succs...)
	}
	return list
}

// prune drops regions that lie inside another with the same reconvergence point.
func (c *converger) prune() {
	var keep []region
	for _, r := range c.regions {
		inner := false
		for _, s := range c.regions {
			inner = inner || s.to == r.to && s.from != r.from && c.dom.Dominates(s.from, r.from) && slices.Contains(c.between(&s), r.from)
		}
		if !inner {
			keep = append(keep, r)
		}
	}
	c.regions = keep
}

// place adds the two instructions of a region. Where the reconvergence point is
// reached from elsewhere too, the region gets a landing block of its own.
func (c *converger) place(r region) {
	f := c.f
	in := map[*ori.Block]bool{r.from: true}
	blocks := c.between(&r)
	for _, b := range blocks {
		in[b] = true
	}
	land := r.to
	for _, p := range r.to.Preds {
		if !in[p] {
			land = c.landing(r.to, in)
			break
		}
	}
	k := f.NewReg(ori.B, 1)
	if c.placed == nil {
		c.placed = map[ori.Reg][]*ori.Block{}
	}
	c.placed[k] = blocks
	for _, b := range blocks {
		if r.in != nil {
			c.depart(b, &r, k)
		}
	}
	sync := f.NewInstr(op.BSYNC, op.Mods{}, nil, []ori.Operand{f.Words(k)})
	if first := land.First(); first != nil {
		sync.Line, sync.Loc = first.Line, first.Loc
	}
	land.Prepend(sync)
	note := f.NewInstr(op.BSSY, op.Mods{}, []ori.Operand{f.Words(k)}, []ori.Operand{ori.Label(land)})
	if last := r.from.Last(); last != nil && last.Op.Has(op.Terminator) {
		note.Line, note.Loc = last.Line, last.Loc
		r.from.InsertBefore(note, ahead(last))
	} else {
		r.from.Append(note)
	}
}

// ahead returns the first instruction from which on block code runs with the
// threads that reach the jump at its end, and which the scheduler may move:
// noted there, the threads cost no time before the jump.
func ahead(jump *ori.Instr) *ori.Instr {
	for p := jump.Prev(); p != nil && p.Op != op.UNDEF; p = jump.Prev() {
		if p.Op.Has(op.Effect|op.Terminator|op.Convergent|op.Writes|op.Pseudo) && p.Op != op.COPY {
			break
		}
		jump = p
	}
	return jump
}

// landing puts a block before to that only the blocks in the region reach.
func (c *converger) landing(to *ori.Block, in map[*ori.Block]bool) *ori.Block {
	f := c.f
	land := f.NewBlock()
	f.Blocks = f.Blocks[:len(f.Blocks)-1]
	at := 0
	for n, b := range f.Blocks {
		if b == to {
			at = n
		}
	}
	f.Blocks = append(f.Blocks[:at], append([]*ori.Block{land}, f.Blocks[at:]...)...)
	for _, p := range append([]*ori.Block(nil), to.Preds...) {
		if !in[p] {
			continue
		}
		in[land] = true
		for i := p.Last(); i != nil && i.Op.Has(op.Terminator); i = i.Prev() {
			for n := range i.Args {
				if i.Args[n].Kind == ori.KLabel && i.Args[n].Reg == ori.Reg(to.ID) {
					i.Args[n].Reg = ori.Reg(land.ID)
				}
			}
		}
		p.ReplaceSucc(to, land)
	}
	land.AddEdge(to)
	return land
}
