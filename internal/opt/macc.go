package opt

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// accumulate64: a 64-bit product plus a 64-bit value. The product of the low
// words takes the value in, the other two are added to its high word:
//
//	IMAD.WIDE.U32 w = a0, b0, rz             IMAD.WIDE.U32 n = a0, b0, x
//	IMAD          h = a1, b0, w[1]           COPY          d[0] = n[0]
//	IMAD          g = a0, b1, h              IMAD          h = a1, b0, n[1]
//	IADD3    d[0], p = w[0], x[0], rz        IMAD          d[1] = a0, b1, h
//	IADD3.X  d[1]    = g, x[1], rz, p, !pt
//
// In SSA form x is a value even where a loop keeps the sum in one variable.
func (c *Combiner) accumulate64(hi *ori.Instr) bool {
	lo, ok := c.carryPair(hi)
	if !ok {
		return false
	}
	for _, k := range [...]int{2, 3} {
		t, g := lo.Args[k], hi.Args[k-1]
		x0, x1 := lo.Args[5-k], hi.Args[4-k]
		if !IsPair(x0, x1) || !c.V.Stable(Join(x0)) {
			continue
		}
		w, terms := c.product64(t, g)
		if w == nil {
			continue
		}
		c.merge64(lo, hi, w, terms, Join(x0))
		return true
	}
	return false
}

// carryPair returns the low half of the 64-bit addition whose high half is
// hi. Nobody else reads the carry.
func (c *Combiner) carryPair(hi *ori.Instr) (lo *ori.Instr, ok bool) {
	if hi.Mods != op.M(op.MX) || hi.NDst != 1 || len(hi.Args) != 6 || hi.Guard.Kind != ori.KNone || !IsZero(hi.Args[3]) || hi.Args[5].Kind != ori.KZero || hi.Args[5].Flags != ori.Inv {
		return nil, false
	}
	p := hi.Args[4]
	if p.Kind != ori.KReg || p.Flags != 0 || c.V.ReadsOf(p) != 1 {
		return nil, false
	}
	lo = c.V.Once(p)
	ok = lo != nil && lo.Op == op.IADD3 && lo.Mods == (op.Mods{}) && lo.NDst == 2 && len(lo.Args) == 5 && lo.Guard.Kind == ori.KNone && IsZero(lo.Args[4]) &&
		lo.Args[4].Flags == 0 && lo.Args[0].Kind == ori.KReg && lo.Args[0].Class == ori.R && lo.Block() == hi.Block() && hi.Args[3].Flags == 0
	return lo, ok
}

// product64 returns the multiplication of low words that makes t, and those
// that add the other products to its high word, last first, if together
// they make g for the sum alone.
func (c *Combiner) product64(t, g ori.Operand) (w *ori.Instr, terms []*ori.Instr) {
	if !Plain(t) || !Plain(g) {
		return nil, nil
	}
	w = c.V.Once(t)
	if w == nil || w.Op != op.IMAD || !w.Mods.Has(op.MWIDE) || w.Mods.Has(op.MX) || w.NDst != 1 || len(w.Args) != 4 || !IsZero(w.Args[3]) || w.Args[0].Reg != t.Reg || w.Args[0].Sub != t.Sub ||
		w.Guard.Kind != ori.KNone || c.V.ReadsOf(w.Args[0]) != 1 || !c.lasting(w.Args[1], w.Args[2]) {
		return nil, nil
	}
	up := t
	up.Sub++
	for range 2 {
		if g == up {
			break
		}
		j := c.V.Once(g)
		if j == nil || j.Op != op.IMAD || j.Mods != (op.Mods{}) || j.NDst != 1 || len(j.Args) != 4 || j.Guard.Kind != ori.KNone || c.V.ReadsOf(g) != 1 || !Plain(j.Args[3]) ||
			!c.lasting(j.Args[1], j.Args[2]) {
			return nil, nil
		}
		terms = append(terms, j)
		g = j.Args[3]
	}
	if g != up || len(terms) > 0 && !w.Mods.Has(op.MU32) {
		return nil, nil
	}
	return w, terms
}

// lasting reports whether operands mean the same later.
func (c *Combiner) lasting(list ...ori.Operand) bool {
	for _, a := range list {
		if !c.V.Stable(a) {
			return false
		}
	}
	return true
}

// merge64 rewrites the sum; terms are the products of unlike words, last
// first.
func (c *Combiner) merge64(lo, hi, w *ori.Instr, terms []*ori.Instr, x ori.Operand) {
	f := c.F
	n := f.NewReg(ori.R, 2)
	c.V.Grow()
	place := func(i, at *ori.Instr) {
		i.Line, i.Loc = at.Line, at.Loc
		at.Block().InsertBefore(i, at)
		c.V.Count(i, 1)
	}
	place(f.NewInstr(op.IMAD, w.Mods, []ori.Operand{f.Words(n)}, []ori.Operand{w.Args[1], w.Args[2], x}), lo)
	c.rewriteTo(lo, op.COPY, op.Mods{}, lo.Args[:1], []ori.Operand{f.Word(n, 0)})
	sum := f.Word(n, 1)
	for k := len(terms) - 1; k > 0; k-- {
		d := f.Words(f.NewReg(ori.R, 1))
		c.V.Grow()
		place(f.NewInstr(op.IMAD, op.Mods{}, []ori.Operand{d}, []ori.Operand{terms[k].Args[1], terms[k].Args[2], sum}), hi)
		sum = d
	}
	if len(terms) == 0 {
		c.rewriteTo(hi, op.COPY, op.Mods{}, hi.Args[:1], []ori.Operand{sum})
	} else {
		c.rewriteTo(hi, op.IMAD, op.Mods{}, hi.Args[:1], []ori.Operand{terms[0].Args[1], terms[0].Args[2], sum})
	}
	for _, j := range terms {
		c.V.Remove(j)
	}
	c.V.Remove(w)
}

// rewriteTo gives i a new operation, results and sources.
func (c *Combiner) rewriteTo(i *ori.Instr, o op.Op, m op.Mods, dsts, srcs []ori.Operand) {
	c.V.Count(i, -1)
	i.Op, i.Mods = o, m
	c.F.SetArgs(i, append([]ori.Operand(nil), dsts...), srcs)
	c.V.Count(i, 1)
}
