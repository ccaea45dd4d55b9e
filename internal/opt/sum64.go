package opt

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// addOfConstant64: the sum of a pair of words and a constant that only grows by
// another one is one sum. Turns that were written out advance their pointers so, and
// the accesses in between have taken the constants as offsets.
//
//	IADD3   t[0], p = x[0], 0x10, rz            IADD3   d[0], q = x[0], 0x20, rz
//	IADD3.X t[1]    = x[1], rz, rz, p, !pt      IADD3.X d[1]    = x[1], rz, rz, q, !pt
//	IADD3   d[0], q = t[0], 0x10, rz
//	IADD3.X d[1]    = t[1], rz, rz, q, !pt
func (c *Combiner) addOfConstant64(i *ori.Instr) bool {
	outer, ok := c.plus64(i)
	if !ok || c.V.ReadsOf(outer.x[0]) != 1 || c.V.ReadsOf(outer.x[1]) != 1 {
		return false
	}
	j := c.V.Once(outer.x[1])
	if j == nil || j.Op != op.IADD3 {
		return false
	}
	inner, ok := c.plus64(j)
	if !ok || inner.lo.Args[0] != outer.x[0] || inner.up.Args[0] != outer.x[1] {
		return false
	}
	k := outer.k + inner.k
	c.rewriteTo(outer.lo, op.IADD3, op.Mods{}, outer.lo.Dsts(), []ori.Operand{inner.x[0], Word(uint32(k)), ori.Zero(ori.R)})
	carries := outer.up.Args[4:6]
	c.rewriteTo(outer.up, op.IADD3, op.M(op.MX), outer.up.Dsts(), []ori.Operand{inner.x[1], Word(uint32(k >> 32)), ori.Zero(ori.R), carries[0], carries[1]})
	c.V.Remove(inner.up)
	c.V.Remove(inner.lo)
	return true
}

// plus is a pair of words plus a constant, and the two instructions that add it.
type plus struct {
	lo, up *ori.Instr
	x      [2]ori.Operand
	k      uint64
}

// plus64 takes apart the sum of which i makes the upper word.
func (c *Combiner) plus64(i *ori.Instr) (s plus, ok bool) {
	lo, up, ok := c.Sum64(i)
	if !ok {
		return s, false
	}
	for n := 2; n <= 3; n++ {
		low, ok0 := ConstantOf(lo.Args[n])
		high, ok1 := ConstantOf(up.Args[n-1])
		x := [2]ori.Operand{lo.Args[5-n], up.Args[4-n]}
		if ok0 && ok1 && lo.Args[n].Flags|up.Args[n-1].Flags == 0 && IsPair(x[0], x[1]) && Plain(x[0]) && Plain(x[1]) && c.V.Stable(x[0]) && c.V.Stable(x[1]) {
			return plus{lo, up, x, uint64(high)<<32 | uint64(low)}, true
		}
	}
	return s, false
}
