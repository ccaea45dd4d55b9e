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

	chosen []bool  // of each register: it is looked at
	id     []int32 // number of each word, -1 = never alive between blocks
	start  []bits.Set
	end    []bits.Set
	gen    []bits.Set // read before they are written
	kill   []bits.Set // written for certain
}

// LiveOf returns the liveness of all registers of f.
func LiveOf(f *ori.Func) *Live {
	return kept(f, ori.FactLive, func() *Live { return liveIn(nil, f, func(ori.Reg) bool { return true }) })
}

// LiveAmong analyses the registers that keep accepts. Nothing is kept: it
// ends with the phase.
func LiveAmong(f *ori.Func, keep func(ori.Reg) bool) *Live { return liveIn(f.Scratch(), f, keep) }

// liveIn makes an analysis whose result lies in some memory.
func liveIn(mem *pool.Scratch, f *ori.Func, keep func(ori.Reg) bool) *Live {
	l := &Live{f: f, base: pool.Make[int32](mem, len(f.Regs)+1)}
	l.chosen = pool.Make[bool](f.Scratch(), len(f.Regs))
	for r := range f.Regs {
		l.base[r+1] = l.base[r] + int32(f.Regs[r].Width)
		l.chosen[r] = keep(ori.Reg(r))
	}
	l.number(mem, f)
	n := len(l.Words)
	l.start, l.end, l.gen, l.kill = sets(mem, f, n), sets(mem, f, n), sets(f.Scratch(), f, n), sets(f.Scratch(), f, n)
	if n > 0 {
		for _, b := range f.Blocks {
			l.block(b)
		}
		l.solve(f)
	}
	l.gen, l.kill, l.chosen = nil, nil, nil
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

// Reg returns the register of a numbered word.
func (l *Live) Reg(number int) ori.Reg {
	n, _ := slices.BinarySearch(l.base, l.Words[number]+1)
	return ori.Reg(n - 1)
}

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

// span returns the words that an operand touches of the chosen registers; n
// is 0 if there are none.
func (l *Live) span(a *ori.Operand) (first, n int32) {
	if a.Kind != ori.KReg && !a.HasReg() || !l.chosen[a.Reg] {
		return 0, 0
	}
	if a.Kind == ori.KConst {
		return l.base[a.Reg], l.base[a.Reg+1] - l.base[a.Reg]
	}
	return l.base[a.Reg] + int32(a.Sub), int32(max(1, a.N))
}

// kills reports whether a result of i is written for certain. A guarded write
// kills nothing, unless it says what its results are if it does not happen.
func (l *Live) kills(i *ori.Instr, d *ori.Operand) bool {
	return i.Guard.Kind == ori.KNone || len(i.Old) > 0 && d.HasReg() && !l.f.Regs[d.Reg].Var
}

// sources calls read with the words that i reads.
func (l *Live) sources(i *ori.Instr, read func(first, n int32)) {
	for k := int(i.NDst); k < len(i.Args); k++ {
		if first, n := l.span(&i.Args[k]); n > 0 {
			read(first, n)
		}
	}
	if i.Guard.Kind != ori.KNone {
		if first, n := l.span(&i.Guard); n > 0 {
			read(first, n)
		}
	}
	for k := range i.Old {
		if first, n := l.span(&i.Old[k]); n > 0 {
			read(first, n)
		}
	}
}

// number gives numbers to the words that some block reads before it writes
// them.
func (l *Live) number(mem *pool.Scratch, f *ori.Func) {
	total := int(l.base[len(f.Regs)])
	l.id = pool.Make[int32](mem, total)
	written := pool.Make[int32](f.Scratch(), total) // block that wrote last, plus one
	at := int32(0)                                  // the block, plus one
	read := func(first, n int32) {
		for w := first; w < first+n; w++ {
			if written[w] != at {
				l.id[w] = 1
			}
		}
	}
	for _, b := range f.Blocks {
		at = b.ID + 1
		for i := b.First(); i != nil; i = i.Next() {
			l.sources(i, read)
			for k := range i.NDst {
				if first, n := l.span(&i.Args[k]); n > 0 && l.kills(i, &i.Args[k]) {
					for w := first; w < first+n; w++ {
						written[w] = at
					}
				}
			}
		}
	}
	for w := range l.id {
		if l.id[w] == 0 {
			l.id[w] = -1
			continue
		}
		l.id[w] = int32(len(l.Words))
		l.Words = append(l.Words, int32(w))
	}
}

// block finds what b reads before it writes, and what it writes.
func (l *Live) block(b *ori.Block) {
	gen, kill := l.gen[b.ID], l.kill[b.ID]
	read := func(first, n int32) {
		for w := first; w < first+n; w++ {
			if g := int(l.id[w]); g >= 0 && !kill.Has(g) {
				gen.Add(g)
			}
		}
	}
	for i := b.First(); i != nil; i = i.Next() {
		l.sources(i, read)
		for k := range i.NDst {
			if first, n := l.span(&i.Args[k]); n > 0 && l.kills(i, &i.Args[k]) {
				for w := first; w < first+n; w++ {
					if g := int(l.id[w]); g >= 0 {
						kill.Add(g)
					}
				}
			}
		}
	}
	l.start[b.ID].Or(gen)
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
