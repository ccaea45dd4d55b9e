package opt

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Combine joins an instruction with the one that computes a source of it,
// where the machine has one operation for both and nobody else wants the
// intermediate result.
func Combine(f *ori.Func) bool {
	c := &Combiner{F: f, V: ValuesOf(f)}
	changed := false
	var any [op.Count]bool // whether there is a rule for the operation
	for k := range rules {
		any[rules[k].op] = true
	}
	for again := true; again; {
		again = false
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				if !any[i.Op] {
					continue
				}
				for _, r := range &rules {
					if r.op == i.Op && f.Should("combine", i) && r.apply(c, i) {
						again, changed = true, true
						break
					}
				}
			}
		}
	}
	if f.Touched(changed) {
		c.V.Keep()
	}
	return changed
}

type Combiner struct {
	F     *ori.Func
	V     *Values
	joins []int32 // reads of each predicate that combine it with another; nil until asked for
}

// rules are tried in order on every instruction of their operation.
var rules = [...]struct {
	op    op.Op
	apply func(c *Combiner, i *ori.Instr) bool
}{
	{op.IADD3, (*Combiner).wide},
	{op.IADD3, (*Combiner).extended},
	{op.IADD3, (*Combiner).addOfConstant64},
	{op.IADD3, (*Combiner).accumulate64},
	{op.IADD3, (*Combiner).sum3},
	{op.IADD3, (*Combiner).addOfProduct},
	{op.IADD3, (*Combiner).addOfShift},
	{op.IADD3, (*Combiner).addOfConstant},
	{op.IADD3, (*Combiner).addOfAdd},
	{op.LOP3, (*Combiner).logicOfLogic},
	{op.PLOP3, (*Combiner).logicOfCompare},
	{op.PLOP3, (*Combiner).logicOfTests},
	{op.IADD3, (*Combiner).addOfHigh},
	{op.FMNMX, (*Combiner).boundAgain},
	{op.IMNMX, (*Combiner).boundAgain},
	{op.VIMNMX, (*Combiner).boundAgain},
	{op.F2I, (*Combiner).roundedOnce},
}

// boundAgain: max(max(x, y), y) is max(x, y), and so with minima.
func (c *Combiner) boundAgain(i *ori.Instr) bool {
	if i.NDst != 1 || len(i.Args) != 4 || i.Guard.Kind != ori.KNone {
		return false
	}
	for k := 1; k <= 2; k++ {
		in, bound := i.Args[k], i.Args[3-k]
		if !Plain(in) || bound.HasReg() && !c.V.Stable(bound) {
			continue
		}
		j := c.V.Once(in)
		for j != nil && j.Op == op.COPY && Plain(j.Args[0]) && Plain(j.Args[1]) {
			j = c.V.Once(j.Args[1])
		}
		if j != nil && j.Op == i.Op && j.Mods == i.Mods && j.NDst == 1 && len(j.Args) == 4 && j.Guard.Kind == ori.KNone && j.Args[3] == i.Args[3] && i.Args[3].Kind == ori.KZero &&
			(j.Args[1] == bound || j.Args[2] == bound) {
			c.V.Change(i, op.COPY, op.Mods{}, in)
			return true
		}
	}
	return false
}

// inner returns the instruction that computes operand a for i alone, if it
// is an unguarded o whose own sources still hold where i stands.
func (c *Combiner) inner(i *ori.Instr, a ori.Operand, o op.Op) *ori.Instr {
	if a.Kind != ori.KReg {
		return nil
	}
	j := c.V.Once(a)
	if j == nil || j.Op != o || j.NDst != 1 || j.Guard.Kind != ori.KNone || c.V.ReadsOf(j.Args[0]) != 1 ||
		j.Args[0].Reg != a.Reg || j.Args[0].Sub != a.Sub || j.Args[0].N != a.N {
		return nil
	}
	for _, s := range j.Srcs() {
		if !c.V.Stable(s) {
			return nil
		}
	}
	return j
}

// Rewrite gives i a new operation and sources, and removes j.
func (c *Combiner) Rewrite(i *ori.Instr, o op.Op, m op.Mods, srcs []ori.Operand, gone ...*ori.Instr) {
	c.V.Count(i, -1)
	i.Op, i.Mods = o, m
	dsts := append([]ori.Operand(nil), i.Dsts()...)
	c.F.SetArgs(i, dsts, srcs)
	c.V.Count(i, 1)
	for _, j := range gone {
		c.V.Remove(j)
	}
}

// IsAdd reports whether i is a plain addition of at most two words.
func IsAdd(i *ori.Instr) bool {
	return i.Op == op.IADD3 && i.Mods == (op.Mods{}) && i.NDst == 1 && len(i.Args) == 4 && IsZero(i.Args[3])
}

func IsZero(o ori.Operand) bool { return o.Kind == ori.KZero && o.Flags&^ori.Neg == 0 }

// sides calls try with each source of an addition as the inner one.
func sides(i *ori.Instr, try func(in, other ori.Operand) bool) bool {
	return IsAdd(i) && (try(i.Args[1], i.Args[2]) || try(i.Args[2], i.Args[1]))
}

// addOfConstant: what ends with the sum of a constant takes another one into
// it: (a + 1) + 2, (a*b + 1) + 2, ((a << k) + 1) + 2.
func (c *Combiner) addOfConstant(i *ori.Instr) bool {
	return sides(i, func(in, other ori.Operand) bool {
		more, ok := Known(other)
		if !ok || in.Flags != 0 || other.Kind != ori.KImm {
			return false
		}
		for _, o := range [...]op.Op{op.IADD3, op.IMAD, op.LEA} {
			j := c.inner(i, in, o)
			if j == nil || j.Mods != (op.Mods{}) || len(j.Args) != 4 {
				continue
			}
			if k := addend(j); k > 0 {
				srcs := append([]ori.Operand(nil), j.Srcs()...)
				have, _ := Known(srcs[k-1])
				srcs[k-1] = Word(have + more)
				c.Rewrite(i, o, op.Mods{}, srcs, j)
				return true
			}
		}
		return false
	})
}

// addend returns which operand of a sum of words is a constant that is added;
// 0: none.
func addend(i *ori.Instr) int {
	first, last := 1, 3
	switch i.Op {
	case op.IMAD:
		first = 3
	case op.LEA:
		first, last = 2, 2
	}
	for k := first; k <= last; k++ {
		if _, ok := Known(i.Args[k]); ok && i.Args[k].Kind == ori.KImm {
			return k
		}
	}
	return 0
}

// addOfAdd: (a + b) + c becomes one three-way addition.
func (c *Combiner) addOfAdd(i *ori.Instr) bool {
	return sides(i, func(in, other ori.Operand) bool {
		if in.Flags != 0 {
			return false
		}
		j := c.inner(i, in, op.IADD3)
		if j == nil || !IsAdd(j) || IsZero(other) {
			return false
		}
		a, b := j.Args[1], j.Args[2]
		if constants(a, b, other) > 1 { // one immediate fits; two are one: addOfConstant
			return false
		}
		c.Rewrite(i, op.IADD3, op.Mods{}, []ori.Operand{a, b, other}, j)
		return true
	})
}

func constants(list ...ori.Operand) int {
	n := 0
	for _, o := range list {
		if o.Kind != ori.KReg && o.Kind != ori.KZero {
			n++
		}
	}
	return n
}

// addOfProduct: a*b + c.
func (c *Combiner) addOfProduct(i *ori.Instr) bool {
	return sides(i, func(in, other ori.Operand) bool {
		j := c.inner(i, in, op.IMAD)
		if in.Flags != 0 || j == nil || j.Mods != (op.Mods{}) || len(j.Args) != 4 || !IsZero(j.Args[3]) {
			return false
		}
		if constants(j.Args[1], j.Args[2], other) > 1 {
			return false
		}
		c.Rewrite(i, op.IMAD, op.Mods{}, []ori.Operand{j.Args[1], j.Args[2], other}, j)
		return true
	})
}

// addOfShift: (a << k) + b.
func (c *Combiner) addOfShift(i *ori.Instr) bool {
	return sides(i, func(in, other ori.Operand) bool {
		j := c.inner(i, in, op.SHF)
		if in.Flags != 0 || j == nil || j.Mods != op.M(op.ML, op.MU32) || !IsZero(j.Args[3]) || j.Args[2].Kind != ori.KImm {
			return false
		}
		k := j.Args[2].Imm
		if k < 1 || k > 31 || j.Args[1].Kind != ori.KReg || j.Args[1].Flags != 0 || other.Flags != 0 {
			return false
		}
		c.Rewrite(i, op.LEA, op.Mods{}, []ori.Operand{j.Args[1], other, ori.Imm(k)}, j)
		return true
	})
}

// addOfHigh: (a >> k) + b, without sign, is the high word of a pair shifted
// left, plus b.
func (c *Combiner) addOfHigh(i *ori.Instr) bool {
	return sides(i, func(in, other ori.Operand) bool {
		j := c.inner(i, in, op.SHF)
		if in.Flags != 0 || j == nil || j.Mods != op.M(op.MR, op.MU32, op.MHI) || !IsZero(j.Args[1]) || j.Args[2].Kind != ori.KImm {
			return false
		}
		k := j.Args[2].Imm
		if k < 1 || k > 31 || !Plain(j.Args[3]) || other.Flags != 0 || IsZero(other) {
			return false
		}
		c.Rewrite(i, op.LEA, op.M(op.MHI), []ori.Operand{j.Args[3], other, ori.Zero(ori.R), ori.Imm(32 - k)}, j)
		return true
	})
}

// wide: the 64-bit product of two words plus a 64-bit value. The addition
// is a pair of instructions tied by its carry:
//
//	IMAD.WIDE t = a, b, rz
//	IADD3   d[0], p = t[0], x[0], rz
//	IADD3.X d[1]    = t[1], x[1], rz, p, !pt
func (c *Combiner) wide(i *ori.Instr) bool {
	lo, hi, ok := c.Sum64(i)
	if !ok || !c.Undisturbed(lo, hi) {
		return false
	}
	for _, k := range [...]int{2, 3} {
		t0, x0 := lo.Args[k], lo.Args[5-k]
		t1, x1 := hi.Args[k-1], hi.Args[4-k]
		if !IsPair(t0, t1) || !IsPair(x0, x1) {
			continue
		}
		j := c.V.Once(Join(t0))
		// a product that others want too is computed again with each sum: one
		// instruction instead of the two of the addition
		if j == nil || j.Op != op.IMAD || !j.Mods.Has(op.MWIDE) || j.NDst != 1 || j.Guard.Kind != ori.KNone || !IsZero(j.Args[3]) ||
			!c.V.Stable(j.Args[1]) || !c.V.Stable(j.Args[2]) || !c.V.Stable(Join(x0)) {
			continue
		}
		d := lo.Args[0]
		d.N = 2
		c.V.Count(hi, -1)
		c.V.Remove(lo)
		hi.Op, hi.Mods = op.IMAD, j.Mods
		c.F.SetArgs(hi, []ori.Operand{d}, []ori.Operand{j.Args[1], j.Args[2], Join(x0)})
		c.V.Count(hi, 1)
		if c.V.ReadsOf(Join(t0)) == 0 {
			c.V.Remove(j)
		}
		return true
	}
	return false
}

// Sum64 recognises the upper half of a 64-bit addition and returns both.
func (c *Combiner) Sum64(hi *ori.Instr) (lo, up *ori.Instr, ok bool) {
	if hi.Op != op.IADD3 || hi.Mods != op.M(op.MX) || hi.NDst != 1 || len(hi.Args) != 6 || hi.Guard.Kind != ori.KNone || !IsZero(hi.Args[3]) {
		return nil, nil, false
	}
	p := hi.Args[4]
	if p.Kind != ori.KReg || p.Flags != 0 || c.V.ReadsOf(p) != 1 {
		return nil, nil, false
	}
	lo = c.V.Once(p)
	if lo == nil || lo.Op != op.IADD3 || lo.Mods != (op.Mods{}) || lo.NDst != 2 || len(lo.Args) != 5 || lo.Guard.Kind != ori.KNone || !IsZero(lo.Args[4]) || lo.Args[4].Flags != 0 || hi.Args[5].Kind != ori.KZero || hi.Args[5].Flags != ori.Inv {
		return nil, nil, false
	}
	d0, d1 := lo.Args[0], hi.Args[0]
	if d0.Kind != ori.KReg || d1.Kind != ori.KReg || d0.Reg != d1.Reg || d1.Sub != d0.Sub+1 || d0.Sub%2 != 0 || !c.V.Stable(d0) || !c.V.Stable(d1) {
		return nil, nil, false
	}
	return lo, hi, true
}

// IsPair reports whether two operands are the words of one aligned pair,
// without marks.
func IsPair(a, b ori.Operand) bool {
	return a.Kind == ori.KReg && b.Kind == ori.KReg && a.Reg == b.Reg && b.Sub == a.Sub+1 && a.Sub%2 == 0 && a.Flags == 0 && b.Flags == 0
}

func Join(a ori.Operand) ori.Operand {
	a.N = 2
	return a
}

// Settle takes the marks away that only earlier phases read, and predicates of
// asynchronous copies that always hold, for which the machine has no form. It
// runs at every level.
func Settle(f *ori.Func) {
	v, known := f.Recall(ori.FactValues).(*flow.Values)
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Mods.Has(op.MCONTRACT) || i.Mods.Has(op.MPAIRED) {
				i.Mods = i.Mods.Without(op.MCONTRACT).Without(op.MPAIRED)
			}
			if a := leftOut(i); a != nil {
				if known {
					v.CountRead(a, -1)
				}
				f.SetArgs(i, nil, slices.Clone(i.Args[:len(i.Args)-1]))
				changed = true
			}
			if n := len(i.Args) - 1; i.Op == op.LDGSTS && n >= copyRest && i.Args[n] == ori.Zero(ori.P) {
				f.SetArgs(i, nil, slices.Clone(i.Args[:n]))
				changed = true
			}
		}
	}
	if f.Touched(changed) && known { // marks are no matter to what is kept about f
		v.Keep()
	}
}
