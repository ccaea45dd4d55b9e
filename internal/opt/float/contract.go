package float

import (
	"math"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Contract makes one operation with one rounding of a product and a sum,
// where PTX did not ask for two roundings: the lowering marks both with
// .CONTRACT. Which pairs become one decides the last bit of results, so the
// rules are the reference's, measured with small programs: nothing between
// the two splits the flow of control, or a factor is a constant; every reader
// of the product is such a sum, none of them reads it twice, and of two
// products the one with fewer readers is taken, of equal ones the first.
// Products with one reader come before all others. What a sum only adds to
// another product is needed as it is: no further sum takes it in.
// It comes before equal products are shared and loops unrolled.
func Contract(f *ori.Func) bool {
	c := &contractor{Combiner: opt.Combiner{F: f, V: opt.ValuesOf(f)}}
	c.sums = pool.Make[int32](c.F.Scratch(), len(c.V.Words))
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if isSum(i) {
				c.count(i)
			}
		}
	}
	changed := false
	for _, most := range [...]int32{1, math.MaxInt32} {
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				if isSum(i) && f.Should("contract", i) && c.fuse(i, most) {
					changed = true
				}
			}
		}
	}
	return f.Touched(changed)
}

type contractor struct {
	opt.Combiner
	sums  []int32 // reads of each word by sums that may take it in
	dom   *flow.Dom
	place []int32        // of each instruction in the text
	defs  [][]*ori.Instr // writers of each register
}

// isSum reports whether i is a sum that may take in a product.
func isSum(i *ori.Instr) bool {
	return (i.Op == op.FADD || i.Op == op.DADD || i.Op == op.HADD2) && i.Mods.Has(op.MCONTRACT) && i.NDst == 1 && len(i.Args) == 3
}

// count notes the reads of a sum.
func (c *contractor) count(i *ori.Instr) {
	a, b := i.Args[1], i.Args[2]
	if a.Kind == ori.KReg && b.Kind == ori.KReg && c.V.WordOf(a) == c.V.WordOf(b) {
		return
	}
	for _, s := range i.Srcs() {
		if d := c.V.Once(s); s.Kind == ori.KReg && s.Flags&^(ori.Neg|ori.H0) == 0 && d != nil && c.near(d, i) {
			c.sums[c.V.WordOf(s)]++
		}
	}
}

// near reports whether the place of a product allows it to become part of
// the sum i.
func (c *contractor) near(j, i *ori.Instr) bool {
	return c.F.Together(j.Line, i.Line) || len(j.Args) == 3 && (c.fixed(j.Args[1]) || c.fixed(j.Args[2]))
}

// fixed reports whether an operand is a constant of the program or of the
// launch.
func (c *contractor) fixed(o ori.Operand) bool {
	if o.Kind != ori.KReg {
		return true
	}
	for k := range max(1, o.N) {
		w := o
		w.Sub, w.N = o.Sub+k, 1
		d := c.V.Once(w)
		if d == nil || d.Guard.Kind != ori.KNone || len(d.Args) != 2 || d.Op != op.LDC && d.Op != op.ULDC && d.Op != op.MOV && d.Op != op.COPY || d.Args[1].HasReg() {
			return false
		}
	}
	return true
}

// fusions are the operations of each kind of number.
var fusions = [...]struct{ add, mul, fma op.Op }{
	{op.FADD, op.FMUL, op.FFMA}, {op.DADD, op.DMUL, op.DFMA}, {op.HADD2, op.HMUL2, op.HFMA2},
}

// fuse takes a source of a sum that is a product with at most that many
// readers into it.
func (c *contractor) fuse(i *ori.Instr, most int32) bool {
	for _, k := range &fusions {
		if k.add != i.Op {
			continue
		}
		var j *ori.Instr
		at, least := 0, most
		for n := 1; n <= 2; n++ {
			p := c.product(i, i.Args[n], k.mul)
			if p == nil || i.Args[3-n].Flags&ori.Abs != 0 {
				continue
			}
			if r := int32(c.V.ReadsOf(p.Args[0])); r < least || j == nil && r == least {
				j, at, least = p, n, r
			}
		}
		if j == nil {
			return false
		}
		in, other, a := i.Args[at], i.Args[3-at], j.Args[1]
		if in.Flags&ori.Neg != 0 {
			a = negateFloat(a)
		}
		c.sums[c.V.WordOf(in)]--
		if other.Kind == ori.KReg {
			c.sums[c.V.WordOf(other)]--
		}
		c.Rewrite(i, k.fma, i.Mods.Without(op.MCONTRACT), []ori.Operand{a, j.Args[2], other})
		if c.V.ReadsOf(j.Args[0]) == 0 {
			c.V.Remove(j)
		}
		return true
	}
	return false
}

// product returns the multiplication that source a of the sum i comes from,
// if the two may become one.
func (c *contractor) product(i *ori.Instr, a ori.Operand, mul op.Op) *ori.Instr {
	if a.Kind != ori.KReg || a.Flags&^(ori.Neg|ori.H0) != 0 {
		return nil
	}
	j := c.V.Once(a)
	if j == nil || j.Op != mul || j.NDst != 1 || len(j.Args) != 3 || j.Guard.Kind != ori.KNone || !c.near(j, i) {
		return nil
	}
	d := j.Args[0]
	if !j.Mods.Has(op.MCONTRACT) || j.Mods != i.Mods.Without(op.MSAT) || d.Reg != a.Reg || d.Sub != a.Sub || d.N != a.N ||
		(j.Args[1].Flags|j.Args[2].Flags)&ori.Abs != 0 || a.Flags&ori.H0&^(j.Args[1].Flags&j.Args[2].Flags) != 0 {
		return nil
	}
	if c.sums[c.V.WordOf(d)] != c.V.ReadsOf(d) {
		return nil
	}
	for _, s := range j.Srcs() {
		if !c.V.Stable(s) && !c.lasts(j, i, s) {
			return nil
		}
	}
	return j
}

// lasts reports whether s, a source of j that is written in several places,
// has the same value at i: if all of them come before j and j before i, a
// path from one of them to i leads through j.
func (c *contractor) lasts(j, i *ori.Instr, s ori.Operand) bool {
	if c.F.Regs[s.Reg].Fixed {
		return false
	}
	if c.dom == nil {
		c.look()
	}
	for _, d := range c.defs[s.Reg] {
		if !c.before(d, j) {
			return false
		}
	}
	return c.before(j, i)
}

// look finds the order of instructions and the writers of every register.
func (c *contractor) look() {
	c.dom = flow.DomOf(c.F)
	c.place = pool.Make[int32](c.F.Scratch(), c.F.NumInstrs())
	c.defs = make([][]*ori.Instr, len(c.F.Regs))
	n := int32(0)
	for _, b := range c.F.Blocks {
		for i := range b.Instrs {
			c.place[i.ID] = n
			n++
			for _, d := range i.Dsts() {
				if d.HasReg() {
					c.defs[d.Reg] = append(c.defs[d.Reg], i)
				}
			}
		}
	}
}

// before reports whether every path to b leads through a.
func (c *contractor) before(a, b *ori.Instr) bool {
	if a.Block() == b.Block() {
		return c.place[a.ID] < c.place[b.ID]
	}
	return c.dom.Dominates(a.Block(), b.Block())
}

func negateFloat(o ori.Operand) ori.Operand {
	if o.Kind == ori.KImm {
		return ori.Imm32(uint32(o.Imm) ^ 1<<31)
	}
	o.Flags ^= ori.Neg
	return o
}
