package opt

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Combine joins an instruction with the one that computes a source of it,
// where the machine has one operation for both and nobody else wants the
// intermediate result.
func Combine(f *ori.Func) bool {
	c := &combiner{f: f, v: valuesOf(f)}
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
	return f.Touched(changed)
}

type combiner struct {
	f     *ori.Func
	v     *values
	joins []int32 // reads of each predicate that combine it with another; nil until asked for
}

// rules are tried in order on every instruction of their operation.
var rules = [...]struct {
	op    op.Op
	apply func(c *combiner, i *ori.Instr) bool
}{
	{op.IADD3, (*combiner).wide},
	{op.IADD3, (*combiner).extended},
	{op.IADD3, (*combiner).accumulate64},
	{op.IADD3, (*combiner).sum3},
	{op.IADD3, (*combiner).addOfProduct},
	{op.IADD3, (*combiner).addOfShift},
	{op.IADD3, (*combiner).addOfAdd},
	{op.LOP3, (*combiner).logicOfLogic},
	{op.PLOP3, (*combiner).logicOfCompare},
	{op.PLOP3, (*combiner).logicOfTests},
	{op.IADD3, (*combiner).addOfHigh},
}

// inner returns the instruction that computes operand a for i alone, if it
// is an unguarded o whose own sources still hold where i stands.
func (c *combiner) inner(i *ori.Instr, a ori.Operand, o op.Op) *ori.Instr {
	if a.Kind != ori.KReg {
		return nil
	}
	j := c.v.Once(a)
	if j == nil || j.Op != o || j.NDst != 1 || j.Guard.Kind != ori.KNone || c.v.ReadsOf(j.Args[0]) != 1 ||
		j.Args[0].Reg != a.Reg || j.Args[0].Sub != a.Sub || j.Args[0].N != a.N {
		return nil
	}
	for _, s := range j.Srcs() {
		if !c.holds(j, i, s) {
			return nil
		}
	}
	return j
}

// maxDistance bounds how far apart two instructions are looked at.
const maxDistance = 64

// keeps reports whether the register of s is not written between j and i,
// which must stand in one block.
func keeps(j, i *ori.Instr, s ori.Operand) bool {
	n := 0
	for k := j.Next(); k != nil && n < maxDistance; k = k.Next() {
		if k == i {
			return true
		}
		for _, d := range k.Dsts() {
			if d.HasReg() && d.Reg == s.Reg {
				return false
			}
		}
		n++
	}
	return false
}

// holds reports whether s, a source of j, still has the same value at i.
func (c *combiner) holds(j, i *ori.Instr, s ori.Operand) bool {
	return c.v.Stable(s) || keeps(j, i, s)
}

// rewrite gives i a new operation and sources, and removes j.
func (c *combiner) rewrite(i *ori.Instr, o op.Op, m op.Mods, srcs []ori.Operand, gone ...*ori.Instr) {
	c.v.Count(i, -1)
	i.Op, i.Mods = o, m
	dsts := append([]ori.Operand(nil), i.Dsts()...)
	c.f.SetArgs(i, dsts, srcs)
	c.v.Count(i, 1)
	for _, j := range gone {
		c.v.Remove(j)
	}
}

// isAdd reports whether i is a plain addition of at most two words.
func isAdd(i *ori.Instr) bool {
	return i.Op == op.IADD3 && i.Mods == (op.Mods{}) && i.NDst == 1 && len(i.Args) == 4 && isZero(i.Args[3])
}

func isZero(o ori.Operand) bool { return o.Kind == ori.KZero && o.Flags&^ori.Neg == 0 }

// sides calls try with each source of an addition as the inner one.
func sides(i *ori.Instr, try func(in, other ori.Operand) bool) bool {
	return isAdd(i) && (try(i.Args[1], i.Args[2]) || try(i.Args[2], i.Args[1]))
}

// addOfAdd: (a + b) + c becomes one three-way addition.
func (c *combiner) addOfAdd(i *ori.Instr) bool {
	return sides(i, func(in, other ori.Operand) bool {
		if in.Flags != 0 {
			return false
		}
		j := c.inner(i, in, op.IADD3)
		if j == nil || !isAdd(j) || isZero(other) {
			return false
		}
		a, b := j.Args[1], j.Args[2]
		if constants(a, b, other) > 1 { // one immediate fits; two fold elsewhere
			return false
		}
		c.rewrite(i, op.IADD3, op.Mods{}, []ori.Operand{a, b, other}, j)
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
func (c *combiner) addOfProduct(i *ori.Instr) bool {
	return sides(i, func(in, other ori.Operand) bool {
		j := c.inner(i, in, op.IMAD)
		if in.Flags != 0 || j == nil || j.Mods != (op.Mods{}) || len(j.Args) != 4 || !isZero(j.Args[3]) {
			return false
		}
		if constants(j.Args[1], j.Args[2], other) > 1 {
			return false
		}
		c.rewrite(i, op.IMAD, op.Mods{}, []ori.Operand{j.Args[1], j.Args[2], other}, j)
		return true
	})
}

// addOfShift: (a << k) + b.
func (c *combiner) addOfShift(i *ori.Instr) bool {
	return sides(i, func(in, other ori.Operand) bool {
		j := c.inner(i, in, op.SHF)
		if in.Flags != 0 || j == nil || j.Mods != op.M(op.ML, op.MU32) || !isZero(j.Args[3]) || j.Args[2].Kind != ori.KImm {
			return false
		}
		k := j.Args[2].Imm
		if k < 1 || k > 31 || j.Args[1].Kind != ori.KReg || j.Args[1].Flags != 0 || other.Flags != 0 {
			return false
		}
		c.rewrite(i, op.LEA, op.Mods{}, []ori.Operand{j.Args[1], other, ori.Imm(k)}, j)
		return true
	})
}

// addOfHigh: (a >> k) + b, without sign, is the high word of a pair shifted
// left, plus b.
func (c *combiner) addOfHigh(i *ori.Instr) bool {
	return sides(i, func(in, other ori.Operand) bool {
		j := c.inner(i, in, op.SHF)
		if in.Flags != 0 || j == nil || j.Mods != op.M(op.MR, op.MU32, op.MHI) || !isZero(j.Args[1]) || j.Args[2].Kind != ori.KImm {
			return false
		}
		k := j.Args[2].Imm
		if k < 1 || k > 31 || !plain(j.Args[3]) || other.Flags != 0 || isZero(other) {
			return false
		}
		c.rewrite(i, op.LEA, op.M(op.MHI), []ori.Operand{j.Args[3], other, ori.Zero(ori.R), ori.Imm(32 - k)}, j)
		return true
	})
}

// wide: the 64-bit product of two words plus a 64-bit value. The addition
// is a pair of instructions tied by its carry:
//
//	IMAD.WIDE t = a, b, rz
//	IADD3   d[0], p = t[0], x[0], rz
//	IADD3.X d[1]    = t[1], x[1], rz, p, !pt
func (c *combiner) wide(i *ori.Instr) bool {
	lo, hi, ok := c.sum64(i)
	if !ok || !c.undisturbed(lo, hi) {
		return false
	}
	for _, k := range [...]int{2, 3} {
		t0, x0 := lo.Args[k], lo.Args[5-k]
		t1, x1 := hi.Args[k-1], hi.Args[4-k]
		if !isPair(t0, t1) || !isPair(x0, x1) {
			continue
		}
		j := c.v.Once(join(t0))
		// a product that others want too is computed again with each sum: one
		// instruction instead of the two of the addition
		if j == nil || j.Op != op.IMAD || !j.Mods.Has(op.MWIDE) || j.NDst != 1 || j.Guard.Kind != ori.KNone || !isZero(j.Args[3]) ||
			!c.holds(j, hi, j.Args[1]) || !c.holds(j, hi, j.Args[2]) || !c.v.Stable(join(x0)) {
			continue
		}
		d := lo.Args[0]
		d.N = 2
		c.v.Count(hi, -1)
		hi.Op, hi.Mods = op.IMAD, j.Mods
		c.f.SetArgs(hi, []ori.Operand{d}, []ori.Operand{j.Args[1], j.Args[2], join(x0)})
		c.v.Count(hi, 1)
		c.v.Remove(lo)
		if c.v.ReadsOf(join(t0)) == 0 {
			c.v.Remove(j)
		}
		return true
	}
	return false
}

// sum64 recognises the upper half of a 64-bit addition and returns both.
func (c *combiner) sum64(hi *ori.Instr) (lo, up *ori.Instr, ok bool) {
	if hi.Op != op.IADD3 || hi.Mods != op.M(op.MX) || hi.NDst != 1 || len(hi.Args) != 6 || hi.Guard.Kind != ori.KNone || !isZero(hi.Args[3]) {
		return nil, nil, false
	}
	p := hi.Args[4]
	if p.Kind != ori.KReg || p.Flags != 0 || c.v.ReadsOf(p) != 1 {
		return nil, nil, false
	}
	lo = c.v.Once(p)
	if lo == nil || lo.Op != op.IADD3 || lo.Mods != (op.Mods{}) || lo.NDst != 2 || len(lo.Args) != 5 || lo.Guard.Kind != ori.KNone || !isZero(lo.Args[4]) || lo.Args[4].Flags != 0 || hi.Args[5].Kind != ori.KZero || hi.Args[5].Flags != ori.Inv {
		return nil, nil, false
	}
	d0, d1 := lo.Args[0], hi.Args[0]
	if d0.Kind != ori.KReg || d1.Kind != ori.KReg || d0.Reg != d1.Reg || d1.Sub != d0.Sub+1 || d0.Sub%2 != 0 || !c.v.Stable(d0) || !c.v.Stable(d1) {
		return nil, nil, false
	}
	return lo, hi, true
}

// isPair reports whether two operands are the words of one aligned pair,
// without marks.
func isPair(a, b ori.Operand) bool {
	return a.Kind == ori.KReg && b.Kind == ori.KReg && a.Reg == b.Reg && b.Sub == a.Sub+1 && a.Sub%2 == 0 && a.Flags == 0 && b.Flags == 0
}

func join(a ori.Operand) ori.Operand {
	a.N = 2
	return a
}

// Settle takes the marks away that only earlier phases read. It runs at
// every level.
func Settle(f *ori.Func) {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Mods.Has(op.MCONTRACT) {
				i.Mods = i.Mods.Without(op.MCONTRACT)
			}
		}
	}
	f.Touch()
}
