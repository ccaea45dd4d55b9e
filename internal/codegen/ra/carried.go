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

// bitsOfWord is how many predicates share a word: each is put into it behind the
// one before it.
const bitsOfWord = 8

// carried is a predicate that one instruction of a block writes and others of the
// same block read behind barriers.
type carried struct {
	reg   ori.Reg
	def   *ori.Instr
	in    int   // the part of the block between barriers that writes it
	reads []int // the parts behind that one that read it, each once
	bit   bool
}

// carry turns predicates of block b that live over barriers beside masked
// loads into bits, but for a few.
func (x *flags) carry(b *ori.Block) bool {
	list, most, busy := x.parts(b)
	if busy == 0 {
		return false
	}
	var chosen []*carried
	for {
		best, gain := (*carried)(nil), 0.0
		for _, c := range list {
			if c.bit {
				continue
			}
			n := 0
			for k := c.in; k < c.reads[len(c.reads)-1]; k++ {
				if most[k] > x.cost.Carried {
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
func (x *flags) parts(b *ori.Block) (list []*carried, most []int, busy int) {
	part := 0
	loads := []int{0}
	by := map[ori.Reg]*carried{}
	for i := b.First(); i != nil; i = i.Next() {
		if i.Op == op.LDG && i.Guard.Kind == ori.KReg {
			loads[part]++
		}
		x.each(i, func(r ori.Reg, writes bool) {
			c := by[r]
			switch {
			case writes:
				if c == nil && x.at[r] > 0 && x.only(r, i) {
					by[r] = &carried{reg: r, def: i, in: part}
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
	list = slices.DeleteFunc(list, func(c *carried) bool { return len(c.reads) == 0 })
	return list, most, busy
}

// only reports whether i alone writes r, and only its block reads it behind i.
func (x *flags) only(r ori.Reg, i *ori.Instr) bool {
	c := &x.list[x.at[r]-1]
	return c.sets == 1 && c.in[0] <= c.in[1] && !x.spread[r] && i.Guard.Kind == ori.KNone && len(i.Old) == 0 && x.f.Regs[r].Width == 1
}

// place is the bit of a word that stands for a predicate.
type place struct {
	word ori.Reg
	mask uint32
}

// holder puts predicates of a block into words where they are written, and looks
// at them in each part between barriers that reads them.
type holder struct {
	*flags
	at    map[ori.Reg]place
	words map[ori.Reg]bool    // whether anything was put into each
	now   map[ori.Reg]ori.Reg // what holds a predicate in this part
	part  int
	in    map[ori.Reg]int // the part that wrote it
}

// hold puts the chosen predicates of b into words.
func (x *flags) hold(b *ori.Block, list []*carried) {
	h := &holder{flags: x, at: places(x.f, list), words: map[ori.Reg]bool{}, now: map[ori.Reg]ori.Reg{}, in: map[ori.Reg]int{}}
	var next *ori.Instr
	for i := b.First(); i != nil; i = next {
		next = i.Next()
		h.read(i, &i.Guard)
		for k := int(i.NDst); k < len(i.Args); k++ {
			h.read(i, &i.Args[k])
		}
		for k := range i.Old {
			h.read(i, &i.Old[k])
		}
		for k := range i.NDst {
			h.written(b, i, i.Args[k])
		}
		if flow.Meets(i) {
			h.part++
			clear(h.now)
		}
	}
}

// places gives each chosen predicate a bit: those that are read together share
// words.
func places(f *ori.Func, list []*carried) map[ori.Reg]place {
	at := map[ori.Reg]place{}
	slices.SortStableFunc(list, func(p, q *carried) int { return cmp.Compare(p.reads[0], q.reads[0]) })
	var word ori.Reg
	for _, c := range list {
		if !c.bit {
			continue
		}
		if len(at)%bitsOfWord == 0 {
			word = f.NewReg(ori.R, 1)
		}
		at[c.reg] = place{mask: 1 << (len(at) % bitsOfWord), word: word}
	}
	return at
}

// read lets i read a predicate of this part that was made of the bit.
func (h *holder) read(i *ori.Instr, a *ori.Operand) {
	if a.Kind != ori.KReg || h.f.Regs[a.Reg].Class != ori.P {
		return
	}
	p, ok := h.at[a.Reg]
	if !ok || h.in[a.Reg] == h.part {
		return
	}
	q, ok := h.now[a.Reg]
	if !ok {
		q = h.f.NewReg(ori.P, 1)
		h.now[a.Reg] = q
		h.look(i, h.f.Words(p.word), p.mask, q)
	}
	a.Reg = q
}

// written puts a predicate that i writes into its word behind i.
func (h *holder) written(b *ori.Block, i *ori.Instr, a ori.Operand) {
	p, ok := h.at[a.Reg]
	if a.Kind != ori.KReg || !ok {
		return
	}
	h.in[a.Reg] = h.part
	word := h.f.Words(p.word)
	var t *ori.Instr
	if !h.words[p.word] {
		h.words[p.word] = true
		t = h.f.NewInstr(op.SEL, op.Mods{}, []ori.Operand{word}, []ori.Operand{ori.Zero(ori.R), ori.Imm32(p.mask), h.f.Words(a.Reg).Not()})
	} else {
		t = h.f.NewInstr(op.LOP3, op.M(op.MLUT), []ori.Operand{word}, []ori.Operand{word, ori.Imm32(p.mask), ori.Zero(ori.R), ori.Imm(lutOr)})
		t.Guard = h.f.Words(a.Reg)
	}
	t.Line, t.Loc = i.Line, i.Loc
	b.InsertAfter(t, i)
}
