package flow

import (
	"slices"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
)

// Live tells which words of registers are alive at the ends of blocks: some
// path leads from there to a read before the word is written for certain.
// Only words that are alive at the start of some block have a number, so
// sets are as small as what blocks pass to each other.
type Live struct {
	Words []int32 // word of each number, as Values counts them

	f    *ori.Func
	base []int32 // first word of each register, and the end
	regs []int32 // register of each number

	chosen []int32 // of each register, its first word, or -1 if it is not looked at
	id     []int32 // number of each word, -1 = never alive between blocks
	start  []bits.Set
	end    []bits.Set
	kill   []bits.Set // written for certain
}

// LiveOf returns the liveness of all registers of f.
func LiveOf(f *ori.Func) *Live {
	return kept(f, ori.FactLive, func() *Live { return liveIn(nil, f, func(ori.Reg) bool { return true }) })
}

// NoMore reports whether the registers that keep accepts have no more than so many words in
// all: then no more live anywhere, and nobody needs to find out where.
func NoMore(f *ori.Func, most int, keep func(ori.Reg) bool) bool {
	n := 0
	for r := range f.Regs {
		if keep(ori.Reg(r)) {
			n += int(f.Regs[r].Width)
		}
	}
	return n <= most
}

// LiveAmong analyses the registers that keep accepts. Nothing is kept: it
// ends with the phase.
func LiveAmong(f *ori.Func, keep func(ori.Reg) bool) *Live { return liveIn(f.Scratch(), f, keep) }

// liveIn makes an analysis whose result lies in some memory.
func liveIn(mem *pool.Scratch, f *ori.Func, keep func(ori.Reg) bool) *Live {
	l := &Live{f: f, base: pool.Make[int32](mem, len(f.Regs)+1)}
	l.chosen = pool.Make[int32](f.Scratch(), len(f.Regs))
	for r := range f.Regs {
		l.base[r+1] = l.base[r] + int32(f.Regs[r].Width)
		if l.chosen[r] = l.base[r]; !keep(ori.Reg(r)) {
			l.chosen[r] = -1
		}
	}
	x := l.exposures(f)
	l.number(mem)
	n := len(l.Words)
	l.start, l.end, l.kill = sets(mem, f, n), sets(mem, f, n), sets(f.Scratch(), f, n)
	if n > 0 {
		l.fill(f, x)
		l.solve(f)
	}
	l.kill, l.chosen = nil, nil
	return l
}

// Start returns the numbers of the words alive at the start of b.
func (l *Live) Start(b *ori.Block) bits.Set { return l.start[b.ID] }

// End returns the numbers of the words alive at the end of b.
func (l *Live) End(b *ori.Block) bits.Set { return l.end[b.ID] }

// Number returns the number of word n of register r, -1 if it is never
// alive between blocks.
func (l *Live) Number(r ori.Reg, n int) int { return int(l.id[l.base[r]+int32(n)]) }

// Knows reports whether register r was there when words were numbered.
func (l *Live) Knows(r ori.Reg) bool { return int(r) < len(l.base)-1 }

// NumberOf returns the number of a word, as Values counts them.
func (l *Live) NumberOf(w int32) int { return int(l.id[w]) }

// First returns the first word of register r, as Values counts them.
func (l *Live) First(r ori.Reg) int { return int(l.base[r]) }

// Reg returns the register of a numbered word.
func (l *Live) Reg(number int) ori.Reg { return ori.Reg(l.regs[number]) }

// Holds compares with the liveness of f as it is.
func (l *Live) Holds(f *ori.Func) bool {
	x := LiveAmong(f, func(ori.Reg) bool { return true })
	same := slices.Equal(l.Words, x.Words)
	for _, b := range f.Blocks {
		same = same && l.start[b.ID].Equal(x.start[b.ID]) && l.end[b.ID].Equal(x.end[b.ID])
	}
	return same
}

// sets makes one set for each block of f; the words of all stand in one
// piece of memory.
func sets(mem *pool.Scratch, f *ori.Func, n int) []bits.Set {
	list := make([]bits.Set, f.NumBlocks())
	words := bits.Words(n)
	all := bits.Set(pool.Make[uint64](mem, words*len(f.Blocks)))
	for k, b := range f.Blocks {
		list[b.ID] = all[k*words : (k+1)*words : (k+1)*words]
	}
	return list
}

// kills reports whether a result of i is written for certain. A guarded write
// kills nothing, unless it says what its results are if it does not happen.
func (l *Live) kills(i *ori.Instr, d *ori.Operand) bool {
	return i.Guard.Kind == ori.KNone || len(i.Old) > 0 && d.HasReg() && !l.f.Regs[d.Reg].Var
}

// exposed are the words that blocks read before they write them, and those that
// they write for certain, each once, one block behind the other.
type exposed struct {
	reads, writes []int32
	ends          []exposedEnd // of each block in the layout, in both
}

type exposedEnd struct{ reads, writes int32 }

// looker finds the exposed words.
type looker struct {
	*Live
	exposed
	at   int32   // twice the number of blocks looked at, this one too
	seen []int32 // of each word, at in the block that accessed it last, plus one if that wrote it
}

// usualExposed is about for how many of the instructions there is an exposed word.
const usualExposed = 2

// exposures goes over f and marks the exposed words in id.
func (l *Live) exposures(f *ori.Func) exposed {
	total, mem := int(l.base[len(f.Regs)]), f.Scratch()
	room := pool.Make[int32](mem, 2*total)
	l.id = room[:total]
	x := looker{Live: l, seen: room[total:]}
	x.reads, x.writes = pool.Room[int32](mem, f.NumInstrs()/usualExposed), pool.Room[int32](mem, f.NumInstrs())
	x.ends = pool.Room[exposedEnd](mem, len(f.Blocks))
	for _, b := range f.Blocks {
		x.at += 2
		for i := b.First(); i != nil; i = i.Next() {
			x.sources(i)
			x.results(i)
		}
		x.ends = append(x.ends, exposedEnd{int32(len(x.reads)), int32(len(x.writes))})
	}
	return x.exposed
}

// sources notes what i reads.
func (x *looker) sources(i *ori.Instr) {
	args := i.Args[i.NDst:]
	for k := range args {
		x.source(&args[k])
	}
	if i.Guard.Kind != ori.KNone {
		x.source(&i.Guard)
	}
	for k := range i.Old {
		x.source(&i.Old[k])
	}
}

// source notes what is read of an operand.
func (x *looker) source(a *ori.Operand) {
	if !a.HasReg() {
		return
	}
	w := x.chosen[a.Reg]
	if w < 0 {
		return
	}
	n := int32(max(1, a.N))
	if a.Kind == ori.KConst {
		n = x.base[a.Reg+1] - w
	} else {
		w += int32(a.Sub)
	}
	for end := w + n; w < end; w++ {
		if x.seen[w] < x.at {
			x.seen[w], x.id[w] = x.at, 1
			x.reads = append(x.reads, w)
		}
	}
}

// results notes what i writes for certain.
func (x *looker) results(i *ori.Instr) {
	for k := range i.NDst {
		a := &i.Args[k]
		if !a.HasReg() || !x.kills(i, a) {
			continue
		}
		w := x.chosen[a.Reg]
		if w < 0 {
			continue
		}
		w += int32(a.Sub)
		for end := w + int32(max(1, a.N)); w < end; w++ {
			if x.seen[w] != x.at+1 {
				x.seen[w] = x.at + 1
				x.writes = append(x.writes, w)
			}
		}
	}
}

// number gives numbers to the words that some block reads before it writes
// them.
func (l *Live) number(mem *pool.Scratch) {
	marks, n := l.id, 0
	for _, mark := range marks {
		if mark != 0 {
			n++
		}
	}
	l.id = pool.Room[int32](mem, len(marks))
	l.Words, l.regs = make([]int32, 0, n), pool.Room[int32](mem, n)
	r := int32(0)
	for w, mark := range marks {
		if mark == 0 {
			l.id = append(l.id, -1)
			continue
		}
		for l.base[r+1] <= int32(w) {
			r++
		}
		l.id = append(l.id, int32(len(l.Words)))
		l.Words, l.regs = append(l.Words, int32(w)), append(l.regs, r)
	}
}

// fill makes the sets of what blocks read before they write it, and write.
func (l *Live) fill(f *ori.Func, x exposed) {
	var from exposedEnd
	for n, b := range f.Blocks {
		start, kill := l.start[b.ID], l.kill[b.ID]
		for _, w := range x.reads[from.reads:x.ends[n].reads] {
			start.Add(int(l.id[w]))
		}
		for _, w := range x.writes[from.writes:x.ends[n].writes] {
			if g := l.id[w]; g >= 0 {
				kill.Add(int(g))
			}
		}
		from = x.ends[n]
	}
}

// solve carries liveness backwards until nothing changes.
func (l *Live) solve(f *ori.Func) {
	for again := true; again; {
		again = false
		for k := len(f.Blocks) - 1; k >= 0; k-- {
			b := f.Blocks[k]
			out := l.end[b.ID]
			grew := false
			for _, s := range b.Succs {
				if out.Or(l.start[s.ID]) {
					grew = true
				}
			}
			if grew && l.start[b.ID].OrDiff(out, l.kill[b.ID]) {
				again = true
			}
		}
	}
}
