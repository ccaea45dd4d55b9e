package ra

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Masks of a tile's rows guard its loads, and behind barriers of the block the
// loads of the next tile and the stores of the last. Memory is not accessed
// across a barrier, so all of them live there, and what is left of the seven
// predicates has to do for the loads between two barriers, one behind the
// other. Masks that live over such barriers become bits of words there:
//
//	ISETP.LT.AND p = a, b, pt         ISETP.LT.AND p = a, b, pt
//	                                  SEL h = rz, 0x1, ~p
//	@p LDG r = [x]                    @p LDG r = [x]
//	BAR.SYNC                          BAR.SYNC
//	                                  LOP3.LUT q, rz = h, 0x1, rz, 0xc0, ~pt
//	@p STG [y], r                     @q STG [y], r

// borderBits is how many predicates share a word: each is put into it behind the
// one before it.
const borderBits = 8

// border is a predicate that one instruction of a block writes and others of the
// same block read.
type border struct {
	reg   ori.Reg
	def   *ori.Instr
	in    int   // the part of the block between barriers that writes it
	reads []int // the parts behind that one that read it, each once
	bit   bool
}

// borders turns predicates of block b that live over barriers beside masked
// loads into bits, but for a few.
func (x *flags) borders(b *ori.Block) bool {
	list, most, busy := x.parts(b)
	if busy == 0 {
		return false
	}
	var chosen []*border
	for {
		best, gain := (*border)(nil), 0.0
		for _, c := range list {
			if c.bit {
				continue
			}
			n := 0
			for k := c.in; k < c.reads[len(c.reads)-1]; k++ {
				if most[k] > x.cost.Border {
					n++
				}
			}
			if g := float64(n) / float64(1+len(c.reads)); g > gain {
				best, gain = c, g
			}
		}
		if best == nil {
			break
		}
		best.bit = true
		chosen = append(chosen, best)
		for k := best.in; k < best.reads[len(best.reads)-1]; k++ {
			most[k]--
		}
	}
	if len(chosen) < x.cost.Few {
		return false
	}
	x.hold(b, list)
	return true
}

// parts lists the predicates of b that live over barriers, and how many
// predicates live over each of these; 0 where there are as many, or no masked loads
// stand beside it. busy is how many others there are.
func (x *flags) parts(b *ori.Block) (list []*border, most []int, busy int) {
	part := 0
	loads := []int{0}
	by := map[ori.Reg]*border{}
	for i := b.First(); i != nil; i = i.Next() {
		if i.Op == op.LDG && i.Guard.Kind == ori.KReg {
			loads[part]++
		}
		x.each(i, func(r ori.Reg, writes bool) {
			c := by[r]
			switch {
			case writes:
				if c == nil && x.at[r] > 0 && x.only(r, i) {
					by[r] = &border{reg: r, def: i, in: part}
					list = append(list, by[r])
				}
			case c != nil && part > c.in && (len(c.reads) == 0 || c.reads[len(c.reads)-1] != part):
				c.reads = append(c.reads, part)
			}
		})
		if flow.Meets(i) {
			part++
			loads = append(loads, 0)
		}
	}
	most = make([]int, part)
	if part == 0 {
		return nil, nil, 0
	}
	// From the end: who lives over each barrier.
	alive := map[ori.Reg]bool{}
	for k := range x.live.End(b).All() {
		alive[x.live.Reg(k)] = true
	}
	for i := b.Last(); i != nil; i = i.Prev() {
		if flow.Meets(i) {
			part--
			if len(alive) > mostPredicates && (loads[part] >= x.cost.Loads || loads[part+1] >= x.cost.Loads) {
				most[part] = len(alive)
				busy++
			}
		}
		x.each(i, func(r ori.Reg, writes bool) {
			if writes && i.Guard.Kind == ori.KNone {
				delete(alive, r)
			}
		})
		x.each(i, func(r ori.Reg, writes bool) {
			if !writes {
				alive[r] = true
			}
		})
	}
	list = slices.DeleteFunc(list, func(c *border) bool { return len(c.reads) == 0 })
	return list, most, busy
}

// only reports whether i alone writes r, and only its block reads it behind i.
func (x *flags) only(r ori.Reg, i *ori.Instr) bool {
	c := &x.list[x.at[r]-1]
	return c.sets == 1 && c.in[0] <= c.in[1] && !x.spread[r] && i.Guard.Kind == ori.KNone && len(i.Old) == 0 && x.f.Regs[r].Width == 1
}

// hold puts the chosen predicates of b into words where they are written, and
// looks at them in each part that reads them.
func (x *flags) hold(b *ori.Block, list []*border) {
	type place struct {
		word ori.Reg
		mask uint32
	}
	at := map[ori.Reg]place{}
	n := 0
	slices.SortStableFunc(list, func(p, q *border) int { return cmp.Compare(p.reads[0], q.reads[0]) })
	for _, c := range list { // those that are read together share words
		if c.bit {
			at[c.reg] = place{mask: 1 << (n % borderBits), word: ori.Reg(n / borderBits)}
			n++
		}
	}
	words := make([]ori.Reg, (n+borderBits-1)/borderBits)
	begun := make([]bool, len(words))
	for k := range words {
		words[k] = x.f.NewReg(ori.R, 1)
	}
	now := map[ori.Reg]ori.Reg{}
	part := 0
	in := map[ori.Reg]int{}
	var next *ori.Instr
	for i := b.First(); i != nil; i = next {
		next = i.Next()
		read := func(a *ori.Operand) {
			if a.Kind != ori.KReg || x.f.Regs[a.Reg].Class != ori.P {
				return
			}
			p, ok := at[a.Reg]
			if !ok || in[a.Reg] == part {
				return
			}
			q, ok := now[a.Reg]
			if !ok {
				q = x.f.NewReg(ori.P, 1)
				now[a.Reg] = q
				x.look(i, x.f.Words(words[p.word]), p.mask, q)
			}
			a.Reg = q
		}
		read(&i.Guard)
		for k := int(i.NDst); k < len(i.Args); k++ {
			read(&i.Args[k])
		}
		for k := range i.Old {
			read(&i.Old[k])
		}
		for k := range i.NDst {
			a := i.Args[k]
			p, ok := at[a.Reg]
			if a.Kind != ori.KReg || !ok {
				continue
			}
			in[a.Reg] = part
			word := x.f.Words(words[p.word])
			var t *ori.Instr
			if !begun[p.word] {
				begun[p.word] = true
				t = x.f.NewInstr(op.SEL, op.Mods{}, []ori.Operand{word}, []ori.Operand{ori.Zero(ori.R), ori.Imm32(p.mask), x.f.Words(a.Reg).Not()})
			} else {
				t = x.f.NewInstr(op.LOP3, op.M(op.MLUT), []ori.Operand{word}, []ori.Operand{word, ori.Imm32(p.mask), ori.Zero(ori.R), ori.Imm(lutOr)})
				t.Guard = x.f.Words(a.Reg)
			}
			t.Line, t.Loc = i.Line, i.Loc
			b.InsertAfter(t, i)
		}
		if flow.Meets(i) {
			part++
			clear(now)
		}
	}
}
