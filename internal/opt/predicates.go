package opt

import (
	"slices"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Predicates replaces predicates that are always true or false, or only
// another one or its opposite, where they are read, and drops guards whose
// outcome is known. One that nobody wrote is false.
func Predicates(f *ori.Func) bool {
	v := ValuesOf(f)
	changed, lost := false, false // lost: v was not kept true
	for _, b := range f.Blocks {
		next := b.First()
		for i := next; i != nil; i = next {
			next = i.Next()
			for k := int(i.NDst); k < len(i.Args); k++ {
				if a := &i.Args[k]; a.Kind != ori.KReg || a.Class != ori.P {
					continue
				}
				if p, ok := v.predicate(i.Args[k]); ok && (p.Kind == ori.KReg && (i.Op != op.PHISRC || p.Flags == 0) || takesTruth(i)) && f.Should("predicate", i) {
					v.CountRead(&i.Args[k], -1)
					v.CountRead(&p, 1)
					i.Args[k] = p
					changed = true
				}
			}
			if i.Guard.Kind != ori.KReg {
				continue
			}
			if d := v.Once(i.Guard); d != nil && d.Op == op.UNDEF && !i.Op.Has(op.Terminator) && f.Should("undefined", i) {
				// whether it runs was never said; what it would read or store is as
				// undefined, and may be an address
				changed, lost = settle(b, i, i.Guard.Flags&ori.Inv != 0) || changed, true
				continue
			}
			if p, ok := v.predicate(i.Guard); ok && (p.Kind == ori.KReg || settle(b, i, p.Flags&ori.Inv == 0)) {
				if p.Kind == ori.KReg {
					v.CountRead(&i.Guard, -1)
					v.CountRead(&p, 1)
					i.Guard = p
				} else {
					lost = true
				}
				changed = true
			}
		}
	}
	if f.Touched(changed) && !lost {
		v.Keep()
	}
	return changed
}

// takesTruth reports whether predicate sources of i may be constants.
func takesTruth(i *ori.Instr) bool {
	return i.Op == op.LDGSTS || i.Op.Has(op.Truth)
}

// MaxChain bounds how many moves of a predicate are looked through.
const MaxChain = 8

// predicate returns what a predicate operand can be read from instead.
func (v *Values) predicate(a ori.Operand) (ori.Operand, bool) {
	found := false
	for range MaxChain {
		if a.Kind != ori.KReg || a.Class != ori.P {
			break
		}
		d := v.Once(a)
		if d == nil || d.Op != op.PLOP3 || d.NDst != 1 || d.Guard.Kind != ori.KNone {
			break
		}
		p, ok := v.passes(d)
		if !ok {
			break
		}
		p.Flags ^= a.Flags & ori.Inv
		a, found = p, true
	}
	return a, found
}

// passes returns the constant or the source that a predicate operation
// gives back.
func (v *Values) passes(d *ori.Instr) (ori.Operand, bool) {
	srcs := d.Srcs()
	if len(srcs) != 5 || srcs[3].Kind != ori.KImm || !srcs[4].Is(0) {
		return ori.Operand{}, false
	}
	lut := srcs[3].Imm & 0xff
	for k := range 3 {
		if srcs[k].Kind == ori.KZero {
			lut = Restrict(lut, k, truthOf(srcs[k]))
		}
	}
	pt := ori.Zero(ori.P)
	switch lut {
	case 0xff:
		return pt, true
	case 0:
		return pt.Not(), true
	}
	for k, pattern := range [...]int64{0xf0, 0xcc, 0xaa} {
		if srcs[k].Kind != ori.KReg || srcs[k].Class != ori.P || !v.Stable(srcs[k]) {
			continue
		}
		switch lut {
		case pattern:
			return srcs[k], true
		case pattern ^ 0xff:
			return srcs[k].Not(), true
		}
	}
	return ori.Operand{}, false
}

// truthOf is the value of the true predicate with its mark.
func truthOf(o ori.Operand) int {
	if o.Flags&ori.Inv != 0 {
		return 0
	}
	return 1
}

// settle drops the guard of i, or i itself when it never runs. A jump's
// edges go with it.
func settle(b *ori.Block, i *ori.Instr, runs bool) bool {
	switch {
	case i.Op == op.BRA && len(b.Succs) == 2 && b.Succs[0] != b.Succs[1]:
		t := branch.Target(b, i)
		if t == nil || i != b.Last() {
			return false
		}
		next := b.Succs[1]
		if runs {
			branch.CutEdge(b, next)
		} else {
			branch.CutEdge(b, t)
		}
	case i.Op == op.EXIT && i == b.Last() && len(b.Succs) == 1:
		if runs {
			branch.CutEdge(b, b.Succs[0])
		}
	case i.Op.Has(op.Terminator):
		return false
	}
	switch {
	case runs:
		i.Guard, i.Old = ori.Operand{}, nil
	default:
		leaveOld(b, i)
		i.Remove()
	}
	return true
}

// leaveOld makes the results of i, which never runs, what they are then.
func leaveOld(b *ori.Block, i *ori.Instr) {
	for k, o := range i.Old {
		if i.Args[k].Kind != ori.KReg {
			continue
		}
		c := b.Func().NewInstr(op.UNDEF, op.Mods{}, []ori.Operand{i.Args[k]}, nil)
		if o.Kind != ori.KNone {
			c = b.Func().NewInstr(op.COPY, op.Mods{}, []ori.Operand{i.Args[k]}, []ori.Operand{o})
		}
		c.Line, c.Loc = i.Line, i.Loc
		b.InsertBefore(c, i)
	}
}

// logicOfCompare folds a predicate operation of two predicates into the
// comparison that makes one of them for it alone.
func (c *Combiner) logicOfCompare(i *ori.Instr) bool {
	srcs := i.Srcs()
	if i.NDst != 1 || i.Guard.Kind != ori.KNone || len(srcs) != 5 || srcs[2].Kind != ori.KZero || srcs[3].Kind != ori.KImm || !srcs[4].Is(0) {
		return false
	}
	lut := Restrict(srcs[3].Imm&0xff, 2, truthOf(srcs[2]))
	for _, k := range c.pairFirst(srcs) {
		in, other := srcs[k], srcs[1-k]
		if other.Kind != ori.KReg || other.Class != ori.P || !c.V.Stable(other) {
			continue
		}
		j := c.comparison(in)
		if j == nil {
			continue
		}
		mods := j.Mods
		if in.Flags&ori.Inv != 0 {
			m, ok := Opposite(j)
			if !ok {
				continue
			}
			mods = m
		}
		for _, r := range accumulators {
			if r.lut != lut {
				continue
			}
			args := append([]ori.Operand(nil), j.Srcs()...)
			args[2] = other
			c.Rewrite(i, j.Op, replaceMod(mods, op.MAND, r.mod), args)
			if c.joins != nil && int(c.V.WordOf(j.Args[0])) < len(c.joins) {
				c.joins[c.V.WordOf(j.Args[0])]--
			}
			if c.V.ReadsOf(j.Args[0]) == 0 {
				c.V.Remove(j)
			}
			return true
		}
	}
	return false
}

// pairFirst orders two predicates: one that compares pairs comes first, as
// the other may become part of what it tests.
func (c *Combiner) pairFirst(srcs []ori.Operand) [2]int {
	if srcs[1].Kind == ori.KReg {
		if j := c.V.Once(srcs[1]); j != nil && j.Mods.Has(op.MEX) {
			return [2]int{1, 0}
		}
	}
	return [2]int{0, 1}
}

// comparison returns the comparison that makes predicate a, if it combines
// its outcome with nothing yet and all who read it can compare themselves:
// doing it again costs no more than combining, and frees a predicate.
func (c *Combiner) comparison(a ori.Operand) *ori.Instr {
	if a.Kind != ori.KReg || a.Class != ori.P {
		return nil
	}
	j := c.V.Once(a)
	if j == nil || !slices.Contains(comparisons[:], j.Op) || j.NDst != 1 || j.Guard.Kind != ori.KNone || !j.Mods.Has(op.MAND) || len(j.Args) < 4 {
		return nil
	}
	if j.Mods.Has(op.MEX) { // the high half of a pair: what the low one found stays where it is
		if len(j.Args) != 5 || c.V.ReadsOf(a) != 1 || !c.V.Stable(j.Args[4]) {
			return nil
		}
	} else if len(j.Args) != 4 {
		return nil
	}
	if p := j.Args[3]; p.Kind != ori.KZero || p.Class != ori.P || p.Flags != 0 || !c.lasting(j.Args[1], j.Args[2]) {
		return nil
	}
	if c.V.ReadsOf(a) != 1 && c.combined()[c.V.WordOf(a)] != c.V.ReadsOf(a) {
		return nil
	}
	return j
}

var comparisons = [...]op.Op{op.ISETP, op.FSETP, op.DSETP, op.HSETP2}

// combined counts the reads of each predicate by operations that combine it
// with another one in a way that comparisons can.
func (c *Combiner) combined() []int32 {
	if c.joins != nil {
		return c.joins
	}
	c.joins = pool.Make[int32](c.F.Scratch(), len(c.V.Words))
	for _, b := range c.F.Blocks {
		for i := range b.Instrs {
			if !isPredicateLogic(i) || i.Args[3].Kind != ori.KZero || i.Args[1].Kind != ori.KReg || i.Args[2].Kind != ori.KReg {
				continue
			}
			lut := Restrict(i.Args[4].Imm&0xff, 2, truthOf(i.Args[3]))
			for _, r := range accumulators {
				if r.lut == lut {
					c.joins[c.V.WordOf(i.Args[1])]++
					c.joins[c.V.WordOf(i.Args[2])]++
				}
			}
		}
	}
	return c.joins
}

// replaceMod returns m with one modifier exchanged for another.
func replaceMod(m op.Mods, old, with op.Mod) op.Mods {
	for n, x := range m {
		if x == old {
			m[n] = with
		}
	}
	return m
}

// opposites are the comparisons of which one holds exactly when the other
// does not: of integers, and of floats, where one side is unordered.
var opposites = [...]struct {
	of   [4]op.Op
	a, b op.Mod
}{
	{[4]op.Op{op.ISETP}, op.MLT, op.MGE},
	{[4]op.Op{op.ISETP}, op.MLE, op.MGT},
	{[4]op.Op{op.ISETP}, op.MEQ, op.MNE},
	{[4]op.Op{op.FSETP, op.DSETP, op.HSETP2}, op.MLT, op.MGEU},
	{[4]op.Op{op.FSETP, op.DSETP, op.HSETP2}, op.MLE, op.MGTU},
	{[4]op.Op{op.FSETP, op.DSETP, op.HSETP2}, op.MGT, op.MLEU},
	{[4]op.Op{op.FSETP, op.DSETP, op.HSETP2}, op.MGE, op.MLTU},
	{[4]op.Op{op.FSETP, op.DSETP, op.HSETP2}, op.MEQ, op.MNEU},
	{[4]op.Op{op.FSETP, op.DSETP, op.HSETP2}, op.MNE, op.MEQU},
	{[4]op.Op{op.FSETP, op.DSETP, op.HSETP2}, op.MNUM, op.MNAN},
}

// Opposite returns the modifiers of the comparison that holds when i does
// not.
func Opposite(i *ori.Instr) (m op.Mods, ok bool) {
	n := len(i.Args) - 1
	if i.NDst != 1 || !i.Mods.Has(op.MAND) || i.Mods.Has(op.MEX) || n != 3 || i.Args[n].Kind != ori.KZero || i.Args[n].Class != ori.P || i.Args[n].Flags != 0 {
		return m, false
	}
	for _, r := range &opposites {
		switch {
		case !slices.Contains(r.of[:], i.Op):
		case i.Mods.Has(r.a):
			return replaceMod(i.Mods, r.a, r.b), true
		case i.Mods.Has(r.b):
			return replaceMod(i.Mods, r.b, r.a), true
		}
	}
	return m, false
}
