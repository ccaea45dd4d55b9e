package ra

import (
	"math/bits"

	sets "github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Loops may add to more accumulators of warp-group products than there are
// registers for. Each of them is touched at a few places that lie close
// together, so some are parked in local memory between these. The allocator
// could do so by itself, but then the order of the loop would have been made
// for registers that hold all of them; and which of them is away decides how
// many registers the rest of the loop has.
//
// A parked accumulator lies in memory wherever a block begins or ends. The
// words that a block touches are loaded before the first access and, if they
// are written, stored behind the last write, four at a time.
//
// Those that a loop touches one after the other have one register in it, or as
// many as there is room for: the words of the next are loaded when the same
// words of the one before are stored, and not before, when there would be no
// place for all of it.

// Park parks accumulators of f and returns how many bytes of local memory
// from o.FrameBytes on they take.
func Park(f *ori.Func, o *Options) (size int32) {
	if !f.Kernel || f.Props.HasCalls || f.Props.MovesStack || !flow.HasGroups(f) {
		return 0
	}
	p := &parking{f: f, o: o, wide: make([]bool, len(f.Regs)), parked: make([]bool, len(f.Regs))}
	if !p.accumulators() {
		return 0
	}
	p.live = flow.LiveAmong(f, func(r ori.Reg) bool { return p.wide[r] })
	loops := flow.LoopsOf(f, flow.DomOf(f))
	for _, b := range f.Blocks {
		if loops.Depth(b) > 0 && isLoose(b) {
			p.choose(b)
		}
	}
	sp := ori.NoReg
	for r, parked := range p.parked {
		if !parked {
			continue
		}
		if sp == ori.NoReg {
			sp = f.NewReg(ori.R, 1)
			f.Regs[sp].Phys, f.Regs[sp].Fixed = int16(o.StackReg), true
		}
		for _, b := range f.Blocks {
			p.block(b, ori.Reg(r), sp, int64(o.FrameBytes+size))
		}
		size += 4 * int32(f.Regs[r].Width)
	}
	for _, x := range p.turns {
		p.share(x)
	}
	f.Touched(size > 0)
	return size
}

const (
	// parkedWords is the least width of what is parked.
	parkedWords = 32
	// spareWords is how many registers a loop needs beside accumulators.
	spareWords = 32
	// mostParked bounds the accumulators of a loop that are looked at.
	mostParked = 10
	// quad is how many words an access to memory moves.
	quad = 4
)

// parking decides about accumulators.
type parking struct {
	f      *ori.Func
	o      *Options
	wide   []bool // by register: an accumulator that can be parked
	parked []bool
	live   *flow.Live
	turns  []turns
}

// turns are parked accumulators that a block touches, in this order, and how
// many words of them may be in registers.
type turns struct {
	b    *ori.Block
	list []stretch
	room int
}

// isLoose reports whether the products of b are waited for only where
// something needs their registers: an access to memory that stands where the
// source keeps a product running would end that.
func isLoose(b *ori.Block) bool {
	for i := range b.Instrs {
		if i.IsGroupMMA() && !i.Mods.Has(op.MLOOSE) {
			return false
		}
	}
	return true
}

// accumulators finds those that are wide enough.
func (p *parking) accumulators() (any bool) {
	for _, b := range p.f.Blocks {
		for i := range b.Instrs {
			if !i.IsGroupMMA() || i.Args[0].Kind != ori.KReg {
				continue
			}
			r := i.Args[0].Reg
			if x := &p.f.Regs[r]; x.Width >= parkedWords && !x.Fixed {
				p.wide[r], any = true, true
			}
		}
	}
	return any
}

// stretch is where a block touches an accumulator.
type stretch struct {
	reg         ori.Reg
	width       int
	first, last int // instructions
	beside      int // the most words of other registers that live meanwhile
}

// others counts what lives beside the accumulators where b touches them.
func (p *parking) others(b *ori.Block, list []stretch) {
	f := p.f
	counts := func(r ori.Reg) bool { return f.Regs[r].Class == ori.R && !f.Regs[r].Fixed && !p.wide[r] }
	live := flow.LiveAmong(f, counts)
	type word struct {
		r ori.Reg
		n int
	}
	alive := map[word]bool{}
	for r := range f.Regs {
		for n := 0; counts(ori.Reg(r)) && n < int(f.Regs[r].Width); n++ {
			if k := live.Number(ori.Reg(r), n); k >= 0 && live.End(b).Has(k) {
				alive[word{ori.Reg(r), n}] = true
			}
		}
	}
	each := func(a ori.Operand, do func(word)) {
		if !a.HasReg() || !counts(a.Reg) {
			return
		}
		for n := range max(1, int(a.N)) {
			do(word{a.Reg, int(sub(a)) + n})
		}
	}
	at := b.Len()
	for i := b.Last(); i != nil; i = i.Prev() {
		at--
		for _, d := range i.Dsts() {
			if i.Guard.Kind == ori.KNone {
				each(d, func(w word) { delete(alive, w) })
			}
		}
		read := func(w word) { alive[w] = true }
		each(i.Guard, read)
		for _, s := range i.Srcs() {
			each(s, read)
		}
		for k := range list {
			if x := &list[k]; x.first <= at && at <= x.last {
				x.beside = max(x.beside, len(alive))
			}
		}
	}
}

// choose parks accumulators that live around b, if there is not room for all.
func (p *parking) choose(b *ori.Block) {
	list, all := p.stretches(b)
	room := p.o.Registers
	if p.o.Limits != nil {
		room = min(room, p.o.Limits(b))
	}
	room -= spareWords
	if all <= room || len(list) > mostParked {
		return
	}
	best, words := p.fewest(b, list, all, room)
	if best == 0 && p.gather(b, list) {
		list, all = p.stretches(b)
		best, words = p.fewest(b, list, all, room)
	}
	if best == 0 {
		return
	}
	x := turns{b: b, room: room - (all - words)}
	for ; best != 0; best &= best - 1 {
		at := list[bits.TrailingZeros(best)]
		p.parked[at.reg] = true
		x.list = append(x.list, at)
	}
	p.turns = append(p.turns, x)
}

// fewest finds the set of accumulators with the fewest words that leaves enough
// registers, if it is parked, wherever b touches some; of equal ones that which is
// touched where the fewest other words live.
func (p *parking) fewest(b *ori.Block, list []stretch, all, room int) (best uint, words int) {
	p.others(b, list)
	full := 0
	for set := uint(1); set < 1<<len(list); set++ {
		w, beside := 0, 0
		for k, x := range list {
			if set>>k&1 != 0 {
				w += x.width
				beside = max(beside, x.beside)
			}
		}
		if (best == 0 || w < words || w == words && beside < full) && most(list, all-w, set) <= room {
			best, words, full = set, w, beside
		}
	}
	return best, words
}

// share gives accumulators of one width that a block touches one after the
// other registers in turn.
func (p *parking) share(x turns) {
	type place struct {
		reg  ori.Reg
		last int
	}
	places, next := map[int][]place{}, map[int]int{} // by width
	for _, s := range x.list {
		w := s.width
		if len(places[w]) < x.room/w {
			r := p.f.NewReg(ori.R, w)
			p.f.Regs[r] = p.f.Regs[s.reg]
			places[w] = append(places[w], place{r, -1})
		}
		if len(places[w]) == 0 {
			continue
		}
		at := &places[w][next[w]%len(places[w])]
		if at.last >= s.first {
			continue
		}
		next[w]++
		at.last = s.last
		for i := range x.b.Instrs {
			for k := range i.Args {
				if a := &i.Args[k]; a.HasReg() && a.Reg == s.reg {
					a.Reg = at.reg
				}
			}
		}
	}
}

// most is how many words of accumulators are in registers at once: those that
// always are, and of the set those that are touched.
func most(list []stretch, always int, set uint) (n int) {
	for _, at := range list {
		here := always
		for k, x := range list {
			if set>>k&1 != 0 && x.first <= at.first && at.first <= x.last {
				here += x.width
			}
		}
		n = max(n, here)
	}
	return n
}

// stretches lists the accumulators that live around block b and those it
// touches among them, with the words of all.
func (p *parking) stretches(b *ori.Block) (list []stretch, all int) {
	const untouched = -1
	at := map[ori.Reg]int{} // place in list
	for r, wide := range p.wide {
		if wide && p.around(b, ori.Reg(r)) {
			at[ori.Reg(r)] = untouched
			all += int(p.f.Regs[r].Width)
		}
	}
	if all == 0 {
		return nil, 0
	}
	n := 0
	for i := range b.Instrs {
		for k := range i.Args {
			a := &i.Args[k]
			if !a.HasReg() || !p.wide[a.Reg] {
				continue
			}
			x, lives := at[a.Reg]
			if !lives {
				continue
			}
			if x == untouched {
				x, at[a.Reg] = len(list), len(list)
				list = append(list, stretch{reg: a.Reg, width: int(p.f.Regs[a.Reg].Width), first: n})
			}
			list[x].last = n
		}
		n++
	}
	return list, all
}

// around reports whether all words of r live where b begins and where it ends.
func (p *parking) around(b *ori.Block, r ori.Reg) bool {
	for w := range int(p.f.Regs[r].Width) {
		if !p.at(p.live.Start(b), r, w) || !p.at(p.live.End(b), r, w) {
			return false
		}
	}
	return true
}

// at reports whether word w of r is in a set.
func (p *parking) at(set sets.Set, r ori.Reg, w int) bool {
	n := p.live.Number(r, w)
	return n >= 0 && set.Has(n)
}

// move is what goes to or from memory of four words: those of a mask, before
// or behind an instruction.
type move struct {
	words uint
	at    *ori.Instr
}

// block loads the words of r that b touches and that live where it begins,
// and stores those it writes and that live where it ends. All of r lies at an
// offset from sp.
func (p *parking) block(b *ori.Block, r, sp ori.Reg, offset int64) {
	quads := (int(p.f.Regs[r].Width) + quad - 1) / quad
	load, store := make([]move, quads), make([]move, quads)
	for i := range b.Instrs {
		for k, a := range i.Args {
			if !a.HasReg() || a.Reg != r {
				continue
			}
			for w := int(sub(a)); w < int(sub(a))+max(1, int(a.N)); w++ {
				q, bit := w/quad, uint(1)<<(w%quad)
				if p.at(p.live.Start(b), r, w) {
					load[q].words |= bit
					if load[q].at == nil {
						load[q].at = i
					}
				}
				if k < int(i.NDst) && p.at(p.live.End(b), r, w) {
					store[q].words, store[q].at = store[q].words|bit, i
				}
			}
		}
	}
	for q := range quads {
		p.access(op.LDL, load[q], r, sp, quad*q, offset)
		p.access(op.STL, store[q], r, sp, quad*q, offset)
	}
}

// access places the loads or stores of some of four words of r from a word on.
func (p *parking) access(o op.Op, m move, r, sp ori.Reg, first int, offset int64) {
	for w := 0; w < quad; {
		n := quad
		for mask := uint(1)<<n - 1; n > 0 && (w%n != 0 || m.words>>w&mask != mask); mask = uint(1)<<n - 1 {
			n /= 2
		}
		if n == 0 {
			w++
			continue
		}
		words := p.f.Words(r)
		words.Sub, words.N = uint8(first+w), uint8(n)
		place := ori.Addr(p.f.Words(sp), offset+4*int64(first+w))
		if o == op.LDL {
			i := p.f.NewInstr(o, widths[n], []ori.Operand{words}, []ori.Operand{place})
			i.Line, i.Loc = m.at.Line, m.at.Loc
			m.at.Block().InsertBefore(i, m.at)
			p.f.Props.SpillLoads += int32(n)
		} else {
			i := p.f.NewInstr(o, widths[n], nil, []ori.Operand{place, words})
			i.Line, i.Loc = m.at.Line, m.at.Loc
			m.at.Block().InsertAfter(i, m.at)
			p.f.Props.SpillStores += int32(n)
		}
		w += n
	}
}
