package ssa

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// LeaveSSA turns values back into registers. Values that want to share a place
// (a PHI and its sources, a guarded definition and what it leaves, a copy and
// its source) become words of one register wherever they do not interfere: two
// values do if one is alive where the other is defined and they are not the
// same value, as a copy and its source are. A register is kept as a whole, so
// that a place is a number of words and a distance from its start. Where
// values cannot share a place copies are made: before a guarded definition,
// and on the edges that lead to a PHI, all at once.
func LeaveSSA(f *ori.Func) bool {
	if !f.Props.SSA {
		return false
	}
	branch.Unreachable(f)
	l := &leaver{f: f, v: opt.ValuesOf(f), dom: flow.DomOf(f)}
	l.loops = flow.LoopsOf(f, l.dom)
	l.gather()
	if len(l.wishes) > 0 {
		l.positions()
		l.shared()
		for _, w := range l.wishes {
			l.join(w)
		}
	}
	l.settleEdges()
	l.rename()
	for r := range f.Regs {
		f.Regs[r].Var = false
	}
	f.Props.SSA = false
	f.Touch()
	return true
}

type leaver struct {
	f     *ori.Func
	v     *opt.Values
	dom   *flow.Dom
	loops *flow.Loops
	live  *flow.Live

	wishes []wish
	whose  []owner              // by root: whose its values are
	phis   map[int64]*ori.Instr // PHIs by their key
	wants  []bool               // by register: it is part of a wish
	index  []bool               // by register: it indexes a constant bank

	pos  []int32     // by instruction ID: four for each instruction of its block
	tail []int32     // by block ID: where sources of PHIs are read
	uses [][]lastUse // by word: of registers that want something

	up      []ori.Reg   // by register: parent in the forest of places
	off     []int16     // distance from the start of the parent's place
	members [][]ori.Reg // of each root but those alone
	binds   map[ori.Reg]bind
	copied  map[pair]int // words that copies move between two registers at one distance
	edges   []edgeCopies
}

// wish is two operands that want to share a place.
type wish struct {
	a, b   ori.Operand
	weight int
	copy   bool // what one of them holds is copied to the other
}

// pair is two registers and how many words b begins behind a if their copies vanish.
type pair struct {
	a, b ori.Reg
	by   int
}

// lastUse is the last place in a block where a word is read.
type lastUse struct {
	block int32
	pos   int32
}

// edgeCopies are the PHISRCs of one edge.
type edgeCopies struct {
	from, to *ori.Block
	list     []*ori.Instr
	before   bool // copies may stand before the jump, not on the edge
}

// gather lists who wants to share a place with whom, those in the deepest
// loops first.
func (l *leaver) gather() {
	l.phis, l.copied = map[int64]*ori.Instr{}, map[pair]int{}
	l.wants, l.index = pool.Make[bool](l.f.Scratch(), len(l.f.Regs)), pool.Make[bool](l.f.Scratch(), len(l.f.Regs))
	for _, b := range l.f.Blocks {
		for i := b.First(); i != nil && i.Op == op.PHI; i = i.Next() {
			l.phis[i.Args[1].Imm] = i
		}
	}
	for _, b := range l.f.Blocks {
		weight := 4 * l.loops.Depth(b)
		for i := b.First(); i != nil; i = i.Next() {
			for k := range i.Args {
				if a := &i.Args[k]; a.Kind == ori.KConst && a.Reg != ori.NoReg {
					l.index[a.Reg] = true
				}
			}
			for k, o := range i.Old {
				l.wish(i.Args[k], o, weight+2, false)
			}
			switch {
			case i.Op == op.PHISRC:
				l.wish(l.phis[i.Args[1].Imm].Args[0], i.Args[2], weight+3, false)
			case l.isCopy(i):
				l.wish(i.Args[0], i.Args[1], weight, true)
				l.copied[pairOf(i.Args[0], i.Args[1])] += int(max(1, i.Args[0].N))
			case i.Op == op.COPY && i.Guard.Kind == ori.KNone:
				l.bind(i.Args[0], i.Args[1], weight)
				l.bind(i.Args[1], i.Args[0], weight)
			}
		}
	}
	slices.SortStableFunc(l.wishes, func(a, b wish) int { return cmp.Compare(b.weight, a.weight) })
}

// isCopy reports whether i makes a copy of a value that is the same value.
func (l *leaver) isCopy(i *ori.Instr) bool {
	return i.Op == op.COPY && i.Guard.Kind == ori.KNone && i.Args[1].Kind == ori.KReg && i.Args[1].Flags == 0 && i.Args[1].N == i.Args[0].N &&
		i.Args[0].Class == i.Args[1].Class && l.free(i.Args[0]) && l.free(i.Args[1])
}

// free reports whether the register of an operand holds values of a thread.
// Uniform registers are the warp's: which of them are alive at once is not
// told by the paths that one thread takes.
func (l *leaver) free(a ori.Operand) bool {
	return a.Kind == ori.KReg && (a.Class == ori.R || a.Class == ori.P) && !l.f.Regs[a.Reg].Var && !l.f.Regs[a.Reg].Fixed
}

func (l *leaver) wish(a, b ori.Operand, weight int, copied bool) {
	if !l.free(a) || !l.free(b) {
		return
	}
	l.wants[a.Reg], l.wants[b.Reg] = true, true
	l.wishes = append(l.wishes, wish{a, b, weight, copied})
}

// positions numbers the instructions and notes where words are read last. An
// instruction reads at its number and defines behind it; one that leaves its
// results where its guard does not hold defines them before it reads, since a
// copy may come before it.
func (l *leaver) positions() {
	l.live = flow.LiveAmong(l.f, func(r ori.Reg) bool { return l.wants[r] })
	l.pos = pool.Make[int32](l.f.Scratch(), l.f.NumInstrs())
	l.tail = pool.Make[int32](l.f.Scratch(), l.f.NumBlocks())
	l.uses = make([][]lastUse, len(l.v.Words))
	l.up, l.off, l.members = pool.Make[ori.Reg](l.f.Scratch(), len(l.f.Regs)), pool.Make[int16](l.f.Scratch(), len(l.f.Regs)), make([][]ori.Reg, len(l.f.Regs))
	for r := range l.up {
		l.up[r] = ori.Reg(r)
	}
	for _, b := range l.f.Blocks {
		n, tail := int32(0), b.Tail()
		l.tail[b.ID] = 4*int32(b.Len()) + 3
		for i := b.First(); i != nil; i = i.Next() {
			n += 4
			l.pos[i.ID] = n
			if i == tail {
				l.tail[b.ID] = n - 2
			}
		}
		for i := b.First(); i != nil; i = i.Next() {
			at := l.pos[i.ID]
			if i.Op == op.PHISRC {
				at = l.tail[b.ID]
			}
			for k := int(i.NDst); k < len(i.Args); k++ {
				l.use(&i.Args[k], b, at)
			}
			l.use(&i.Guard, b, at)
			if len(i.Old) == 1 {
				at -= 2
			}
			for k := range i.Old {
				l.use(&i.Old[k], b, at)
			}
		}
	}
}

func (l *leaver) use(a *ori.Operand, b *ori.Block, at int32) {
	if !a.HasReg() || !l.wants[a.Reg] {
		return
	}
	w := l.v.Word(a)
	for n := w; n < w+int32(max(1, a.N)); n++ {
		u := l.uses[n]
		if k := len(u) - 1; k >= 0 && u[k].block == b.ID {
			u[k].pos = max(u[k].pos, at)
			continue
		}
		l.uses[n] = append(u, lastUse{b.ID, at})
	}
}

// root returns the place of a register and its distance from the start.
func (l *leaver) root(r ori.Reg) (ori.Reg, int) {
	d := 0
	for l.up[r] != r {
		d += int(l.off[r])
		r = l.up[r]
	}
	return r, d
}

// of returns the registers that share the place of a root.
func (l *leaver) of(r ori.Reg) []ori.Reg {
	if l.members[r] == nil {
		l.members[r] = []ori.Reg{r}
	}
	return l.members[r]
}

// maxPairs bounds how many pairs of registers are compared to join two places.
const maxPairs = 1 << 14

// join lets two operands share a place if nothing in their places interferes.
// The root of a place is a register that spans all of it.
func (l *leaver) join(w wish) {
	a, da := l.root(w.a.Reg)
	b, db := l.root(w.b.Reg)
	if a == b {
		return
	}
	by := da + int(w.a.Sub) - db - int(w.b.Sub) // b begins so many words behind a
	if l.f.Regs[b].Width > l.f.Regs[a].Width {
		a, b, by = b, a, -by
	}
	x, y := &l.f.Regs[a], &l.f.Regs[b]
	if by < 0 || by+int(y.Width) > int(x.Width) || by%int(y.Align) != 0 || x.Class != y.Class || x.Lo != y.Lo || x.Hi != y.Hi {
		return
	}
	if (x.Lo != 0 || x.Hi != 0) && by != 0 || x.Width > 1 && (l.anyIndex(a) || l.anyIndex(b)) {
		return
	}
	if l.torn(w, int(x.Width), int(y.Width)) {
		return
	}
	as, bs := l.of(a), l.of(b)
	if l.mixes(a, b) || len(as)*len(bs) > maxPairs || l.pulls(a, b, by, w.weight) || l.interfere(as, bs, by) {
		return
	}
	l.bindBoth(a, b, by)
	x.Align = max(x.Align, y.Align)
	l.up[b], l.off[b] = a, int16(by)
	l.whose[a] |= l.whose[b]
	l.members[a] = append(as, bs...)
	l.members[b] = nil
}

func pairOf(a, b ori.Operand) pair { return pair{a.Reg, b.Reg, int(a.Sub) - int(b.Sub)} }

// longRun is how many words a vector has whose words are worth more than a copy:
// loads and products of matrices make such; of shorter ones little is kept.
const longRun = 16

// torn reports whether a wish would put a vector into a longer one although only
// some of its words come from there. It spares a copy or two, and all of the
// longer one lives as long as the vector does: of results of 64 words that are
// stored in quarters, every fourth word a time, nothing would be free until the end.
func (l *leaver) torn(w wish, long, short int) bool {
	return long >= longRun && long > short && short > 1 && w.copy && l.copied[pairOf(w.a, w.b)] < short
}

func (l *leaver) anyIndex(r ori.Reg) bool {
	return slices.ContainsFunc(l.of(r), func(x ori.Reg) bool { return l.index[x] })
}

// interfere reports whether words of two places that would be one hold
// different values at a time.
func (l *leaver) interfere(as, bs []ori.Reg, by int) bool {
	for _, r := range as {
		_, dr := l.root(r)
		for _, s := range bs {
			_, ds := l.root(s)
			ds += by
			lo, hi := max(dr, ds), min(dr+int(l.f.Regs[r].Width), ds+int(l.f.Regs[s].Width))
			for w := lo; w < hi; w++ {
				if l.clash(l.v.Base[r]+int32(w-dr), l.v.Base[s]+int32(w-ds)) {
					return true
				}
			}
		}
	}
	return false
}

// value returns the word that a word is a copy of.
func (l *leaver) value(w int32) int32 {
	for {
		d := l.v.Words[w].Def
		if d == nil || d.Block() == nil || !l.isCopy(d) {
			return w
		}
		w = l.v.Word(&d.Args[1]) + w - l.v.Word(&d.Args[0])
	}
}

// clash reports whether two words are alive at once and differ.
func (l *leaver) clash(x, y int32) bool {
	i, j := l.v.Words[x].Def, l.v.Words[y].Def
	if l.v.Words[x].Writes == 0 || l.v.Words[y].Writes == 0 || l.value(x) == l.value(y) {
		return false
	}
	if i == j {
		return true
	}
	switch b, c := i.Block(), j.Block(); {
	case b == c && i.Op == op.PHI && j.Op == op.PHI:
		return true
	case b == c && l.defined(i, y) > l.defined(j, x) || b != c && l.dom.Dominates(c, b):
		x, y, i, j = y, x, j, i
	case b != c && !l.dom.Dominates(b, c):
		return j.Op == op.PHI && l.readByJumps(x, j) || i.Op == op.PHI && l.readByJumps(y, i)
	}
	if l.alive(x, j.Block(), l.defined(j, x)) {
		return true
	}
	return j.Op == op.PHI && l.readByJumps(x, j) || i.Op == op.PHI && l.readByJumps(y, i)
}

// defined returns where i defines its results, as far as word x is concerned:
// what a guarded definition leaves may stay where it is.
func (l *leaver) defined(i *ori.Instr, x int32) int32 {
	if i.Op == op.PHI {
		return 0
	}
	if len(i.Old) == 0 {
		return l.pos[i.ID] + 1
	}
	for k := range i.Old {
		if o := &i.Old[k]; o.Kind == ori.KReg {
			for n := range int32(o.N) {
				if l.value(l.v.Word(o)+n) == l.value(x) {
					return l.pos[i.ID] + 1
				}
			}
		}
	}
	return l.pos[i.ID] - 1
}

// alive reports whether word x, defined before, is alive behind a place in b.
func (l *leaver) alive(x int32, b *ori.Block, at int32) bool {
	if n := l.live.NumberOf(x); n >= 0 && l.live.End(b).Has(n) {
		return true
	}
	for _, u := range l.uses[x] {
		if u.block == b.ID {
			return u.pos > at
		}
	}
	return false
}

// readByJumps reports whether the jumps before PHI i read word x, which is
// not what the PHI takes from there: its copy would stand before them.
func (l *leaver) readByJumps(x int32, i *ori.Instr) bool {
	for _, p := range i.Block().Preds {
		reads := false
		for j := range p.Leaving {
			reads = reads || l.reads(j, x)
		}
		if !reads {
			continue
		}
		for s := range flow.PhiSources(p, i.Block()) {
			if s.Args[1] != i.Args[1] || s.Args[2].Kind != ori.KReg {
				continue
			}
			for n := range int32(s.Args[2].N) {
				if l.value(l.v.Word(&s.Args[2])+n) == l.value(x) {
					reads = false
				}
			}
		}
		if reads {
			return true
		}
	}
	return false
}

// reads reports whether i reads word x.
func (l *leaver) reads(i *ori.Instr, x int32) bool {
	has := func(a *ori.Operand) bool {
		return a.HasReg() && x >= l.v.Word(a) && x < l.v.Word(a)+int32(max(1, a.N))
	}
	for k := int(i.NDst); k < len(i.Args); k++ {
		if has(&i.Args[k]) {
			return true
		}
	}
	return has(&i.Guard)
}
