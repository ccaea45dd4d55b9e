package machine

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// HighPairs compares pairs of words with one instruction each where many comparisons of a block
// share both upper words, as those of rows with columns do in a mask. What the upper words tell is found
// once. A pair is less if its upper word is, or if that is equal and the lower word is less, so
// where upper words differ one lower word becomes one that is never less:
//
//	ISETP.LT.U32.AND    q = a, b, pt          ISETP.EQ.AND     e = x, y, pt
//	ISETP.LT.AND.EX     p = x, y, pt, q       ISETP.LT.AND     s = x, y, pt
//	                                          SEL              c = a, 0xffffffff, e
//	                                          ISETP.LT.U32.OR  p = c, b, s
//
// It must spare at least so many instructions.
func HighPairs(f *ori.Func, few int) bool {
	v := opt.ValuesOf(f)
	changed := false
	for _, b := range f.Blocks {
		groups := map[highPair][]*ori.Instr{}
		var order []highPair
		for i := range b.Instrs {
			k, ok := pairTest(v, i)
			if !ok {
				continue
			}
			if groups[k] == nil {
				order = append(order, k)
			}
			groups[k] = append(groups[k], i)
		}
		for _, k := range order {
			h := sharedPair{v: v, list: groups[k], key: k, made: map[lowWord]ori.Operand{}, tests: map[op.Mod]ori.Operand{}}
			if len(h.list) >= few && h.spares() >= few && f.Should("pairs of high words", h.list[0]) {
				h.rewrite()
				changed = true
			}
		}
	}
	return f.Touched(changed)
}

// highPair is two upper words, and whether they are compared without signs.
type highPair struct {
	x, y     ori.Operand
	unsigned bool
}

// lowWord is a lower word, or what stands for it where upper words differ.
type lowWord struct {
	word ori.Operand
	ones bool
}

// pairTest returns the upper words that i compares if the lower words are compared just for i, in its
// block, and for less or more.
func pairTest(v *opt.Values, i *ori.Instr) (k highPair, ok bool) {
	if i.Op != op.ISETP || i.NDst != 1 || len(i.Args) != 5 || i.Guard.Kind != ori.KNone || !i.Mods.Has(op.MEX) || !i.Mods.Has(op.MAND) ||
		i.Args[3] != ori.Zero(ori.P) || i.Args[4].Flags != 0 || strictly(i) == op.MEQ {
		return k, false
	}
	k = highPair{i.Args[1], i.Args[2], i.Mods.Has(op.MU32)}
	if !opt.Plain(k.x) || !opt.Plain(k.y) || !v.Stable(k.x) || !v.Stable(k.y) {
		return k, false
	}
	low := v.Once(i.Args[4])
	return k, low != nil && low.Op == op.ISETP && low.NDst == 1 && len(low.Args) == 4 && low.Guard.Kind == ori.KNone && low.Block() == i.Block() && !low.Mods.Has(op.MEX) &&
		low.Mods.Has(op.MAND) && low.Mods.Has(op.MU32) && (low.Mods.Has(op.MLT) || low.Mods.Has(op.MGT)) && low.Args[3] == ori.Zero(ori.P) && v.ReadsOf(low.Args[0]) == 1 &&
		opt.Plain(low.Args[1]) && opt.Plain(low.Args[2]) && v.Stable(low.Args[1]) && v.Stable(low.Args[2])
}

// strictly returns how upper words compare for which the lower words do not matter; MEQ if
// that is no order.
func strictly(i *ori.Instr) op.Mod {
	switch {
	case i.Mods.Has(op.MLT), i.Mods.Has(op.MLE):
		return op.MLT
	case i.Mods.Has(op.MGT), i.Mods.Has(op.MGE):
		return op.MGT
	}
	return op.MEQ
}

// sharedPair is comparisons with the same upper words.
type sharedPair struct {
	v     *opt.Values
	list  []*ori.Instr
	key   highPair
	uses  map[ori.Operand]int // comparisons of a lower word
	made  map[lowWord]ori.Operand
	tests map[op.Mod]ori.Operand // of the upper words, by outcome
}

// changes returns which operand of a comparison of lower words gives way, and to what.
func (h *sharedPair) changes(low *ori.Instr) (n int, w lowWord) {
	n = 1
	if h.uses[low.Args[2]] > h.uses[low.Args[1]] {
		n = 2
	}
	return n, lowWord{low.Args[n], low.Mods.Has(op.MLT) == (n == 1)}
}

// spares tells how many instructions fewer there are.
func (h *sharedPair) spares() int {
	h.uses = map[ori.Operand]int{}
	for _, i := range h.list {
		low := h.v.Once(i.Args[4])
		h.uses[low.Args[1]]++
		h.uses[low.Args[2]]++
	}
	words, ways := map[lowWord]bool{}, map[op.Mod]bool{op.MEQ: true}
	for _, i := range h.list {
		_, w := h.changes(h.v.Once(i.Args[4]))
		words[w], ways[strictly(i)] = true, true
	}
	return len(h.list) - len(words) - len(ways)
}

// rewrite makes one comparison of each two.
func (h *sharedPair) rewrite() {
	for _, i := range h.list {
		low := h.v.Once(i.Args[4])
		n, w := h.changes(low)
		s := h.test(i, strictly(i))
		args := [3]ori.Operand{1: low.Args[1], 2: low.Args[2]}
		args[n] = h.word(i, w)
		h.v.Change(i, op.ISETP, low.Mods.Without(op.MAND).With(op.MOR), args[1], args[2], s)
		h.v.Remove(low)
	}
}

// test returns the predicate that tells how the upper words compare, made before i.
func (h *sharedPair) test(i *ori.Instr, how op.Mod) ori.Operand {
	if p, ok := h.tests[how]; ok {
		return p
	}
	m := op.M(how, op.MAND)
	if h.key.unsigned {
		m = op.M(how, op.MU32, op.MAND) // in the order that forms have them
	}
	p := h.v.Func.Words(h.v.Func.NewReg(ori.P, 1))
	h.insert(i, op.ISETP, m, p, h.key.x, h.key.y, ori.Zero(ori.P))
	h.tests[how] = p
	return p
}

// word returns a lower word, or where the upper words differ what stands for it, made before i.
func (h *sharedPair) word(i *ori.Instr, w lowWord) ori.Operand {
	if d, ok := h.made[w]; ok {
		return d
	}
	other := ori.Zero(ori.R)
	if w.ones {
		other = ori.Imm32(0xffffffff)
	}
	e := h.test(i, op.MEQ)
	d := h.v.Func.Words(h.v.Func.NewReg(ori.R, 1))
	h.insert(i, op.SEL, op.Mods{}, d, w.word, other, e)
	h.made[w] = d
	return d
}

func (h *sharedPair) insert(at *ori.Instr, o op.Op, m op.Mods, d ori.Operand, srcs ...ori.Operand) {
	h.v.Grow()
	x := h.v.Func.NewInstr(o, m, []ori.Operand{d}, srcs)
	x.Line, x.Loc = at.Line, at.Loc
	at.Block().InsertBefore(x, at)
	h.v.Count(x, 1)
}
