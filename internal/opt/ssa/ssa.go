package ssa

import (
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// SSA brings a function into SSA form: every word of a register has one
// definition, which dominates its uses. A register that is written several
// times becomes one for each generation of its words; where generations meet
// stands a PHI, whose sources are PHISRC at the ends of the blocks before. A
// guarded write names the value it leaves where its guard does not hold. A use
// that nothing reaches is an UNDEF, or _ where no instruction reads it.
//
// A wide register stays wide: its words are defined one by one, and words that
// are used together are those of one generation. Where they are not, copies
// bring them together, which LeaveSSA makes vanish.
//
// Registers of asynchronous operations, of the uniform files, and those of
// which copies could not be made on an edge stay variables (RegInfo.Var): what
// they hold is no value.
func SSA(f *ori.Func) bool {
	if f.Props.SSA {
		return false
	}
	Mend(f)
	return true
}

// Mend makes a function SSA form again that was, after a phase copied code and
// let the copies write what it writes, or made registers that are written
// anywhere: what several definitions reach is PHIs. Variables part where copies
// have nothing to do with each other.
func Mend(f *ori.Func) {
	branch.Unreachable(f)
	if f.Props.SSA {
		SplitWebs(f)
	}
	b := &ssaBuilder{f: f, v: opt.ValuesOf(f)}
	if b.choose() {
		b.freshEntry()
		b.dom = flow.DomOf(f)
		b.live = flow.LiveAmong(f, func(r ori.Reg) bool { return b.chosen[r] })
		b.place()
		b.variables()
		b.walk()
	} else {
		b.variables()
	}
	f.Props.SSA = true
	f.Touch()
}

type ssaBuilder struct {
	f    *ori.Func
	v    *opt.Values // of the function as it was: Base numbers the words
	dom  *flow.Dom
	live *flow.Live

	chosen []bool     // by register: it is renamed
	joint  []bool     // by register: some operand names several of its words
	phis   [][]ssaPhi // by block ID

	cur    []ori.Reg // by word: the register that holds it, NoReg = none
	log    []ssaUndo // how to go back up the dominator tree
	gen    []ori.Reg // by register: its generation in this block
	genIn  []int32   // by register: the block of gen, plus one
	filled []ori.Reg // by word: the last generation in which it was defined
	used   []bool    // by register: its own number is taken
}

// ssaPhi is a PHI and the words of the old register that it stands for.
type ssaPhi struct {
	i      *ori.Instr
	reg    ori.Reg
	lo, hi int32
}

type ssaUndo struct {
	word int32
	reg  ori.Reg
}

// choose picks the registers that are renamed: those some word of which is
// not one value.
func (b *ssaBuilder) choose() bool {
	b.chosen = pool.Make[bool](b.f.Scratch(), len(b.f.Regs))
	b.joint = pool.Make[bool](b.f.Scratch(), len(b.f.Regs))
	any := false
	for r := range b.f.Regs {
		info := &b.f.Regs[r]
		if info.Fixed || info.Var || info.Class != ori.R && info.Class != ori.P {
			continue
		}
		for w := b.v.Base[r]; w < b.v.Base[r+1] && !b.chosen[r]; w++ {
			b.chosen[r] = !b.v.IsValue(w)
		}
		any = any || b.chosen[r]
	}
	if any {
		b.exclude()
	}
	return any
}

// exclude takes out the registers whose content is no value, and notes which
// have operands of several words.
func (b *ssaBuilder) exclude() {
	for _, blk := range b.f.Blocks {
		for i := blk.First(); i != nil; i = i.Next() {
			async := i.IsGroupMMA()
			for k := range i.Args {
				a := &i.Args[k]
				if !a.HasReg() {
					continue
				}
				if async || a.Kind == ori.KConst && b.f.Regs[a.Reg].Width > 1 {
					b.chosen[a.Reg] = false
				}
				if a.N > 1 {
					b.joint[a.Reg] = true
				}
			}
		}
	}
}

// freshEntry makes sure that nothing leads to the entry.
func (b *ssaBuilder) freshEntry() {
	old := b.f.Blocks[0]
	if len(old.Preds) == 0 {
		return
	}
	e := b.f.NewBlock()
	n := len(b.f.Blocks) - 1
	b.f.SetBlocks(append([]*ori.Block{e}, b.f.Blocks[:n]...))
	e.AddEdge(old)
}

// place decides where PHIs stand: at the iterated dominance frontier of the
// blocks that write a word, where it is alive. The words of a register that
// are used together meet together.
func (b *ssaBuilder) place() {
	b.phis = make([][]ssaPhi, b.f.NumBlocks())
	df := b.frontiers()
	writers := b.writers()
	seen := pool.Make[int32](b.f.Scratch(), b.f.NumBlocks())
	stamp := int32(0)
	for r := range writers {
		if !b.chosen[r] {
			continue
		}
		width := int32(b.f.Regs[r].Width)
		step := int32(1)
		if b.joint[r] {
			step = width
		}
		for lo := int32(0); lo < width; lo += step {
			stamp++
			var work, at []*ori.Block
			for _, x := range writers[r] {
				if x.lo < lo+step && x.hi > lo {
					work = append(work, x.b)
				}
			}
			for len(work) > 0 {
				x := work[len(work)-1]
				work = work[:len(work)-1]
				for _, t := range df[x.ID] {
					if seen[t.ID] != stamp && b.alive(ori.Reg(r), lo, lo+step, t) {
						seen[t.ID] = stamp
						at = append(at, t)
						work = append(work, t)
					}
				}
			}
			if !b.splittable(at) {
				b.chosen[r] = false
				break
			}
			for _, t := range at {
				b.runs(ori.Reg(r), lo, lo+step, t)
			}
		}
	}
	for id, list := range b.phis {
		keep := list[:0]
		for _, p := range list {
			if b.chosen[p.reg] {
				keep = append(keep, p)
			}
		}
		b.phis[id] = keep
	}
}

// ssaWriter is a block that writes words of a register.
type ssaWriter struct {
	b      *ori.Block
	lo, hi int32
}

// writers lists the blocks that write each chosen register.
func (b *ssaBuilder) writers() [][]ssaWriter {
	list := make([][]ssaWriter, len(b.f.Regs))
	for _, blk := range b.dom.Order.Blocks {
		for i := blk.First(); i != nil; i = i.Next() {
			for k := range i.NDst {
				a := &i.Args[k]
				if a.Kind != ori.KReg || !b.chosen[a.Reg] {
					continue
				}
				w := ssaWriter{blk, int32(a.Sub), int32(a.Sub + a.N)}
				if l := list[a.Reg]; len(l) == 0 || l[len(l)-1] != w {
					list[a.Reg] = append(l, w)
				}
			}
		}
	}
	return list
}

// frontiers returns the dominance frontier of each block.
func (b *ssaBuilder) frontiers() [][]*ori.Block {
	df := make([][]*ori.Block, b.f.NumBlocks())
	idom := b.dom.Idom
	for _, t := range b.dom.Order.Blocks {
		if len(t.Preds) < 2 {
			continue
		}
		for _, p := range t.Preds {
			for x := p.ID; x >= 0 && x != idom[t.ID]; x = idom[x] {
				if l := df[x]; len(l) == 0 || l[len(l)-1] != t {
					df[x] = append(l, t)
				}
			}
		}
	}
	return df
}

// alive reports whether some of the words lo to hi of r are alive at the start
// of t.
func (b *ssaBuilder) alive(r ori.Reg, lo, hi int32, t *ori.Block) bool {
	for w := lo; w < hi; w++ {
		if n := b.live.Number(r, int(w)); n >= 0 && b.live.Start(t).Has(n) {
			return true
		}
	}
	return false
}

// splittable reports whether copies can be made on every edge to the blocks.
func (b *ssaBuilder) splittable(list []*ori.Block) bool {
	for _, t := range list {
		if t.Kept {
			return false
		}
		for _, p := range t.Preds {
			if len(p.Succs) > 1 && (p.Last() == nil || p.Last().Op != op.BRA) {
				return false
			}
		}
	}
	return true
}

// runs adds a PHI at t for every run of words of r that are alive there.
func (b *ssaBuilder) runs(r ori.Reg, lo, hi int32, t *ori.Block) {
	for w := lo; w < hi; {
		end := w
		for end < hi && b.alive(r, end, end+1, t) {
			end++
		}
		if end > w {
			b.phis[t.ID] = append(b.phis[t.ID], ssaPhi{b.f.NewPhi(ori.Operand{}), r, w, end})
		}
		w = end + 1
	}
}

// walk renames everything down the dominator tree.
func (b *ssaBuilder) walk() {
	total := b.v.Base[len(b.v.Base)-1]
	b.cur, b.filled = pool.Make[ori.Reg](b.f.Scratch(), int(total)), pool.Make[ori.Reg](b.f.Scratch(), int(total))
	for w := range b.cur {
		b.cur[w], b.filled[w] = ori.NoReg, ori.NoReg
	}
	n := len(b.chosen)
	b.gen, b.genIn, b.used = pool.Make[ori.Reg](b.f.Scratch(), n), pool.Make[int32](b.f.Scratch(), n), pool.Make[bool](b.f.Scratch(), n)
	b.dom.Walk(b.block, func() int { return len(b.log) }, b.forget)
}

// forget takes back what the log says from its n-th line on.
func (b *ssaBuilder) forget(n int) {
	for len(b.log) > n {
		u := b.log[len(b.log)-1]
		b.log = b.log[:len(b.log)-1]
		b.cur[u.word] = u.reg
	}
}

// block renames a block and gives the PHIs behind it their sources.
func (b *ssaBuilder) block(blk *ori.Block) {
	first := blk.First()
	for k := range b.phis[blk.ID] {
		p := &b.phis[blk.ID][k]
		g := b.define(blk, p.reg, p.lo, p.hi)
		p.i.Args[0] = ori.Operand{Kind: ori.KReg, Class: b.f.Regs[g].Class, Reg: g, Sub: uint8(p.lo), N: uint8(p.hi - p.lo)}
		if first == nil {
			blk.Append(p.i)
		} else {
			blk.InsertBefore(p.i, first)
		}
	}
	for i := first; i != nil; i = i.Next() {
		b.instr(blk, i)
	}
	for n, s := range blk.Succs {
		if n > 0 && s == blk.Succs[0] {
			continue
		}
		for _, p := range b.phis[s.ID] {
			b.phiSource(blk, s, p)
		}
	}
}

// instr renames the operands of i.
func (b *ssaBuilder) instr(blk *ori.Block, i *ori.Instr) {
	for k := int(i.NDst); k < len(i.Args); k++ {
		b.use(blk, i, &i.Args[k])
	}
	b.use(blk, i, &i.Guard)
	for k := range i.Old {
		b.use(blk, i, &i.Old[k])
	}
	renamed := false
	for k := range i.NDst {
		renamed = renamed || i.Args[k].Kind == ori.KReg && b.chosen[i.Args[k].Reg]
	}
	if !renamed {
		return
	}
	if i.Guard.Kind != ori.KNone && i.Old == nil {
		b.old(blk, i)
	}
	for k := range i.NDst {
		if a := &i.Args[k]; a.Kind == ori.KReg && b.chosen[a.Reg] {
			a.Reg = b.define(blk, a.Reg, int32(a.Sub), int32(a.Sub+a.N))
		}
	}
}

// use renames an operand that i reads.
func (b *ssaBuilder) use(blk *ori.Block, i *ori.Instr, a *ori.Operand) {
	if !a.HasReg() || !b.chosen[a.Reg] {
		return
	}
	lo, hi := int32(a.Sub), int32(a.Sub+a.N)
	if a.Kind == ori.KConst {
		lo, hi = 0, 1
	}
	a.Reg = b.together(blk, i, a.Reg, lo, hi)
}

// old gives guarded instruction i the values that its results have where it
// does not run.
func (b *ssaBuilder) old(blk *ori.Block, i *ori.Instr) {
	i.Old = make([]ori.Operand, i.NDst)
	for k := range i.NDst {
		a := i.Args[k]
		if a.Kind == ori.KReg && !b.chosen[a.Reg] && b.stays(a.Reg) {
			i.Old[k] = a
		} else if a.Kind == ori.KReg && b.chosen[a.Reg] && b.known(a.Reg, int32(a.Sub), int32(a.Sub+a.N)) {
			a.Reg = b.together(blk, i, a.Reg, int32(a.Sub), int32(a.Sub+a.N))
			i.Old[k] = a
		}
	}
}

// stays reports whether r is no value: what a guarded write leaves is what it
// held.
func (b *ssaBuilder) stays(r ori.Reg) bool { return b.f.Regs[r].Var || b.f.Regs[r].Fixed }

// known reports whether a definition of some of the words reaches this place.
func (b *ssaBuilder) known(r ori.Reg, lo, hi int32) bool {
	for w := b.v.Base[r] + lo; w < b.v.Base[r]+hi; w++ {
		if b.cur[w] != ori.NoReg {
			return true
		}
	}
	return false
}

// phiSource adds the source of a PHI of s at the end of blk.
func (b *ssaBuilder) phiSource(blk, s *ori.Block, p ssaPhi) {
	i := b.f.NewInstr(op.PHISRC, op.Mods{}, nil, []ori.Operand{ori.Label(s), p.i.Args[1], {}})
	if at := blk.Tail(); at != nil {
		blk.InsertBefore(i, at)
	} else {
		blk.Append(i)
	}
	if b.known(p.reg, p.lo, p.hi) {
		r := b.together(blk, i, p.reg, p.lo, p.hi)
		i.Args[2] = ori.Operand{Kind: ori.KReg, Class: b.f.Regs[r].Class, Reg: r, Sub: uint8(p.lo), N: uint8(p.hi - p.lo)}
	}
}

// set notes that register g holds a word from here on.
func (b *ssaBuilder) set(w int32, g ori.Reg) {
	b.log = append(b.log, ssaUndo{w, b.cur[w]})
	b.cur[w], b.filled[w] = g, g
}

// generation returns a register for a new generation of r; the first takes
// its own number.
func (b *ssaBuilder) generation(r ori.Reg) ori.Reg {
	if !b.used[r] {
		b.used[r] = true
		return r
	}
	b.f.Regs = append(b.f.Regs, b.f.Regs[r])
	return ori.Reg(len(b.f.Regs) - 1)
}

// define returns the register that the words of r are defined in: the
// generation of this block, if they are still free in it.
func (b *ssaBuilder) define(blk *ori.Block, r ori.Reg, lo, hi int32) ori.Reg {
	base := b.v.Base[r]
	g := b.gen[r]
	fresh := b.genIn[r] != blk.ID+1
	for w := base + lo; w < base+hi; w++ {
		fresh = fresh || b.filled[w] == g
	}
	if fresh {
		g = b.generation(r)
		b.gen[r], b.genIn[r] = g, blk.ID+1
	}
	for w := base + lo; w < base+hi; w++ {
		b.set(w, g)
	}
	return g
}

// together returns a register that holds all the words, where i reads them.
// Words of several generations are copied into one.
func (b *ssaBuilder) together(blk *ori.Block, i *ori.Instr, r ori.Reg, lo, hi int32) ori.Reg {
	base := b.v.Base[r]
	one := b.cur[base+lo]
	g, fits := b.gen[r], b.genIn[r] == blk.ID+1
	for w := base + lo; w < base+hi; w++ {
		if b.cur[w] != one {
			one = ori.NoReg
		}
		fits = fits && (b.cur[w] == g || b.filled[w] != g)
	}
	if one != ori.NoReg {
		return one
	}
	if !fits {
		g = b.generation(r)
		b.gen[r], b.genIn[r] = g, blk.ID+1
	}
	for w := lo; w < hi; w++ {
		from := b.cur[base+w]
		if from == g {
			continue
		}
		c := b.f.NewInstr(op.UNDEF, op.Mods{}, []ori.Operand{b.f.Word(g, int(w))}, nil)
		if from != ori.NoReg {
			c = b.f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{b.f.Word(g, int(w))}, []ori.Operand{b.f.Word(from, int(w))})
		}
		c.Line, c.Loc = i.Line, i.Loc
		blk.InsertBefore(c, i)
		b.set(base+w, g)
	}
	return g
}

// variables marks the registers that are written more than once, or read
// where nothing was written, and were not renamed.
func (b *ssaBuilder) variables() {
	for r := range b.chosen {
		info := &b.f.Regs[r]
		info.Var = false
		for w := b.v.Base[r]; w < b.v.Base[r+1] && !b.chosen[r] && !info.Fixed; w++ {
			info.Var = info.Var || !b.v.IsValue(w)
		}
	}
}
