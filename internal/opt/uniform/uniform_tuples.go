package uniform

import (
	"slices"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// UniformTuples keeps the tuples of the uniform file: descriptors of matrices
// and what copies of tensors want side by side. Two that are made of the same
// words are one, as when a loop that goes round its buffers is written out:
//
//	COPY a[0] = x                  UMOV a[1] = 0x40000040
//	UMOV a[1] = 0x40000040         HGMMA … gdesc[a]
//	HGMMA … gdesc[a]               HGMMA … gdesc[a]
//	COPY b[0] = x
//	COPY b[1] = a[1]
//	HGMMA … gdesc[b]
//
// And a word that is copied into a tuple is computed there: both have one
// definition, so wherever the copy may be read it is the same. Copies of single
// words are not needed. Where a block reads more tuples than the file holds, what is
// the same counted once, each is made when its turn comes and nothing is kept; where the blocks of a loop
// do, words from before it stay registers of their own, since one word would keep the
// place of a tuple all around the loop. most bounds the words of tuples that are
// kept for others.
func UniformTuples(f *ori.Func, most int) bool {
	t := &tuples{f: f, most: most}
	t.undefined()
	t.find()
	if f.Touched(t.changed); len(t.list) == 0 {
		return t.changed
	}
	t.v = opt.ValuesOf(f)
	t.share()
	if t.together() > fileWords {
		return t.changed
	}
	t.crowd()
	t.rename()
	t.to = map[ori.Reg]ori.Operand{}
	t.copies()
	t.place()
	t.apply()
	if f.Touched(t.changed) {
		t.v.Keep()
	}
	return t.changed
}

// fileWords is about how many words the uniform file has.
const fileWords = 64

// together is the most words of tuples that instructions of one block read.
func (t *tuples) together() (most int) {
	t.wide = pool.Make[bool](t.f.Scratch(), len(t.f.Regs))
	for _, r := range t.list {
		t.wide[r] = true
	}
	for n := range t.f.Blocks {
		most = max(most, t.readIn(t.f.Blocks[n:n+1]))
	}
	return most
}

// readIn counts the words of tuples that instructions of some blocks read, once
// those that are the same are one.
func (t *tuples) readIn(blocks []*ori.Block) (words int) {
	read := map[ori.Reg]bool{}
	for _, b := range blocks {
		for i := range b.Instrs {
			for _, o := range i.Srcs() {
				if !o.HasReg() || !t.wide[o.Reg] {
					continue
				}
				if r := t.one(o.Reg); !read[r] {
					read[r] = true
					words += int(t.f.Regs[r].Width)
				}
			}
		}
	}
	return words
}

// crowd finds the loops that read more tuples than the file holds.
func (t *tuples) crowd() {
	words := 0
	for _, r := range t.list {
		words += int(t.f.Regs[r].Width)
	}
	if words <= fileWords {
		return
	}
	t.loops, t.crowded = flow.LoopsOf(t.f, flow.DomOf(t.f)), map[*flow.Loop]bool{}
	for _, l := range t.loops.All {
		t.crowded[l] = t.readIn(l.Blocks) > fileWords
	}
}

// one returns the tuple that a tuple becomes.
func (t *tuples) one(r ori.Reg) ori.Reg {
	if first, ok := t.now[r]; ok {
		return first
	}
	return r
}

// enters reports whether a copy brings a word into a loop that is crowded.
func (t *tuples) enters(i *ori.Instr, from ori.Operand) bool {
	if t.loops == nil {
		return false
	}
	l := t.loops.Of(i.Block())
	return t.crowded[l] && !slices.Contains(l.Blocks, t.v.Once(from).Block())
}

// maxTuple is the most words of a tuple that is compared.
const maxTuple = 8

type tuples struct {
	f       *ori.Func
	v       *opt.Values
	dom     *flow.Dom
	apart   *flow.Divergence
	loops   *flow.Loops // nil where none can be crowded
	crowded map[*flow.Loop]bool
	wide    []bool // by register: it is one of the list
	most    int
	list    []ori.Reg // wide uniform registers, in the order of their first words
	odd     []bool    // by register: who reads it cannot read a word of a tuple
	pos     []int32   // by instruction ID: place in the code
	keys    map[tupleKey]ori.Reg
	now     map[ori.Reg]ori.Reg     // tuples that become one before them
	to      map[ori.Reg]ori.Operand // registers of one word that become other words
	changed bool
}

// tupleWord is what a word of a tuple is: a word of a register, or a constant.
type tupleWord struct {
	word int32 // plus one
	imm  int64
}

type tupleKey struct {
	n     uint8
	words [maxTuple]tupleWord
}

// undefined removes what says that a register holds nothing, where all of it is
// written before it is read: guarded writes were there.
func (t *tuples) undefined() {
	for _, b := range t.f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.UNDEF && i.Args[0].Kind == ori.KReg && i.Args[0].Class == ori.UR && overwritten(i) {
				i.Remove()
				t.changed = true
			}
		}
	}
}

// overwritten reports whether the result of i is written again in its block
// before anything reads it.
func overwritten(i *ori.Instr) bool {
	d := i.Args[0]
	left := uint64(1)<<d.N - 1
	for j := i.Next(); j != nil; j = j.Next() {
		for k := len(j.Args) - 1; k >= 0; k-- { // sources first
			a := &j.Args[k]
			if !opt.Overlaps(*a, d) {
				continue
			}
			if k >= int(j.NDst) || j.Guard.Kind != ori.KNone || a.Sub < d.Sub || a.Sub+a.N > d.Sub+d.N {
				return false
			}
			if left &^= (uint64(1)<<a.N - 1) << (a.Sub - d.Sub); left == 0 {
				return true
			}
		}
	}
	return false
}

// find lists the tuples that words are copied into.
func (t *tuples) find() {
	var seen []bool
	t.odd = pool.Make[bool](t.f.Scratch(), len(t.f.Regs))
	for _, b := range t.f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			t.read(i)
			if i.Op != op.COPY && i.Op != op.UMOV || i.Args[0].Class != ori.UR || i.Args[0].Kind != ori.KReg {
				continue
			}
			r := i.Args[0].Reg
			if w := t.f.Regs[r].Width; w < 2 || w > maxTuple || t.f.Regs[r].Fixed {
				continue
			}
			if seen == nil {
				seen = pool.Make[bool](t.f.Scratch(), len(t.f.Regs))
			}
			if !seen[r] {
				seen[r] = true
				t.list = append(t.list, r)
			}
		}
	}
}

// read notes the registers that i reads in ways that name no word.
func (t *tuples) read(i *ori.Instr) {
	for k := int(i.NDst); k < len(i.Args); k++ {
		a := &i.Args[k]
		if a.Class == ori.UR && a.HasReg() && a.Kind != ori.KReg && a.Kind != ori.KAddr && a.Kind != ori.KUAddr {
			t.odd[a.Reg] = true
		}
	}
}

// share finds the tuples that are the same as one before.
func (t *tuples) share() {
	t.keys = map[tupleKey]ori.Reg{}
	t.now = map[ori.Reg]ori.Reg{}
	kept := make(map[ori.Reg]bool)
	for _, r := range t.list {
		k, ok := t.key(r)
		if !ok {
			continue
		}
		first, found := t.keys[k]
		if !found {
			t.keys[k] = r
			continue
		}
		if w := int(t.f.Regs[r].Width); !kept[first] && w > t.most || t.f.Regs[first].Align < t.f.Regs[r].Align || !t.before(first, r) || !t.f.Should("tuple", t.v.Words[t.v.Base[r]].Def) {
			continue
		} else if !kept[first] {
			kept[first] = true
			t.most -= w
		}
		t.now[r] = first
	}
}

// key says what the words of a tuple are, if each is a copy or a constant.
func (t *tuples) key(r ori.Reg) (k tupleKey, ok bool) {
	k.n = t.f.Regs[r].Width
	for n := range k.n {
		x := ori.Operand{Kind: ori.KReg, Class: ori.UR, Reg: r, Sub: n, N: 1}
		i := t.v.Once(x)
		if i == nil || i.Guard.Kind != ori.KNone {
			return k, false
		}
		switch i.Op {
		case op.UNDEF: // whatever it is, and no constant
			k.words[n].imm = -1
		case op.COPY, op.UMOV:
			if k.words[n], ok = t.origin(x); !ok {
				return k, false
			}
		default:
			return k, false
		}
	}
	return k, true
}

// origin follows copies to the word or constant they start with.
func (t *tuples) origin(x ori.Operand) (tupleWord, bool) {
	for range opt.MaxChain {
		i := t.v.Once(x)
		if i == nil || i.Op != op.COPY && i.Op != op.UMOV || i.Guard.Kind != ori.KNone || len(i.Args) != 2 || i.Args[0] != x {
			break
		}
		if c, ok := opt.ConstantOf(i.Args[1]); ok || opt.IsZero(i.Args[1]) {
			return tupleWord{imm: int64(c)}, true
		}
		if !isWordOf(i.Args[1], ori.UR) {
			break
		}
		x = i.Args[1]
	}
	return tupleWord{word: t.v.Word(&x) + 1}, t.v.Stable(x)
}

// before reports whether every word of a is written before the first of b, on
// every path to it, where the threads of the warp are together.
func (t *tuples) before(a, b ori.Reg) bool {
	if t.dom == nil {
		t.dom = flow.DomOf(t.f)
		t.apart = flow.DivergenceOf(t.f, flow.UniformityOf(t.f))
		t.pos = pool.Make[int32](t.f.Scratch(), t.f.NumInstrs())
		n := int32(0)
		for _, x := range t.f.Blocks {
			for i := x.First(); i != nil; i = i.Next() {
				n++
				t.pos[i.ID] = n
			}
		}
	}
	for m := range int32(t.f.Regs[a].Width) {
		i := t.v.Words[t.v.Base[a]+m].Def
		for n := range int32(t.f.Regs[b].Width) {
			j := t.v.Words[t.v.Base[b]+n].Def
			if t.apart.Is(i.Block()) || t.apart.Is(j.Block()) || !t.dom.Dominates(i.Block(), j.Block()) || i.Block() == j.Block() && t.pos[i.ID] > t.pos[j.ID] {
				return false
			}
		}
	}
	return true
}

// rename puts the tuples that stay where the others were, which nothing writes
// any more.
func (t *tuples) rename() {
	if len(t.now) == 0 {
		return
	}
	for _, b := range t.f.Blocks {
		for i := range b.Instrs {
			if i.NDst > 0 && i.Args[0].HasReg() {
				if _, gone := t.now[i.Args[0].Reg]; gone {
					t.v.Remove(i)
					t.changed = true
					continue
				}
			}
			for k := int(i.NDst); k < len(i.Args); k++ {
				a := &i.Args[k]
				if !a.HasReg() || a.Class != ori.UR {
					continue
				}
				if r, ok := t.now[a.Reg]; ok {
					t.v.CountRead(a, -1)
					a.Reg = r
					t.v.CountRead(a, 1)
				}
			}
		}
	}
}

// copies lets who reads a copy of a word read the word.
func (t *tuples) copies() {
	for _, b := range t.f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.COPY && isWordOf(i.Args[0], ori.UR) && isWordOf(i.Args[1], ori.UR) && t.movable(i.Args[0]) && t.v.Once(i.Args[0]) == i && t.v.Stable(i.Args[1]) && t.f.Should("copy", i) {
				t.to[i.Args[0].Reg] = i.Args[1]
				t.v.Remove(i)
			}
		}
	}
}

// place computes words that are copied into tuples there.
func (t *tuples) place() {
	for _, r := range t.list {
		for n := range t.f.Regs[r].Width {
			x := ori.Operand{Kind: ori.KReg, Class: ori.UR, Reg: r, Sub: n, N: 1}
			i := t.v.Once(x)
			if i == nil || i.Op != op.COPY || i.Args[0] != x || !isWordOf(i.Args[1], ori.UR) {
				continue
			}
			from := t.resolve(i.Args[1])
			if !t.movable(from) || t.enters(i, from) || !t.f.Should("place", i) {
				continue
			}
			t.to[from.Reg] = x
			t.v.Remove(i)
		}
	}
}

// resolve follows what a word becomes.
func (t *tuples) resolve(a ori.Operand) ori.Operand {
	for {
		x, ok := t.to[a.Reg]
		if !ok {
			return a
		}
		a.Reg, a.Sub = x.Reg, x.Sub
	}
}

// apply gives all who name words that became others those.
func (t *tuples) apply() {
	if len(t.to) == 0 {
		return
	}
	t.changed = true
	for _, b := range t.f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if slices.ContainsFunc(i.Args, t.becomes) {
				t.v.Count(i, -1)
				for k := range i.Args {
					if a := &i.Args[k]; t.becomes(*a) {
						*a = t.resolve(*a)
					}
				}
				t.v.Count(i, 1)
			}
		}
	}
}

// becomes reports whether what an operand names becomes another word.
func (t *tuples) becomes(a ori.Operand) bool {
	if !a.HasReg() || a.Class != ori.UR {
		return false
	}
	_, ok := t.to[a.Reg]
	return ok
}

// movable reports whether a word may be a part of a tuple: it is a register of
// its own with one definition, which all who read it can name in another.
func (t *tuples) movable(a ori.Operand) bool {
	info := &t.f.Regs[a.Reg]
	return info.Width == 1 && !info.Fixed && info.Lo == 0 && info.Hi == 0 && !t.odd[a.Reg] && t.v.Once(a) != nil
}
