package remat

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Pointers of all loads of a loop, and rows and columns that masks compare, are
// computed before it, each by an instruction or two from numbers that live
// anyway, or from one word where it has two. They live through the whole loop.
// Where that does not have the registers they are computed again in the blocks
// that read them.

const (
	mostCone  = 4  // so many instructions make a value again
	coneDepth = 4  // so many of them one after the other
	fresh     = 48 // so many instructions later it is made once more
)

// Derived makes values again in the blocks that read them until no block has
// words too many, as far as that goes. over tells how many those are, by the
// number of the block. It returns what takes all of it back, the places of
// instructions aside, or nil if nothing changed.
func Derived(f *ori.Func, over []int32) (undo func()) {
	if do := Derivable(f, over); do != nil {
		return do()
	}
	return nil
}

// Derivable returns what does that as long as nothing but the places of
// instructions in their blocks changes, or nil if nothing is made again.
func Derivable(f *ori.Func, over []int32) (do func() (undo func())) {
	d := newDerived(f, over)
	if !d.choose(d.candidates()) {
		return nil
	}
	return func() func() { return d.apply(d.block) }
}

// newDerived looks at f, whose blocks have so many words too many.
func newDerived(f *ori.Func, over []int32) *derived {
	d := &derived{f: f, over: over, dom: flow.DomOf(f), live: flow.LiveOf(f), def: make([]*ori.Instr, len(f.Regs)), place: make([]int32, f.NumInstrs())}
	d.loops = flow.LoopsOf(f, d.dom)
	d.whole = make([]bits.Set, f.NumBlocks())
	d.state, d.srcs = make([]state, len(f.Regs)), make([][]ori.Operand, len(f.Regs))
	d.index()
	return d
}

// apply makes again, block by block, what was decided on, and returns what
// takes it back.
func (d *derived) apply(block func(b *ori.Block)) (undo func()) {
	for r, x := range d.state { // before those are made again themselves
		if x == made {
			d.srcs[r] = slices.Clone(d.def[r].Srcs())
		}
	}
	f, regs := d.f, len(d.f.Regs)
	for _, b := range f.Blocks {
		block(b)
	}
	d.sweep()
	return func() {
		for _, i := range d.added {
			i.Remove()
		}
		for _, i := range d.gone {
			f.Blocks[0].Append(i)
		}
		for _, x := range d.renamed {
			x.at.Reg = x.was
		}
		f.Regs = f.Regs[:regs]
	}
}

// renamed is an operand that was given another register.
type renamed struct {
	at  *ori.Operand
	was ori.Reg
}

type state uint8

const (
	undecided state = iota
	stays           // others are made from it
	made            // it is made again where it is read
)

type derived struct {
	f     *ori.Func
	over  []int32
	dom   *flow.Dom
	loops *flow.Loops
	live  *flow.Live
	def   []*ori.Instr             // of each register that one instruction writes, that
	parts map[ori.Reg][]*ori.Instr // of registers that one instruction writes for each word, those
	uses  [][]*ori.Instr
	place []int32 // of each instruction, by its number, in its block
	hot   []*ori.Block
	whole []bits.Set // of blocks, what lives where they begin and where they end, once it was asked for
	state []state
	srcs  [][]ori.Operand // of what is made again

	added, gone []*ori.Instr
	renamed     []renamed
}

// index notes who writes and reads what.
func (d *derived) index() {
	writes := make([]int, len(d.f.Regs))
	d.uses, d.parts = make([][]*ori.Instr, len(d.f.Regs)), map[ori.Reg][]*ori.Instr{}
	for _, b := range d.f.Blocks {
		if d.over[b.ID] > 0 {
			d.hot = append(d.hot, b)
		}
		n := int32(0)
		for i := range b.Instrs {
			d.place[i.ID] = n
			n++
			for _, o := range i.Dsts() {
				if o.HasReg() {
					writes[o.Reg]++
					d.def[o.Reg] = i
					d.part(o, i)
				}
			}
			Reads(i, func(o *ori.Operand) {
				if l := d.uses[o.Reg]; len(l) == 0 || l[len(l)-1] != i {
					d.uses[o.Reg] = append(l, i)
				}
			})
		}
	}
	for r := range d.def {
		x := &d.f.Regs[r]
		if writes[r] != 1 || x.Fixed || d.def[r].Guard.Kind != ori.KNone {
			d.def[r] = nil
		}
		if l := d.parts[ori.Reg(r)]; writes[r] != len(l) || x.Fixed || slices.ContainsFunc(l, func(i *ori.Instr) bool { return i == nil || i.Guard.Kind != ori.KNone }) {
			delete(d.parts, ori.Reg(r))
		}
	}
}

// part notes that i writes a word of a register that has several.
func (d *derived) part(o ori.Operand, i *ori.Instr) {
	n := int(d.f.Regs[o.Reg].Width)
	if n == 1 || o.N > 1 || int(o.Sub) >= n {
		return
	}
	if d.parts[o.Reg] == nil {
		d.parts[o.Reg] = make([]*ori.Instr, n)
	}
	d.parts[o.Reg][o.Sub] = i
}

// cheap reports whether the instruction that writes r makes it from other
// registers whenever it is asked: a word or two, or the carry of a sum.
func (d *derived) cheap(r ori.Reg) bool {
	i := d.def[r]
	if i == nil || !i.Op.Has(op.Derives) || i.Op.Has(op.Turns) || d.dst(i, r) < 0 {
		return false
	}
	for _, s := range i.Srcs() {
		if !s.HasReg() {
			continue
		}
		if s.Kind != ori.KReg || s.Class != ori.R && s.Class != ori.UR && s.Class != ori.P || !d.before(s.Reg, i) {
			return false
		}
	}
	return true
}

// dst is the place of r among what i writes, whole; -1 if not so, or if i writes more than one register
// and a carry.
func (d *derived) dst(i *ori.Instr, r ori.Reg) int {
	if a := i.Args[0]; a.Kind != ori.KReg || a.Class != ori.R || a.Sub != 0 || max(1, a.N) != d.f.Regs[a.Reg].Width || a.N > 2 {
		return -1
	}
	switch {
	case i.NDst == 1:
		return 0
	case i.NDst != 2 || i.Args[1].Kind != ori.KReg || i.Args[1].Class != ori.P || d.def[i.Args[0].Reg] != i || d.def[i.Args[1].Reg] != i:
		return -1
	case i.Args[1].Reg == r:
		return 1
	}
	return 0
}

// before reports whether what writes r, once, stands before i on all ways to it.
func (d *derived) before(r ori.Reg, i *ori.Instr) bool {
	if w := d.def[r]; w != nil {
		return d.leads(w, i)
	}
	l := d.parts[r]
	return l != nil && !slices.ContainsFunc(l, func(w *ori.Instr) bool { return !d.leads(w, i) })
}

// leads reports whether w stands before i on all ways to it.
func (d *derived) leads(w, i *ori.Instr) bool {
	if w.Block() == i.Block() {
		return d.place[w.ID] < d.place[i.ID]
	}
	return d.dom.Dominates(w.Block(), i.Block())
}

// through reports whether r lives through a block.
func (d *derived) through(r ori.Reg, b *ori.Block) bool {
	if d.f.Regs[r].Width == 1 {
		n := d.live.Number(r, 0)
		return n >= 0 && d.both(b).Has(n)
	}
	return d.in(d.live.Start(b), r) && d.in(d.live.End(b), r)
}

// both returns the numbers of the words that live where b begins and where it ends.
func (d *derived) both(b *ori.Block) bits.Set {
	if d.whole[b.ID] == nil {
		d.whole[b.ID] = d.live.Start(b).Clone()
		d.whole[b.ID].And(d.live.End(b))
	}
	return d.whole[b.ID]
}

func (d *derived) in(set bits.Set, r ori.Reg) bool {
	for w := range int(d.f.Regs[r].Width) {
		if n := d.live.Number(r, w); n >= 0 && set.Has(n) {
			return true
		}
	}
	return false
}

// candidate is a value that could be made again.
type candidate struct {
	reg  ori.Reg
	cone []ori.Reg // what is made with it
	from []ori.Reg // what must stay, or live on
	on   ori.Reg   // what lives on for it alone, or NoReg
	at   []*ori.Block
	gain int
	cost float64
}

// candidates lists the values that live through blocks with words too many.
func (d *derived) candidates() (list []candidate) {
	cheap := make([]bool, len(d.f.Regs))
	for r := range d.f.Regs {
		cheap[r] = d.f.Regs[r].Class == ori.R && d.cheap(ori.Reg(r))
	}
	at := d.hotThrough(cheap)
	for r := range d.f.Regs {
		if len(at[r]) == 0 {
			continue
		}
		c := candidate{reg: ori.Reg(r), on: ori.NoReg, gain: int(d.f.Regs[r].Width), at: at[r]}
		if !d.cone(&c) {
			continue
		}
		seen := map[*ori.Block]bool{}
		for _, i := range d.uses[r] {
			if b := i.Block(); b != d.def[r].Block() && !seen[b] {
				seen[b] = true
				c.cost += float64(int(1)<<(3*min(d.loops.Depth(b), 6))) * float64(len(c.cone))
			}
		}
		list = append(list, c)
	}
	return list
}

// hotThrough lists, for each of these registers, the blocks with words too many that it
// lives through.
func (d *derived) hotThrough(some []bool) [][]*ori.Block {
	at := make([][]*ori.Block, len(some))
	var wide []ori.Reg
	for r, x := range some {
		if x && d.f.Regs[r].Width > 1 {
			wide = append(wide, ori.Reg(r))
		}
	}
	for _, b := range d.hot {
		for n := range d.both(b).All() {
			if r := d.live.Reg(n); some[r] && d.f.Regs[r].Width == 1 {
				at[r] = append(at[r], b)
			}
		}
		for _, r := range wide {
			if d.through(r, b) {
				at[r] = append(at[r], b)
			}
		}
	}
	return at
}

// cone finds what is made again with c: all that does not live where c does, or
// c alone if it has two words and is made from one that does not.
func (d *derived) cone(c *candidate) bool {
	lives := func(r ori.Reg) bool {
		return !slices.ContainsFunc(c.at, func(b *ori.Block) bool { return !d.through(r, b) })
	}
	full := true
	var add func(r ori.Reg, deep int)
	add = func(r ori.Reg, deep int) {
		c.cone = append(c.cone, r)
		for _, s := range d.def[r].Srcs() {
			switch {
			case !s.HasReg() || slices.Contains(c.cone, s.Reg):
			case s.Class == ori.UR || lives(s.Reg):
				c.from = append(c.from, s.Reg)
			case deep == 0 || len(c.cone) >= mostCone || !d.cheap(s.Reg):
				full = false
			default:
				add(s.Reg, deep-1)
			}
		}
	}
	if add(c.reg, coneDepth); full {
		return true
	}
	c.cone, c.from = []ori.Reg{c.reg}, nil
	for _, s := range d.def[c.reg].Srcs() {
		switch {
		case !s.HasReg():
		case s.Class == ori.UR || lives(s.Reg):
			c.from = append(c.from, s.Reg)
		case c.on != ori.NoReg && c.on != s.Reg || d.f.Regs[s.Reg].Width > 1 || s.Class != ori.R:
			return false
		default:
			c.on = s.Reg
		}
	}
	return true
}

// choose decides what is made again, the cheapest first.
func (d *derived) choose(list []candidate) bool {
	shared := map[ori.Reg]int{} // words that are spared by what lives on for them
	for n := range list {
		if c := &list[n]; c.on != ori.NoReg {
			shared[c.on] += c.gain
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Compare(a.cost/float64(a.gain), b.cost/float64(b.gain))
	})
	some := false
	for _, c := range list {
		gain := c.gain
		if c.on != ori.NoReg {
			if shared[c.on] < 2 || d.state[c.on] == made {
				continue
			}
			if d.state[c.on] == undecided {
				gain--
			}
		}
		if !slices.ContainsFunc(c.at, func(b *ori.Block) bool { return d.over[b.ID] > 0 }) || !d.may(&c) {
			continue
		}
		for _, r := range c.cone {
			d.state[r] = made
		}
		for _, r := range c.from {
			d.state[r] = stays
		}
		if c.on != ori.NoReg {
			d.state[c.on] = stays
		}
		for _, b := range c.at {
			d.over[b.ID] -= int32(gain)
		}
		some = true
	}
	return some
}

// may reports whether what was decided before lets c be made again.
func (d *derived) may(c *candidate) bool {
	return !slices.ContainsFunc(c.cone, func(r ori.Reg) bool { return d.state[r] == stays }) &&
		!slices.ContainsFunc(c.from, func(r ori.Reg) bool { return d.state[r] == made })
}

// copied is a value that was made again at a place.
type copied struct {
	reg ori.Reg
	at  int
}

// again makes r again before an instruction, at place n, unless a copy is there
// that is fresh enough.
func (d *derived) again(r ori.Reg, before *ori.Instr, copies map[ori.Reg]copied, n, fresh int) ori.Reg {
	if c, ok := copies[r]; ok && n-c.at <= fresh {
		return c.reg
	}
	w := d.def[r]
	srcs := slices.Clone(d.srcs[r])
	for k := range srcs {
		if s := &srcs[k]; s.HasReg() && d.state[s.Reg] == made {
			s.Reg = d.again(s.Reg, before, copies, n, fresh)
		}
	}
	list := slices.Clone(w.Dsts())
	if len(list) > 1 && d.state[list[1].Reg] != made {
		list = list[:1] // nobody asks for the carry
	}
	for k := range list {
		x := &list[k]
		was := x.Reg
		x.Reg = d.f.NewReg(x.Class, int(d.f.Regs[was].Width))
		d.f.Regs[x.Reg] = d.f.Regs[was]
		copies[was] = copied{x.Reg, n}
	}
	m := d.f.NewInstr(w.Op, w.Mods, list, srcs)
	m.Line, m.Loc = w.Line, w.Loc
	before.Block().InsertBefore(m, before)
	d.added = append(d.added, m)
	return copies[r].reg
}

// block makes values again before the instructions of b that read them.
func (d *derived) block(b *ori.Block) {
	copies := map[ori.Reg]copied{}
	n := 0
	for _, i := range slices.Collect(b.Instrs) {
		n++
		Reads(i, func(o *ori.Operand) {
			if int(o.Reg) < len(d.state) && d.state[o.Reg] == made && d.def[o.Reg].Block() != b && d.before(o.Reg, i) {
				d.rename(o, d.again(o.Reg, i, copies, n, fresh))
			}
		})
	}
}

// rename has an operand read another register.
func (d *derived) rename(o *ori.Operand, to ori.Reg) {
	d.renamed = append(d.renamed, renamed{o, o.Reg})
	o.Reg = to
}

// sweep takes away what nobody reads any more.
func (d *derived) sweep() {
	for gone := true; gone; {
		gone = false
		read := make([]bool, len(d.f.Regs))
		for _, b := range d.f.Blocks {
			for i := range b.Instrs {
				Reads(i, func(o *ori.Operand) { read[o.Reg] = true })
			}
		}
		for r, s := range d.state {
			i := d.def[r]
			if s != made || read[r] || i == nil || slices.ContainsFunc(i.Dsts(), func(o ori.Operand) bool { return o.HasReg() && read[o.Reg] }) {
				continue
			}
			i.Remove()
			d.gone, gone = append(d.gone, i), true
			for _, o := range i.Dsts() {
				if o.HasReg() {
					d.def[o.Reg] = nil
				}
			}
		}
	}
}
