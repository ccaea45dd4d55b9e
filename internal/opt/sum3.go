package opt

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// sum3: a 64-bit sum of a sum is one of three values, with two carries:
//
//	IADD3   t[0], p = a[0], b[0], rz         IADD3   d[0], p, q = a[0], b[0], c[0]
//	IADD3.X t[1]    = a[1], b[1], rz, p      IADD3.X d[1]       = a[1], b[1], c[1], p, q
//	IADD3   d[0], q = t[0], c[0], rz
//	IADD3.X d[1]    = t[1], c[1], rz, q
func (c *Combiner) sum3(hi *ori.Instr) bool {
	lo, ok := c.carryPair(hi)
	if !ok {
		return false
	}
	for _, k := range [...]int{2, 3} {
		t0, t1 := lo.Args[k], hi.Args[k-1]
		x0, x1 := lo.Args[5-k], hi.Args[4-k]
		if !Plain(t0) || !Plain(t1) || c.V.ReadsOf(t0) != 1 || c.V.ReadsOf(t1) != 1 || !Plain(x0) || !Plain(x1) {
			continue
		}
		up := c.V.Once(t1)
		if up == nil || up == hi || up.Op != op.IADD3 {
			continue
		}
		low, ok := c.carryPair(up)
		if !ok || low.Args[0] != t0 || !c.lasting(low.Args[2], low.Args[3], up.Args[1], up.Args[2]) || !registers(low.Args[2], low.Args[3], up.Args[1], up.Args[2]) {
			continue
		}
		p, q := low.Args[1], lo.Args[1]
		for _, j := range [...]*ori.Instr{lo, hi, low, up} {
			c.V.Count(j, -1)
		}
		c.F.SetArgs(lo, []ori.Operand{lo.Args[0], p, q}, []ori.Operand{low.Args[2], low.Args[3], x0})
		c.F.SetArgs(hi, []ori.Operand{hi.Args[0]}, []ori.Operand{up.Args[1], up.Args[2], x1, p, q})
		c.V.Count(lo, 1)
		c.V.Count(hi, 1)
		low.Remove()
		up.Remove()
		return true
	}
	return false
}

// registers reports whether operands are words of registers without marks.
func registers(list ...ori.Operand) bool {
	for _, a := range list {
		if !Plain(a) {
			return false
		}
	}
	return true
}
