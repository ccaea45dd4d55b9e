package regalloc

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/keyed"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/sunk"
)

// home is where a spilled virtual register lives between its uses.
type home struct {
	spilled bool
	slot    int32       // memory word, -1 if it has none
	reg     int32       // virtual register of the next file, -1 if it has none
	base    uint8       // first word of reg that is its own
	temps   []tempWords // temporaries that hold some of its words right now
	keep    []int32     // see split
	again   bool        // a piece: its home holds its words wherever it was loaded or stored
	piece   int32       // virtual register that holds it in this block, -1 if none
	through bool        // writes of the piece are stored at once
	unmade  []pending
}

// tempWords says that a temporary holds n words from word sub on.
type tempWords struct {
	temp   int32
	sub, n uint8
	last   int32 // instruction that used it last
}

// stay says that a virtual register is in a piece in some block.
type stay struct {
	v, piece int32
	through  bool
}

// border is a load or a store of a piece at the top or end of a block.
type border struct {
	v, piece int32
	store    bool
}

// rewriter builds the problem with spill code.
type rewriter struct {
	s      *solver
	old    *Problem
	vregs  []VReg
	insts  []Inst
	ops    []Operand
	homes  []home
	dirty  []int32 // virtual registers with a temporary in this block
	window int32   // a temporary is used again this many instructions later
	sunk   *sunk.Constants
	excl   []Exclude
	stays  []stay    // by block in stayIn
	at     []border  // by block in tops and ends
	own    []Operand // of the instruction at hand
	homing []store   // its results that go home

	stayIn, tops, ends keyed.Lists
}

// rewrite replaces the problem by one in which the given virtual registers
// live in memory, in another file, or nowhere (those that can be made
// again), and only short temporaries stand at their uses.
func (s *solver) rewrite(class uint8, spill []*split, window int32) {
	p := s.sol.Problem
	w := &rewriter{s: s, old: p, vregs: p.VRegs, excl: p.Excludes, homes: make([]home, len(p.VRegs)), window: window, sunk: sunk.Find(p, s.live.base, class)}
	w.place(spill)
	w.insts = make([]Inst, 0, len(p.Insts)+len(p.Insts)/8)
	w.ops = make([]Operand, 0, len(p.Ops)+len(p.Ops)/8)
	q := *p
	q.Blocks = append([]Block(nil), p.Blocks...)
	for b := range p.Blocks {
		blk := &p.Blocks[b]
		first := int32(len(w.insts))
		w.enter(b)
		last := blk.First + blk.N
		for last > blk.First && p.Insts[last-1].Last {
			last--
		}
		for n := blk.First; n < last; n++ {
			w.inst(n)
		}
		w.borders(w.ends.Of(b))
		for n := last; n < blk.First+blk.N; n++ {
			w.inst(n)
		}
		w.forget(b)
		q.Blocks[b].First, q.Blocks[b].N = first, int32(len(w.insts))-first
	}
	q.VRegs, q.Insts, q.Ops, q.Excludes = w.vregs, w.insts, w.ops, w.excl
	s.sol.Problem = &q
}

// place decides where each spilled virtual register lives, and makes the
// pieces. Memory words are shared between those that are never live at the
// same time; a piece has the home of what it is a piece of.
func (w *rewriter) place(spill []*split) {
	slots := w.slotter(len(spill) > manySpills || w.s.opts.quickSlots)
	if slots.Many {
		spill = slots.byStart(spill)
	}
	var stays, tops, ends []keyed.Pair
	for _, x := range spill {
		h := w.home(x.v, slots)
		h.keep = x.keep
		w.homes[x.v] = h
		first := int32(len(w.vregs))
		for k := range x.pieces {
			y := &x.pieces[k]
			q := w.newPiece(x.v, h)
			note := func(list []keyed.Pair, blocks []int32, store bool) []keyed.Pair {
				for _, b := range blocks {
					list = append(list, keyed.Pair{Key: b, Item: int32(len(w.at))})
					w.at = append(w.at, border{x.v, q, store})
				}
				return list
			}
			tops = note(note(tops, y.loadTop, false), y.storeTop, true)
			ends = note(note(ends, y.loadEnd, false), y.storeEnd, true)
		}
		for n, b := range x.blocks {
			stays = append(stays, keyed.Pair{Key: b, Item: int32(len(w.stays))})
			w.stays = append(w.stays, stay{x.v, first + x.piece[n], x.pieces[x.piece[n]].through})
		}
	}
	blocks := len(w.old.Blocks)
	w.stayIn, w.tops, w.ends = keyed.Collect(stays, blocks), keyed.Collect(tops, blocks), keyed.Collect(ends, blocks)
}

// home finds where v lives.
func (w *rewriter) home(v int32, slots *slotter) home {
	if h, ok := w.s.kin[v]; ok {
		return h
	}
	x := w.old.VRegs[v]
	h := home{spilled: true, slot: -1, reg: -1, piece: -1}
	to := w.old.Files[x.Class].SpillTo
	switch {
	case x.Remat >= 0:
	case to != Memory:
		h.reg = int32(len(w.vregs))
		w.vregs = append(w.vregs, VReg{Class: uint8(to), Width: x.Width, Align: 1, Fixed: -1, Remat: -1, Of: v})
	default:
		h.slot = slots.find(v)
		w.s.sol.Slots = max(w.s.sol.Slots, int(h.slot)+int(x.Width))
	}
	return h
}

// newPiece makes a piece of v, whose home is h.
func (w *rewriter) newPiece(v int32, h home) int32 {
	x := w.old.VRegs[v]
	x.Of = v
	q := int32(len(w.vregs))
	w.vregs = append(w.vregs, x)
	w.exclude(v, q)
	h.again = true
	w.s.kin[q] = h
	return q
}

// exclude forbids q what v is forbidden.
func (w *rewriter) exclude(v, q int32) {
	for _, e := range w.old.Excludes {
		if e.V == v {
			w.excl = append(w.excl, Exclude{V: q, Lo: e.Lo, Hi: e.Hi})
		}
	}
}

// enter starts block b: what stays in pieces, loads and stores at its top.
func (w *rewriter) enter(b int) {
	for _, k := range w.stayIn.Of(b) {
		x := &w.stays[k]
		w.homes[x.v].piece, w.homes[x.v].through = x.piece, x.through
	}
	w.borders(w.tops.Of(b))
}

// borders emits loads and stores of pieces, loads first: what is stored at
// the top of a block is there on all paths, what is loaded at its end is
// another piece.
func (w *rewriter) borders(list []int32) {
	for _, k := range list {
		x := &w.at[k]
		h, n := &w.homes[x.v], w.old.VRegs[x.v].Width
		if x.store {
			w.write(x.v, Operand{V: x.v, Sub: 0, N: n, Role: Use}, Operand{V: x.piece, Sub: 0, N: n, Role: Use})
		} else {
			w.load(h, w.old.VRegs[x.v].Remat, Operand{V: x.piece, Sub: 0, N: n, Role: Def}, 0, -1)
		}
	}
}

// load emits what fills d with the words of a home from word sub on, before
// instruction n.
func (w *rewriter) load(h *home, remat int32, d Operand, sub uint8, n int32) {
	w.s.sol.Reloads++
	switch {
	case remat >= 0:
		w.emit(Inst{Kind: Remat, Orig: remat, Slot: -1}, w.sources(remat, d, n)...)
	case h.slot >= 0:
		w.emit(Inst{Kind: Reload, Orig: -1, Slot: h.slot + int32(sub)}, d)
	default:
		w.emit(Inst{Kind: Reload, Orig: -1, Slot: -1}, d, Operand{V: h.reg, Sub: h.base + sub, N: d.N, Role: Use})
	}
}

// forget drops all temporaries and pieces: the next block starts from the
// homes.
func (w *rewriter) forget(b int) {
	for _, k := range w.stayIn.Of(b) {
		w.homes[w.stays[k].v].piece = -1
	}
	for _, v := range w.dirty {
		w.homes[v].temps = w.homes[v].temps[:0]
	}
	w.dirty = w.dirty[:0]
}

// store is a write of spilled words that has to go home.
type store struct {
	v        int32
	old, now Operand
}

// inst copies one instruction with reloads before it and spills after it.
func (w *rewriter) inst(n int32) {
	i := w.old.Insts[n]
	if w.needless(&i) {
		return
	}
	w.own = append(w.own[:0], w.old.Operands(int(n))...)
	ops := w.own
	for k := range ops {
		if o := &ops[k]; o.Role.Reads() && w.homes[o.V].spilled {
			switch h := &w.homes[o.V]; {
			case h.piece >= 0:
				o.V = h.piece
			case o.Role == Hold:
				o.N = 0 // its home survives
			default:
				w.read(o, n, i.First+int32(k))
			}
		}
	}
	stores := w.homing[:0]
	for k := range ops {
		o := &ops[k]
		orig := w.old.Ops[i.First+int32(k)]
		h := &w.homes[orig.V]
		if !o.Role.Writes() || !h.spilled {
			continue
		}
		switch {
		case h.piece >= 0:
			o.V = h.piece
			if !h.through {
				continue
			}
		case w.sunk.Write[i.First+int32(k)] && w.old.VRegs[orig.V].Remat < 0:
			h.drop(orig, -1)
			o.V, o.Sub = w.temp(orig.V, orig.Sub, orig.N), 0
			h.unmade = append(h.unmade, pending{orig.Sub, orig.N, i.Orig})
			continue
		case !o.Role.Reads():
			h.drop(orig, -1)
			o.V, o.Sub = w.temp(orig.V, orig.Sub, orig.N), 0
			h.temps = append(h.temps, tempWords{o.V, orig.Sub, orig.N, n})
			w.dirty = append(w.dirty, orig.V)
		default:
			h.drop(orig, o.V)
		}
		stores = append(stores, store{orig.V, orig, *o})
	}
	i.First = int32(len(w.ops))
	w.ops = append(w.ops, ops...)
	w.insts = append(w.insts, i)
	w.homing = stores
	for _, st := range stores {
		w.write(st.v, st.old, st.now)
	}
}

// needless reports whether i only moves a piece from or to its home, and the
// piece goes home for good.
func (w *rewriter) needless(i *Inst) bool {
	if i.Kind <= Move {
		return false
	}
	ops := w.old.Ops[i.First : i.First+i.N]
	piece := ops[0].V
	if i.Kind == Spill && i.Slot < 0 {
		piece = ops[1].V
	}
	if h := &w.homes[piece]; !h.spilled || !h.again || i.Kind == Remat && (h.slot >= 0 || h.reg >= 0) {
		return false // what makes a constant late does not bring it from its home
	}
	if i.Kind == Spill {
		w.s.sol.Spills--
	} else {
		w.s.sol.Reloads--
	}
	return true
}

// read makes operand o, with number at, of instruction n stand for a
// temporary that holds its words.
func (w *rewriter) read(o *Operand, n, at int32) {
	v := o.V
	h := &w.homes[v]
	for k := len(h.temps) - 1; k >= 0; k-- {
		if t := &h.temps[k]; t.sub <= o.Sub && o.Sub+o.N <= t.sub+t.n && w.lasts(v, t, n, at) {
			t.last = n
			o.V, o.Sub = t.temp, o.Sub-t.sub
			return
		}
	}
	x := &w.old.VRegs[v]
	sub, count := o.Sub, o.N
	if x.Remat >= 0 {
		sub, count = 0, x.Width
	}
	t := w.temp(v, sub, count)
	if len(h.unmade) > 0 && at >= 0 && w.sunk.Read[at] > 0 {
		w.fill(h, t, sub, count)
	} else {
		w.load(h, x.Remat, Operand{V: t, Sub: 0, N: count, Role: Def}, sub, n)
	}
	h.drop(Operand{V: v, Sub: sub, N: count, Role: Use}, -1)
	h.temps = append(h.temps, tempWords{t, sub, count, n})
	w.dirty = append(w.dirty, v)
	o.V, o.Sub = t, o.Sub-sub
}

// drop forgets the temporaries that hold some of the words of o, except one.
func (h *home) drop(o Operand, except int32) {
	h.temps = slices.DeleteFunc(h.temps, func(t tempWords) bool {
		return t.temp != except && t.sub < o.Sub+o.N && o.Sub < t.sub+t.n
	})
}

// mostWords is the widest temporary that lives on where registers are short.
const mostWords = 4

// lasts reports whether a temporary of v lives on up to operand at of
// instruction n: over a few instructions always, from one operand to another
// too, over more if registers are not short. It is a piece then, which may be
// spilled in its turn.
func (w *rewriter) lasts(v int32, t *tempWords, n, at int32) bool {
	if n == t.last || n-t.last <= w.window && t.n <= mostWords {
		return true
	}
	h := &w.homes[v]
	if _, ok := slices.BinarySearch(h.keep, at); !ok {
		return false
	}
	if x := &w.vregs[t.temp]; x.Keep {
		x.Keep = false
		k := home{spilled: true, slot: h.slot, reg: h.reg, base: h.base + t.sub, piece: -1, again: true}
		if h.slot >= 0 {
			k.slot += int32(t.sub)
		}
		x.Remat = w.old.VRegs[v].Remat
		w.s.kin[t.temp] = k
	}
	return true
}

// write sends the words an instruction has put into a temporary home.
func (w *rewriter) write(v int32, old, now Operand) {
	h := &w.homes[v]
	src := Operand{V: now.V, Sub: now.Sub, N: now.N, Role: Use}
	switch {
	case h.slot >= 0:
		w.emit(Inst{Kind: Spill, Orig: -1, Slot: h.slot + int32(old.Sub)}, src)
	case h.reg >= 0:
		w.emit(Inst{Kind: Spill, Orig: -1, Slot: -1}, Operand{V: h.reg, Sub: h.base + old.Sub, N: old.N, Role: Def}, src)
	default:
		return // made again where it is wanted
	}
	w.s.sol.Spills++
}

// temp makes a temporary for n words of v from word sub on. It has the
// alignment those words have inside v.
func (w *rewriter) temp(v int32, sub, n uint8) int32 {
	x := w.old.VRegs[v]
	align := max(1, x.Align)
	for sub%align != 0 || align > 1 && align/2 >= n {
		align /= 2
	}
	w.vregs = append(w.vregs, VReg{
		Class: x.Class, Width: n, Align: align, Fixed: -1, Lo: x.Lo, Hi: x.Hi, Remat: -1, Keep: true, Of: v,
	})
	w.exclude(v, int32(len(w.vregs)-1))
	return int32(len(w.vregs) - 1)
}

func (w *rewriter) emit(i Inst, ops ...Operand) {
	i.First, i.N = int32(len(w.ops)), int32(len(ops))
	w.ops = append(w.ops, ops...)
	w.insts = append(w.insts, i)
}
