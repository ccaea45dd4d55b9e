package uniform

import (
	"math/bits"
	"slices"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// UniformInvariants makes before a loop what the uniform datapath makes of the
// same words in every turn: descriptors of matrices that stay where they are, and
// the words of others that never change.
//
//	loop:                                    ULEA.HI u1[0] = u8, u9
//	  ULEA.HI u1[0] = u8, u9                 UIADD3.64 u2[0:2] = u1[0:2], 2
//	  USGXT u1[2] = u7, 14                 loop:
//	  UIADD3.64 u2[0:2] = u1[0:2], 2         USGXT u1[2] = u7, 14
//	  UIADD3.64 u2[2:4] = u1[2:4], 2         UIADD3.64 u2[2:4] = u1[2:4], 2
//	  HGMMA … gdesc[u2]                      HGMMA … gdesc[u2]
//
// Registers of the uniform file cost nobody a warp, but there are few: what is
// made before keeps its words all around the loop. room is how many may live
// anywhere in a loop; what asks for more stays where it is.
func UniformInvariants(f *ori.Func, room int) bool {
	dom := flow.DomOf(f)
	loops := flow.LoopsOf(f, dom).All
	if len(loops) == 0 {
		return false
	}
	var live *flow.Live
	var apart *flow.Divergence
	changed := false
	for _, l := range loops { // inner ones first
		x := &invariants{f: f, loop: l, room: room}
		if x.pre = x.before(); x.pre == nil || !x.some() {
			continue
		}
		if apart == nil {
			apart = flow.DivergenceOf(f, flow.UniformityOf(f))
		}
		if live == nil {
			live = flow.LiveAmong(f, func(r ori.Reg) bool { return f.Regs[r].Class == ori.UR })
		}
		if x.live = live; apart.Is(x.pre) {
			continue
		}
		x.find(dom.Order.Blocks, apart)
		if len(x.list) > 0 && x.count() && x.move() {
			changed, live = true, nil
		}
	}
	return f.Touched(changed)
}

// invariants are those of one loop.
type invariants struct {
	f    *ori.Func
	loop *flow.Loop
	room int
	pre  *ori.Block // the block before the loop
	live *flow.Live

	in     []bool           // by block ID: it is in the loop
	writes map[tupleAt]int  // how often words are written in the loop
	list   []*ori.Instr     // those that move, in an order in which they can be executed
	moves  map[tupleAt]bool // the words that they write

	number map[ori.Reg]int // of registers of the uniform file that the loop has to do with, what moves first
	regs   []ori.Reg       // by number
	places []place

	reads []wordRead // of words that what moves writes
	gone  []bool     // of list: what stays
	held  []uint64   // by number: words that are read in the loop
	inner []bool     // by number: something that moves is made of it
	was   []uint64   // by number: the words that most counted last
}

// wordRead is a read of a word in the loop.
type wordRead struct {
	from, by int  // who writes it, and who reads it, in the list; -1: who does not move
	same     bool // both are of one register
	reg      int  // its number
	word     uint64
}

// tupleAt is a word of a register.
type tupleAt struct {
	reg ori.Reg
	sub int
}

// place is one between two instructions of a loop.
type place struct {
	words int      // of the uniform file that live there, with what most counted
	alive []uint64 // those of registers that would live all around the loop, by number
}

// before returns the block that leads to the loop and nowhere else, nil if there is none.
func (x *invariants) before() (pre *ori.Block) {
	x.in = pool.Make[bool](x.f.Scratch(), x.f.NumBlocks())
	for _, b := range x.loop.Blocks {
		x.in[b.ID] = true
	}
	for _, p := range x.loop.Header.Preds {
		if x.in[p.ID] {
			continue
		}
		if pre != nil || len(p.Succs) != 1 {
			return nil
		}
		pre = p
	}
	return pre
}

// words lists the words that an operand names.
func (x *invariants) words(a *ori.Operand) (list []tupleAt) {
	first, n := int(a.Sub), int(max(1, a.N))
	if a.Kind != ori.KReg { // an index: whatever there is of it
		first, n = 0, int(x.f.Regs[a.Reg].Width)
	}
	for k := range n {
		list = append(list, tupleAt{a.Reg, first + k})
	}
	return list
}

// some reports whether anything in the loop may move, as far as that is seen at
// once, and notes what the loop writes.
func (x *invariants) some() (found bool) {
	x.writes = map[tupleAt]int{}
	for _, b := range x.loop.Blocks {
		for i := range b.Instrs {
			for k := range i.Dsts() {
				if d := &i.Dsts()[k]; d.HasReg() {
					for _, w := range x.words(d) {
						x.writes[w]++
					}
				}
			}
			found = found || moved(i) && i.Args[0].Class == ori.UR
		}
	}
	return found
}

// find lists what may move.
func (x *invariants) find(order []*ori.Block, apart *flow.Divergence) {
	x.moves = map[tupleAt]bool{}
	for _, b := range order {
		if !x.in[b.ID] || apart.Is(b) {
			continue
		}
		for i := range b.Instrs {
			if x.stays(i) || !x.f.Should("invariant", i) {
				continue
			}
			x.list = append(x.list, i)
			for _, w := range x.words(&i.Args[0]) {
				x.moves[w] = true
			}
		}
	}
}

// moved reports whether i is an operation of the uniform datapath that depends on
// nothing but what it reads.
func moved(i *ori.Instr) bool {
	switch i.Op {
	case op.UMOV, op.COPY, op.ULDC, op.UIADD3, op.UIMAD, op.ULEA, op.ULOP3, op.USHF, op.USGXT, op.UPRMT:
		return true
	}
	return false
}

// stays reports whether i makes something else in another turn, or cannot move.
func (x *invariants) stays(i *ori.Instr) bool {
	if !moved(i) || i.Guard.Kind != ori.KNone || len(i.Old) > 0 || i.NDst != 1 {
		return true
	}
	d := &i.Args[0]
	if d.Kind != ori.KReg || d.Class != ori.UR || x.f.Regs[d.Reg].Fixed || x.f.Regs[d.Reg].Var {
		return true
	}
	for _, w := range x.words(d) {
		if n := x.live.Number(d.Reg, w.sub); x.writes[w] != 1 || n >= 0 && x.live.Start(x.loop.Header).Has(n) {
			return true
		}
	}
	for k := range i.Srcs() {
		s := &i.Srcs()[k]
		if !s.HasReg() {
			continue
		}
		if s.Class == ori.R || i.Op == op.ULDC && i.Block() != x.loop.Header { // an index may be one that nobody asks for
			return true
		}
		for _, w := range x.words(s) {
			if x.writes[w] > 0 && !x.moves[w] {
				return true
			}
		}
	}
	return false
}

// mostNoted bounds what is noted of a loop: the instructions of it times the registers that
// would live all around it.
const mostNoted = 1 << 20

// count finds how many words of the uniform file live at each place of the loop, and which of
// those that would live all around it. It reports whether the loop is small enough for that.
func (x *invariants) count() bool {
	places := 0
	x.number = map[ori.Reg]int{}
	for _, i := range x.list {
		x.note(i.Args[0].Reg)
	}
	around := len(x.regs)
	for _, b := range x.loop.Blocks {
		for i := range b.Instrs {
			places++
			for k := range i.Args {
				if a := &i.Args[k]; a.HasReg() {
					x.note(a.Reg)
				}
			}
		}
		for w := range x.live.End(b).All() {
			x.note(x.live.Reg(w))
		}
	}
	if places*around > mostNoted {
		return false
	}
	for _, b := range x.loop.Blocks {
		x.walk(b, around)
	}
	return true
}

// walk goes through b from its end.
func (x *invariants) walk(b *ori.Block, around int) {
	alive, words := make([]uint64, len(x.regs)), 0
	set := func(n int, is uint64) {
		words += bits.OnesCount64(is) - bits.OnesCount64(alive[n])
		alive[n] = is
	}
	for w := range x.live.End(b).All() {
		r := x.live.Reg(w)
		n := x.number[r]
		set(n, alive[n]|1<<(int(x.live.Words[w])-x.live.First(r)))
	}
	for i := b.Last(); i != nil; i = i.Prev() {
		x.each(i.Dsts(), func(n int, w uint64) { set(n, alive[n]|w) })
		x.places = append(x.places, place{alive: slices.Clone(alive[:around]), words: words})
		if i.Guard.Kind == ori.KNone {
			x.each(i.Dsts(), func(n int, w uint64) { set(n, alive[n]&^w) })
		}
		x.each(i.Srcs(), func(n int, w uint64) { set(n, alive[n]|w) })
	}
}

// note gives a register of the uniform file a number.
func (x *invariants) note(r ori.Reg) {
	if x.f.Regs[r].Class != ori.UR {
		return
	}
	if _, known := x.number[r]; !known {
		x.number[r] = len(x.regs)
		x.regs = append(x.regs, r)
	}
}

// each calls f for the registers of operands that have a number, and the words of them.
func (x *invariants) each(list []ori.Operand, f func(n int, words uint64)) {
	for k := range list {
		a := &list[k]
		if !a.HasReg() {
			continue
		}
		if n, ok := x.number[a.Reg]; ok {
			words := uint64(0)
			for _, w := range x.words(a) {
				words |= 1 << w.sub
			}
			f(n, words)
		}
	}
}

// leave leaves in the loop what there is no room for: of the registers that nothing else that
// moves is made of, those first that spare the fewest instructions for their words.
func (x *invariants) leave() {
	around := len(x.places[0].alive)
	x.gone, x.held, x.inner, x.was = make([]bool, len(x.list)), make([]uint64, around), make([]bool, around), make([]uint64, around)
	x.readers()
	at, writes := make([]int, len(x.list)), make([]int, around)
	for k, i := range x.list {
		at[k] = x.number[i.Args[0].Reg]
		writes[at[k]]++
	}
	for left := len(x.list); left > 0; {
		x.hold()
		if x.most() <= x.room {
			break
		}
		worst := -1
		for k, n := range at {
			if !x.gone[k] && x.held[n] != 0 && !x.inner[n] && (worst < 0 || writes[n]*bits.OnesCount64(x.held[worst]) <= writes[worst]*bits.OnesCount64(x.held[n])) {
				worst = n
			}
		}
		for k, n := range at {
			if !x.gone[k] && (worst < 0 || n == worst) {
				x.gone[k] = true
				left--
			}
		}
	}
	kept := x.list[:0]
	for k, i := range x.list {
		if !x.gone[k] {
			kept = append(kept, i)
		}
	}
	x.list = kept
}

// readers lists the reads in the loop of words that what moves writes: each has one write.
func (x *invariants) readers() {
	moving, writer := make(map[*ori.Instr]int, len(x.list)), map[tupleAt]int{}
	for k, i := range x.list {
		moving[i] = k
		for _, w := range x.words(&i.Args[0]) {
			writer[w] = k
		}
	}
	for _, b := range x.loop.Blocks {
		for i := range b.Instrs {
			for k := range i.Srcs() {
				s := &i.Srcs()[k]
				if !s.HasReg() || x.f.Regs[s.Reg].Class != ori.UR {
					continue
				}
				for _, w := range x.words(s) {
					from, ok := writer[w]
					if !ok {
						continue
					}
					r := wordRead{from: from, by: -1, reg: x.number[w.reg], word: 1 << w.sub}
					if k, ok := moving[i]; ok {
						r.by, r.same = k, i.Args[0].Reg == w.reg
					}
					x.reads = append(x.reads, r)
				}
			}
		}
	}
}

// hold finds the words that something in the loop reads though they are made before
// it, by register, and the registers that another one that is made there is made of.
func (x *invariants) hold() {
	clear(x.held)
	clear(x.inner)
	for k := range x.reads {
		switch r := &x.reads[k]; {
		case x.gone[r.from]:
		case r.by < 0 || x.gone[r.by]:
			x.held[r.reg] |= r.word
		case !r.same:
			x.inner[r.reg] = true
		}
	}
}

// most is how many words of the uniform file live somewhere in the loop, with those
// held, which live all around it. What was counted before is not counted again: few
// registers stay at a time.
func (x *invariants) most() (most int) {
	for n, now := range x.held {
		was := x.was[n]
		if now == was {
			continue
		}
		for k := range x.places {
			p := &x.places[k]
			p.words += bits.OnesCount64(now&^p.alive[n]) - bits.OnesCount64(was&^p.alive[n])
		}
		x.was[n] = now
	}
	for k := range x.places {
		most = max(most, x.places[k].words)
	}
	return most
}

// move puts before the loop what there is room for.
func (x *invariants) move() bool {
	x.leave()
	at := x.pre.Tail()
	for _, i := range x.list {
		i.Remove()
		if at != nil {
			x.pre.InsertBefore(i, at)
		} else {
			x.pre.Append(i)
		}
	}
	return len(x.list) > 0
}
