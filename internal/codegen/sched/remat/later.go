package remat

import (
	"cmp"
	"math"
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// What a thread's number and the parameters give is computed once, before the
// products of a kernel and for what comes behind them, too, and lives through
// all of them: columns, masks of the number, pointers to where sums go. Behind
// such a run of instructions one or two make it again.
//
//	S2R t = SR_TID.X             S2R t = SR_TID.X
//	LOP3 c = t, 0x7              LOP3 c = t, 0x7
//	STS [c], …                   STS [c], …
//	… products …                 … products …
//	                             S2R u = SR_TID.X
//	                             LOP3 d = u, 0x7
//	STG [c], …                   STG [d], …

// Run is a run of instructions of one block at which so many words too many
// are alive.
type Run struct {
	First, Last *ori.Instr
	Over        int32
}

const (
	mostRuns = 256 // so many runs are looked at
	longCone = 6   // so many instructions make a value again
	spared   = 3   // so many words more than are too many are spared if they can be: vectors find a place then
)

// Later makes values again behind runs through which they live, in loops
// around them nowhere, until none has words too many. It returns what takes all
// of it back, the places of instructions aside, or nil if that does not go; before
// anything changes it tells so.
func Later(f *ori.Func, runs []Run, changes func()) (undo func()) {
	if len(runs) == 0 || len(runs) > mostRuns {
		return nil
	}
	l := &later{derived: newDerived(f, make([]int32, f.NumBlocks())), behind: map[*ori.Operand]bool{}, from: map[*ori.Block][]bool{}}
	for _, x := range runs {
		b := x.First.Block()
		l.runs = append(l.runs, run{b, l.place[x.First.ID], l.place[x.Last.ID], x.Over})
		if l.from[b] == nil {
			l.from[b] = reached(f, b)
		}
	}
	if !l.choose() {
		return nil
	}
	changes()
	return l.apply(l.block)
}

// run is a run by places in its block.
type run struct {
	b      *ori.Block
	lo, hi int32
	over   int32
}

// later decides what is made again behind runs.
type later struct {
	*derived
	runs   []run
	from   map[*ori.Block][]bool // by the number of a block: it can come behind
	behind map[*ori.Operand]bool // what reads a copy
}

// reached tells which blocks can come behind b.
func reached(f *ori.Func, b *ori.Block) []bool {
	seen := make([]bool, f.NumBlocks())
	work := slices.Clone(b.Succs)
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if !seen[x.ID] {
			seen[x.ID] = true
			work = append(work, x.Succs...)
		}
	}
	return seen
}

// repeats reports whether r is made from other registers, from constants or
// from the number of a thread, by one instruction, or is the carry of a sum of such.
func (l *later) repeats(r ori.Reg) bool {
	i := l.def[r]
	if i == nil || l.dst(i, r) < 0 {
		return false
	}
	return repeatable(i) || isNumber(i) || l.cheap(r)
}

// isNumber reports whether i reads the number of a thread or of its block.
func isNumber(i *ori.Instr) bool {
	if i.Op != op.S2R || len(i.Srcs()) != 1 {
		return false
	}
	s := i.Srcs()[0]
	return s.Kind == ori.KSpecial && s.Imm >= int64(op.SRTidX) && s.Imm <= int64(op.SRCtaidZ)
}

// through reports whether r lives through run x untouched.
func (l *later) through(r ori.Reg, x *run) bool {
	d := l.def[r]
	if d.Block() == x.b {
		if l.place[d.ID] >= x.lo {
			return false
		}
	} else if !l.dom.Dominates(d.Block(), x.b) {
		return false
	}
	for _, i := range l.uses[r] {
		if n := l.place[i.ID]; i.Block() == x.b && x.lo <= n && n <= x.hi {
			return false
		}
	}
	return l.after(r, x)
}

// after reports whether r lives behind run x.
func (l *later) after(r ori.Reg, x *run) bool {
	return l.in(l.live.End(x.b), r) || slices.ContainsFunc(l.uses[r], func(i *ori.Instr) bool { return i.Block() == x.b && l.place[i.ID] > x.hi })
}

// follows reports whether i stands behind run x, outside of its loop, or where a
// way leads that leaves the run out.
func (l *later) follows(i *ori.Instr, x *run) bool {
	deep := l.loops.Depth(i.Block())
	if deep > 0 && deep >= l.loops.Depth(x.b) {
		return false
	}
	if i.Block() == x.b {
		return l.place[i.ID] > x.hi
	}
	return l.dom.Dominates(x.b, i.Block()) || l.reaches(x.b, i.Block()) && !l.reaches(i.Block(), x.b)
}

// reaches reports whether c can come behind b.
func (l *later) reaches(b, c *ori.Block) bool {
	if l.from[b] == nil {
		l.from[b] = reached(l.f, b)
	}
	return l.from[b][c.ID]
}

// again is a value that could be made again.
type again struct {
	reg    ori.Reg
	cone   []ori.Reg // what is made with it
	at     []int     // runs it no longer lives through
	behind []*ori.Instr
	price  float64
}

// candidate looks at register r.
func (l *later) candidate(r ori.Reg) (c again, ok bool) {
	var runs []*run
	for n := range l.runs {
		if x := &l.runs[n]; l.through(r, x) {
			runs = append(runs, x)
			c.at = append(c.at, n)
		}
	}
	if len(runs) == 0 {
		return c, false
	}
	var front []*ori.Instr
	for _, i := range l.uses[r] {
		if slices.ContainsFunc(runs, func(x *run) bool { return l.follows(i, x) }) {
			c.behind = append(c.behind, i)
		} else {
			front = append(front, i)
		}
	}
	c.at = slices.DeleteFunc(c.at, func(n int) bool { // it lives on for others
		x := &l.runs[n]
		return slices.ContainsFunc(front, func(i *ori.Instr) bool {
			return i.Block() == x.b && l.place[i.ID] > x.hi || l.from[x.b][i.Block().ID]
		})
	})
	if len(c.behind) == 0 || len(c.at) == 0 {
		return c, false
	}
	c.reg = r
	return c, true
}

// rooted finds what is made again with c: what does not live behind the runs.
func (l *later) rooted(c *again) bool {
	c.cone = nil
	lives := func(r ori.Reg) bool {
		return !slices.ContainsFunc(c.at, func(n int) bool { return !l.after(r, &l.runs[n]) })
	}
	var add func(r ori.Reg, deep int) bool
	add = func(r ori.Reg, deep int) bool {
		c.cone = append(c.cone, r)
		for _, s := range l.def[r].Srcs() {
			switch {
			case !s.HasReg() || slices.Contains(c.cone, s.Reg) || s.Class == ori.UR || l.state[s.Reg] == made || lives(s.Reg):
			case deep == 0 || len(c.cone) >= longCone || !l.repeats(s.Reg) || !add(s.Reg, deep-1):
				return false
			}
		}
		return true
	}
	return add(c.reg, longCone)
}

// choose decides what is made again, the cheapest first. It reports whether no
// run has words too many then.
func (l *later) choose() bool {
	var list []again
	for r := range l.f.Regs {
		if c, ok := l.some(ori.Reg(r)); ok {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b again) int { return cmp.Compare(a.price, b.price) })
	for _, c := range list {
		if !slices.ContainsFunc(c.at, func(n int) bool { return l.runs[n].over > -spared }) || !l.rooted(&c) {
			continue
		}
		for _, r := range c.cone {
			l.state[r] = made
		}
		for _, n := range c.at {
			l.runs[n].over -= int32(l.f.Regs[c.reg].Width)
		}
		for _, i := range c.behind {
			Reads(i, func(o *ori.Operand) {
				if o.Reg == c.reg {
					l.behind[o] = true
				}
			})
		}
	}
	return !slices.ContainsFunc(l.runs, func(x run) bool { return x.over > 0 })
}

// some looks at register r and what it would cost to make it again.
func (l *later) some(r ori.Reg) (c again, ok bool) {
	if l.f.Regs[r].Class != ori.R || !l.repeats(r) {
		return c, false
	}
	if c, ok = l.candidate(r); !ok || !l.rooted(&c) {
		return c, false
	}
	cost := 0.0
	last := (*ori.Block)(nil)
	for _, i := range c.behind {
		if b := i.Block(); b != last {
			last = b
			cost += float64(int(1)<<(3*min(l.loops.Depth(b), 6))) * float64(len(c.cone))
		}
	}
	c.price = cost / float64(l.f.Regs[r].Width)
	return c, true
}

// block makes values again before the instructions of b that read copies.
func (l *later) block(b *ori.Block) {
	var ends []int32
	for _, x := range l.runs {
		if x.b == b {
			ends = append(ends, x.hi)
		}
	}
	slices.Sort(ends)
	copies := map[ori.Reg]copied{}
	for n, i := range slices.Collect(b.Instrs) {
		if len(ends) > 0 && int32(n) > ends[0] { // copies do not live through runs either
			copies = map[ori.Reg]copied{}
			for len(ends) > 0 && int32(n) > ends[0] {
				ends = ends[1:]
			}
		}
		Reads(i, func(o *ori.Operand) {
			if l.behind[o] {
				l.rename(o, l.again(o.Reg, i, copies, n, math.MaxInt))
			}
		})
	}
}
