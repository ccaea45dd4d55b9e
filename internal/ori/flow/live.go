package flow

import (
	"slices"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/ori"
)

// Live tells which words of registers are alive at the ends of blocks: some
// path leads from there to a read before the word is written for certain.
// Only words that are alive at the start of some block have a number, so
// sets are as small as what blocks pass to each other.
type Live struct {
	Words []int32 // word of each number, as Values counts them

	f     *ori.Func
	base  []int32 // first word of each register, and the end
	id    []int32 // number of each word, -1 = never alive between blocks
	start []bits.Set
	end   []bits.Set
	gen   []bits.Set // read before they are written
	kill  []bits.Set // written for certain
}

// LiveOf returns the liveness of all registers of f.
func LiveOf(f *ori.Func) *Live {
	return kept(f, ori.FactLive, func() *Live { return LiveAmong(f, func(ori.Reg) bool { return true }) })
}

// LiveAmong analyses the registers that keep accepts. Nothing is kept.
func LiveAmong(f *ori.Func, keep func(ori.Reg) bool) *Live {
	l := &Live{f: f, base: make([]int32, len(f.Regs)+1)}
	chosen := make([]bool, len(f.Regs))
	for r := range f.Regs {
		l.base[r+1] = l.base[r] + int32(f.Regs[r].Width)
		chosen[r] = keep(ori.Reg(r))
	}
	l.number(f, chosen)
	n := len(l.Words)
	l.start, l.end, l.gen, l.kill = sets(f, n), sets(f, n), sets(f, n), sets(f, n)
	for _, b := range f.Blocks {
		l.block(b, chosen)
	}
	l.solve(f)
	l.gen, l.kill = nil, nil
	return l
}

// Start returns the numbers of the words alive at the start of b.
func (l *Live) Start(b *ori.Block) bits.Set { return l.start[b.ID] }

// End returns the numbers of the words alive at the end of b.
func (l *Live) End(b *ori.Block) bits.Set { return l.end[b.ID] }

// Number returns the number of word n of register r, -1 if it is never
// alive between blocks.
func (l *Live) Number(r ori.Reg, n int) int { return int(l.id[l.base[r]+int32(n)]) }

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
func sets(f *ori.Func, n int) []bits.Set {
	list := make([]bits.Set, f.NumBlocks())
	words := bits.Words(n)
	all := make(bits.Set, words*len(f.Blocks))
	for k, b := range f.Blocks {
		list[b.ID] = all[k*words : (k+1)*words : (k+1)*words]
	}
	return list
}

// operands calls visit with the words that i touches among the chosen
// registers, reads first. A guarded write kills nothing, unless it says what
// its results are if it does not happen.
func (l *Live) operands(i *ori.Instr, chosen []bool, visit func(first, n int32, write bool)) {
	span := func(a *ori.Operand, write bool) {
		if !a.HasReg() || !chosen[a.Reg] {
			return
		}
		if a.Kind == ori.KConst {
			visit(l.base[a.Reg], l.base[a.Reg+1]-l.base[a.Reg], write)
			return
		}
		visit(l.base[a.Reg]+int32(a.Sub), int32(max(1, a.N)), write)
	}
	for k := int(i.NDst); k < len(i.Args); k++ {
		span(&i.Args[k], false)
	}
	span(&i.Guard, false)
	for k := range i.Old {
		span(&i.Old[k], false)
	}
	for k := range i.NDst {
		if d := &i.Args[k]; i.Guard.Kind == ori.KNone || len(i.Old) > 0 && d.HasReg() && !l.f.Regs[d.Reg].Var {
			span(d, true)
		}
	}
}

// number gives numbers to the words that some block reads before it writes
// them.
func (l *Live) number(f *ori.Func, chosen []bool) {
	total := l.base[len(f.Regs)]
	l.id = make([]int32, total)
	written := make([]int32, total) // block that wrote last, plus one
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			l.operands(i, chosen, func(first, n int32, write bool) {
				for w := first; w < first+n; w++ {
					switch {
					case write:
						written[w] = b.ID + 1
					case written[w] != b.ID+1:
						l.id[w] = 1
					}
				}
			})
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
func (l *Live) block(b *ori.Block, chosen []bool) {
	gen, kill := l.gen[b.ID], l.kill[b.ID]
	for i := b.First(); i != nil; i = i.Next() {
		l.operands(i, chosen, func(first, n int32, write bool) {
			for w := first; w < first+n; w++ {
				g := int(l.id[w])
				switch {
				case g < 0:
				case write:
					kill.Add(g)
				case !kill.Has(g):
					gen.Add(g)
				}
			}
		})
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
