package ra

import (
	"math/bits"

	sets "github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// There are seven predicates, and the masks of a tile's rows are as many as it
// has rows, all of them made before a loop and read in it. The allocator keeps
// each that has no place in a register of its own, and has none left for the
// tile. Here they become bits of one word instead:
//
//	ISETP.LT.AND p = a, b, pt         ISETP.LT.AND p = a, b, pt
//	                                  @p LOP3.LUT h = h, 0x4, rz, 0xfc
//	...                               ...
//	                                  LOP3.LUT q, rz = h, 0x4, rz, 0xc0, ~pt
//	@p LDG r = [x]                    @q LDG r = [x]

// FlagCost says when bits are worth it.
type FlagCost struct {
	Few     int // predicates from which on they become bits
	Reach   int // instructions for which a bit that was looked at is known
	Masked  int // bits with one predicate for which a word is masked
	Carried int // predicates that stay such over a barrier where there are too many; see carry
	Inside  int // so many too many in a loop make bits of those that it does not touch, too
	Loads   int // masked loads beside a barrier from which on that matters
}

// Flags turns predicates of f that are too many into bits of words.
func Flags(f *ori.Func, cost FlagCost) {
	if !f.Kernel || f.Props.HasCalls {
		return
	}
	x := &flags{f: f, cost: cost, loops: flow.LoopsOf(f, flow.DomOf(f))}
	x.find()
	if len(x.list) == 0 {
		return
	}
	x.live = flow.LiveAmong(f, func(r ori.Reg) bool { return f.Regs[r].Class == ori.P })
	for _, b := range f.Blocks {
		x.crowd(b)
	}
	x.choose()
	changed := false
	for _, b := range f.Blocks {
		changed = x.carry(b) || changed
	}
	if len(x.word) > 0 {
		for _, b := range f.Blocks {
			x.block(b)
		}
		x.clear()
		changed = true
	}
	f.Touched(changed)
}

// mostPredicates is how many there are.
const mostPredicates = 7

// flags decides about predicates.
type flags struct {
	f       *ori.Func
	cost    FlagCost
	loops   *flow.Loops
	live    *flow.Live
	at      []int32 // by register: its place in list plus one
	list    []flag
	crowded []crowd // where there are too many
	word    []ori.Reg
	round   map[*ori.Block]bool // what again found
	home    []*ori.Block        // by register: the block that touches it
	spread  []bool              // by register: several blocks do
}

// flag is a predicate that can be a bit.
type flag struct {
	reg  ori.Reg
	cost float64 // accesses, eight times for each loop around them
	bit  int     // -1: it stays a predicate
	sets int     // instructions that write it
	in   [2]int  // how many loops are around its reads and its writes
}

// pays reports whether it is read in more loops than it is written in: a write in
// a loop costs two instructions, and what is read as often as written the order
// may still bring together. No order does where it lives through loops that do not
// touch it: depth is how many are around it there.
func (c *flag) pays(depth int) bool { return c.in[1] < max(c.in[0], depth) }

// crowd is a place where more predicates live than there are.
type crowd struct {
	over int      // how many more
	who  sets.Set // places in the list of those that live
}

// find lists the predicates whose writes all happen for certain.
func (x *flags) find() {
	f := x.f
	x.at, x.home, x.spread = make([]int32, len(f.Regs)), make([]*ori.Block, len(f.Regs)), make([]bool, len(f.Regs))
	const never = -1
	for _, b := range f.Blocks {
		w := float64(uint64(1) << (3 * min(x.loops.Depth(b), 5)))
		for i := range b.Instrs {
			x.each(i, func(r ori.Reg, writes bool) {
				if x.home[r] == nil {
					x.home[r] = b
				} else if x.home[r] != b {
					x.spread[r] = true
				}
				if f.Regs[r].Fixed || writes && (i.Guard.Kind != ori.KNone || len(i.Old) > 0 || i.Op.Has(op.Terminator)) {
					x.at[r] = never
				}
				if x.at[r] == never {
					return
				}
				if x.at[r] == 0 {
					x.list = append(x.list, flag{reg: r, bit: -1})
					x.at[r] = int32(len(x.list))
				}
				c := &x.list[x.at[r]-1]
				c.cost += w
				k := 0
				if writes {
					c.sets++
					k = 1
				}
				c.in[k] = max(c.in[k], x.loops.Depth(b))
			})
		}
	}
}

// each calls do with the predicates that i reads and writes.
func (x *flags) each(i *ori.Instr, do func(r ori.Reg, writes bool)) {
	see := func(a *ori.Operand, writes bool) {
		if a.Kind == ori.KReg && x.f.Regs[a.Reg].Class == ori.P {
			do(a.Reg, writes)
		}
	}
	see(&i.Guard, false)
	for k := range i.Args {
		see(&i.Args[k], k < int(i.NDst))
	}
	for k := range i.Old {
		see(&i.Old[k], false)
	}
}

// crowd finds the places of b where too many predicates live.
func (x *flags) crowd(b *ori.Block) {
	alive, who, n := sets.NewSet(len(x.f.Regs)), [2]sets.Set{sets.NewSet(len(x.list)), sets.NewSet(len(x.list))}, 0
	turn := func(r ori.Reg, lives bool) {
		if alive.Has(int(r)) == lives {
			return
		}
		change, set := 1, sets.Set.Add
		if !lives {
			change, set = -1, sets.Set.Del
		}
		n += change
		set(alive, int(r))
		if x.at[r] > 0 {
			c := &x.list[x.at[r]-1]
			for k, deep := range [...]int{0, x.loops.Depth(b)} {
				if c.pays(deep) {
					set(who[k], int(x.at[r]-1))
				}
			}
		}
	}
	for k := range x.live.End(b).All() {
		turn(x.live.Reg(k), true)
	}
	for i := b.Last(); i != nil; i = i.Prev() {
		if n > mostPredicates {
			k := 0
			if n-mostPredicates >= x.cost.Inside {
				k = 1
			}
			x.crowded = append(x.crowded, crowd{over: n - mostPredicates, who: who[k].Clone()})
		}
		x.each(i, func(r ori.Reg, writes bool) {
			if writes && i.Guard.Kind == ori.KNone {
				turn(r, false)
			}
		})
		x.each(i, func(r ori.Reg, writes bool) {
			if !writes {
				turn(r, true)
			}
		})
	}
}

// choose makes bits of the predicates that are in the way at the most crowded
// places for the fewest accesses.
func (x *flags) choose() {
	var chosen []int
	count := make([]int, len(x.list)) // of each predicate, the crowded places it is in the way at
	for _, c := range x.crowded {
		if c.over <= 0 {
			continue
		}
		for n := range c.who.All() {
			count[n]++
		}
	}
	for {
		best := -1
		for n := range x.list {
			if count[n] > 0 && (best < 0 || float64(count[n])*x.list[best].cost > float64(count[best])*x.list[n].cost) {
				best = n
			}
		}
		if best < 0 {
			break
		}
		chosen = append(chosen, best)
		for k := range x.crowded {
			c := &x.crowded[k]
			if !c.who.Has(best) {
				continue
			}
			c.who.Del(best)
			if c.over--; c.over == 0 {
				for n := range c.who.All() {
					count[n]--
				}
			}
		}
		count[best] = 0
	}
	if len(chosen) < x.cost.Few {
		return
	}
	for n, k := range chosen {
		x.list[k].bit = n
	}
	for range (len(chosen) + 31) / 32 {
		x.word = append(x.word, x.f.NewReg(ori.R, 1))
	}
}

// block looks at the bits where b reads predicates, and sets them where it
// writes these.
func (x *flags) block(b *ori.Block) {
	type copied struct {
		reg  ori.Reg
		upTo int // until which instruction it is read
	}
	now := map[ori.Reg]copied{}
	m := x.masksOf(b)
	n := 0
	var next *ori.Instr
	for i := b.First(); i != nil; i = next {
		next = i.Next()
		n++
		read := func(a *ori.Operand) {
			if !x.isBit(a) {
				return
			}
			c, ok := now[a.Reg]
			if !ok || c.upTo < n {
				c.reg = x.f.NewReg(ori.P, 1)
				word, mask := x.place(a.Reg)
				x.look(i, word, mask, c.reg)
			}
			c.upTo = n + x.cost.Reach
			now[a.Reg] = c
			a.Reg = c.reg
		}
		if m.together(i) {
			continue
		}
		read(&i.Guard)
		for k := int(i.NDst); k < len(i.Args); k++ {
			read(&i.Args[k])
		}
		for k := range i.Old {
			read(&i.Old[k])
		}
		for k := range i.NDst {
			if a := &i.Args[k]; x.isBit(a) {
				r := a.Reg
				m.drop(r)
				a.Reg = x.f.NewReg(ori.P, 1)
				x.set(i, r, a.Reg)
				now[r] = copied{a.Reg, n + x.cost.Reach}
			} else if a.Kind == ori.KReg {
				m.drop(a.Reg)
			}
		}
	}
}

// isBit reports whether a is a predicate that becomes a bit.
func (x *flags) isBit(a *ori.Operand) bool {
	return a.Kind == ori.KReg && int(a.Reg) < len(x.at) && x.at[a.Reg] > 0 && x.list[x.at[a.Reg]-1].bit >= 0
}

// place returns the word of predicate r and the bit in it.
func (x *flags) place(r ori.Reg) (word ori.Operand, mask uint32) {
	n := x.list[x.at[r]-1].bit
	return x.f.Words(x.word[n/32]), bits.RotateLeft32(1, n%32)
}

// look reads a bit of a word into p before i.
func (x *flags) look(i *ori.Instr, word ori.Operand, mask uint32, p ori.Reg) {
	t := x.f.NewInstr(op.LOP3, op.M(op.MLUT), []ori.Operand{x.f.Words(p), ori.Zero(ori.R)}, bitOf(word, mask))
	t.Line, t.Loc = i.Line, i.Loc
	i.Block().InsertBefore(t, i)
}

// bitOf returns the sources of a logic operation that says whether a bit is set.
func bitOf(word ori.Operand, mask uint32) []ori.Operand {
	return []ori.Operand{word, ori.Imm32(mask), ori.Zero(ori.R), ori.Imm(lutAnd), ori.Zero(ori.P).Not()}
}

// set makes the bit of predicate r what p is behind i.
func (x *flags) set(i *ori.Instr, r, p ori.Reg) {
	word, mask := x.place(r)
	put := func(at *ori.Instr, mask uint32, lut int64) *ori.Instr {
		t := x.f.NewInstr(op.LOP3, op.M(op.MLUT), []ori.Operand{word}, []ori.Operand{word, ori.Imm32(mask), ori.Zero(ori.R), ori.Imm(lut)})
		t.Line, t.Loc = i.Line, i.Loc
		at.Block().InsertAfter(t, at)
		return t
	}
	at := i
	if x.list[x.at[r]-1].sets > 1 || x.again(i.Block()) { // it may be set
		at = put(at, ^mask, lutAnd)
	}
	put(at, mask, lutOr).Guard = x.f.Words(p)
}

// again reports whether b may run more than once.
func (x *flags) again(b *ori.Block) bool {
	if x.round == nil {
		x.round = map[*ori.Block]bool{}
	}
	if known, ok := x.round[b]; ok {
		return known
	}
	seen := map[*ori.Block]bool{}
	work := []*ori.Block{b}
	for len(work) > 0 && !seen[b] {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range at.Succs {
			if !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	x.round[b] = seen[b]
	return x.round[b]
}

// Tables of two and three sources.
const (
	lutAnd  = 0xc0
	lutOr   = 0xfc
	lutAnd3 = 0x80
)

// clear begins f with words without bits.
func (x *flags) clear() {
	b := x.f.Blocks[0]
	for _, r := range x.word {
		t := x.f.NewInstr(op.MOV, op.Mods{}, []ori.Operand{x.f.Words(r)}, []ori.Operand{ori.Zero(ori.R)})
		first := b.First()
		t.Line, t.Loc = first.Line, first.Loc
		b.InsertBefore(t, first)
	}
}
