package ssa

import (
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
)

// SplitWebs gives every web of a register a register of its own. A web is a set
// of writes and reads that must share a place: each read sees some of the
// writes, and each write may be seen by some of the reads. Producers reuse
// names (set to zero, then loaded over); after this phase such a name is two
// registers, most are written once, and the other phases can reason about
// them. Words of a wide register part only if they are neither used together
// nor written one after the other: the halves of a value stay side by side.
//
// The members of a web are found with a forest of places: one for every
// operand and one for every word that is alive at the start of a block. A
// read joins the writes that reach it, the end of a block joins the starts
// of those that follow.
func SplitWebs(f *ori.Func) bool {
	return (&webs{f: f, v: opt.ValuesOf(f)}).run()
}

// SplitWords does the same for the words of wide registers that are never used
// together, wherever they were written. It is for the time when no phase is
// left that recognises pairs.
func SplitWords(f *ori.Func) bool {
	return (&webs{f: f, v: opt.ValuesOf(f), apart: true}).run()
}

func (w *webs) run() bool {
	if !w.choose() {
		return false
	}
	w.live = flow.LiveAmong(w.f, func(r ori.Reg) bool { return w.chosen[r] })
	w.walk()
	return w.rename()
}

type webs struct {
	f     *ori.Func
	v     *opt.Values
	apart bool // words part even if they were written one after the other

	chosen []bool // by register
	live   *flow.Live

	up    []int32 // parent in the forest of places
	start []int32 // by block ID: place of its first word alive at the start
	cur   []int32 // place of each word while walking
	fresh []int32 // block that wrote each word last, plus one
	known []int32 // block in which the place of each word is known, plus one
	place []int32 // of every operand, in the order of the code
	some  []bool  // whether an instruction has any, in that order
}

// choose picks the registers that may have more than one web.
func (w *webs) choose() bool {
	w.chosen = pool.Make[bool](w.f.Scratch(), len(w.f.Regs))
	any := false
	for r := range w.f.Regs {
		info := &w.f.Regs[r]
		if info.Fixed || info.Class == ori.B {
			continue
		}
		many := w.apart && info.Width > 1
		for n := range int32(info.Width) {
			many = many || w.v.Words[w.v.Base[r]+n].Writes > 1
		}
		w.chosen[r] = many
		any = any || many
	}
	return any
}

// span returns the words of an operand of a chosen register.
func (w *webs) span(a *ori.Operand) (first, n int32, ok bool) {
	if a.Kind != ori.KReg && !a.HasReg() || !w.chosen[a.Reg] {
		return 0, 0, false
	}
	if a.Kind == ori.KConst {
		return w.v.Base[a.Reg], int32(w.f.Regs[a.Reg].Width), true
	}
	return w.v.Base[a.Reg] + int32(a.Sub), int32(max(1, a.N)), true
}

// each calls visit with every operand of i that matters, sources first.
// A guarded result keeps what was there before, and an accumulator stays
// where it is, so they are read as well.
func (w *webs) each(i *ori.Instr, visit func(a *ori.Operand, first, n int32, reads, writes bool)) {
	for k := int(i.NDst); k < len(i.Args); k++ {
		if first, n, ok := w.span(&i.Args[k]); ok {
			visit(&i.Args[k], first, n, true, false)
		}
	}
	if i.Guard.Kind != ori.KNone {
		if first, n, ok := w.span(&i.Guard); ok {
			visit(&i.Guard, first, n, true, false)
		}
	}
	for k := range i.Old {
		if first, n, ok := w.span(&i.Old[k]); ok {
			visit(&i.Old[k], first, n, true, false)
		}
	}
	for k := range i.NDst {
		if first, n, ok := w.span(&i.Args[k]); ok {
			visit(&i.Args[k], first, n, i.Guard.Kind != ori.KNone || i.Accumulates(), true)
		}
	}
}

// find returns the root of a place.
func (w *webs) find(x int32) int32 {
	for w.up[x] != x {
		w.up[x] = w.up[w.up[x]]
		x = w.up[x]
	}
	return x
}

// join makes two places one; the older number stays.
func (w *webs) join(a, b int32) {
	a, b = w.find(a), w.find(b)
	w.up[max(a, b)] = min(a, b)
}

func (w *webs) newPlace() int32 {
	n := int32(len(w.up))
	w.up = append(w.up, n)
	return n
}

// walk builds the forest.
func (w *webs) walk() {
	w.start = pool.Make[int32](w.f.Scratch(), w.f.NumBlocks())
	n := w.f.NumInstrs() // about as many places as instructions
	w.up, w.place = pool.Room[int32](w.f.Scratch(), n), pool.Room[int32](w.f.Scratch(), 2*n)
	w.some = pool.Room[bool](w.f.Scratch(), n)
	for _, b := range w.f.Blocks {
		w.start[b.ID] = int32(len(w.up))
		for range w.live.Start(b).All() {
			w.newPlace()
		}
	}
	total := w.v.Base[len(w.f.Regs)]
	w.cur, w.fresh, w.known = pool.Make[int32](w.f.Scratch(), int(total)), pool.Make[int32](w.f.Scratch(), int(total)), pool.Make[int32](w.f.Scratch(), int(total))
	for _, b := range w.f.Blocks {
		k := w.start[b.ID]
		for g := range w.live.Start(b).All() {
			w.cur[w.live.Words[g]], w.known[w.live.Words[g]] = k, b.ID+1
			k++
		}
		for i := b.First(); i != nil; i = i.Next() {
			before := len(w.place)
			w.each(i, func(a *ori.Operand, first, n int32, reads, writes bool) {
				w.operand(b, first, n, reads, writes)
				if !writes {
					return
				}
				if a.Sub > 0 && !w.apart && w.fresh[first-1] == b.ID+1 {
					w.join(w.cur[first-1], w.cur[first])
				}
				for x := first; x < first+n; x++ {
					w.fresh[x] = b.ID + 1
				}
			})
			w.some = append(w.some, len(w.place) > before)
		}
		for _, s := range b.Succs {
			k := w.start[s.ID]
			for g := range w.live.Start(s).All() {
				w.join(k, w.cur[w.live.Words[g]])
				k++
			}
		}
	}
}

// operand gives an operand its place, and joins what it reads. What a
// guarded write leaves in place may be nothing anybody wants.
func (w *webs) operand(b *ori.Block, first, n int32, reads, writes bool) {
	p := int32(-1)
	if writes {
		p = w.newPlace()
	}
	for x := first; x < first+n; x++ {
		if reads && w.known[x] == b.ID+1 {
			if p < 0 {
				p = w.cur[x]
			} else {
				w.join(p, w.cur[x])
			}
		}
		if writes {
			w.cur[x], w.known[x] = p, b.ID+1
		}
	}
	w.place = append(w.place, p)
}

// web is what a web needs of its register.
type web struct {
	reg    ori.Reg // that it has, then that it gets
	lo, hi int32   // words used
	most   uint8   // words of its widest operand
	base   int32   // words left out at the start
}

// rename gives the webs their registers and the operands their names.
func (w *webs) rename() bool {
	list, at := w.collect()
	if !w.assign(list) {
		return false
	}
	w.again(func(a *ori.Operand, _, _, place int32) {
		x := &list[at[w.find(place)]]
		a.Reg = x.reg
		if a.Kind != ori.KConst {
			a.Sub -= uint8(x.base)
		}
	})
	w.f.Touch()
	return true
}

// collect lists the webs in the order of the code; at tells the number of
// the web of a root.
func (w *webs) collect() (list []web, at []int32) {
	at = pool.Make[int32](w.f.Scratch(), len(w.up))
	for k := range at {
		at[k] = -1
	}
	w.again(func(a *ori.Operand, first, words, place int32) {
		root := w.find(place)
		lo := first - w.v.Base[a.Reg]
		if at[root] < 0 {
			at[root] = int32(len(list))
			list = append(list, web{reg: a.Reg, lo: lo, hi: lo + words})
		}
		x := &list[at[root]]
		x.lo, x.hi, x.most = min(x.lo, lo), max(x.hi, lo+words), max(x.most, uint8(words))
	})
	return list, at
}

// again visits every operand that has a place, in the order of the code.
func (w *webs) again(visit func(a *ori.Operand, first, n, place int32)) {
	at, n := 0, 0
	for _, b := range w.f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if w.some[at] {
				w.each(i, func(a *ori.Operand, first, words int32, _, _ bool) {
					visit(a, first, words, w.place[n])
					n++
				})
			}
			at++
		}
	}
}

// assign gives every web a register: the first that needs the whole of the
// old one keeps it.
func (w *webs) assign(list []web) bool {
	kept := pool.Make[bool](w.f.Scratch(), len(w.f.Regs))
	changed := false
	for k := range list {
		x := &list[k]
		info := w.f.Regs[x.reg]
		whole := x.most > 1 && (x.hi-x.lo > 2 || x.lo%2 != 0)
		if whole {
			x.lo, x.hi = 0, int32(info.Width)
		}
		full := x.hi-x.lo == int32(info.Width)
		if full && !kept[x.reg] {
			kept[x.reg] = true
			continue
		}
		changed = true
		if full {
			w.f.Regs = append(w.f.Regs, info)
			x.reg = ori.Reg(len(w.f.Regs) - 1)
			continue
		}
		x.reg, x.base = w.f.NewReg(info.Class, int(x.hi-x.lo)), x.lo
		w.f.Regs[x.reg].Lo, w.f.Regs[x.reg].Hi = info.Lo, info.Hi
	}
	return changed
}
