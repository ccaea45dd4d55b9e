package opt

import (
	"math"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Divisions test whether their divisor is so small that both sides must be
// scaled. Divisors are often 1 + 2^x, or 1 + x·x: they are not.

// neverBelow: what is at least as large as a positive constant, or no number,
// is not below it.
func (c *Combiner) neverBelow(i *ori.Instr) bool {
	srcs := i.Srcs()
	if i.NDst != 1 || len(srcs) != 3 || i.Guard.Kind != ori.KNone || !i.Mods.Has(op.MLT) || srcs[0].Flags&^ori.Abs != 0 {
		return false
	}
	bound, ok := number(srcs[1])
	if !ok || bound < 0x1p-126 || !c.atLeast(srcs[0], bound) {
		return false
	}
	return c.accumulate(i, ori.Zero(ori.P).Not())
}

// number returns the single-precision number that an operand is.
func number(o ori.Operand) (float32, bool) {
	if o.Kind != ori.KImm || o.Flags != 0 {
		return 0, false
	}
	x := math.Float32frombits(uint32(o.Imm))
	return x, !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0)
}

// atLeast reports whether o is a sum of a constant that is no smaller than a
// bound and something that is not negative.
func (c *Combiner) atLeast(o ori.Operand, bound float32) bool {
	o.Flags = 0
	if !Plain(o) {
		return false
	}
	j := c.V.Once(o)
	if j == nil || j.Guard.Kind != ori.KNone || j.NDst != 1 || !roundsOnce(j.Mods) {
		return false
	}
	s := j.Srcs()
	large := func(o ori.Operand) bool {
		x, ok := number(o)
		return ok && x >= bound
	}
	switch {
	case j.Op == op.FADD && len(s) == 2:
		return large(s[0]) && c.notNegative(s[1], floorDepth) || large(s[1]) && c.notNegative(s[0], floorDepth)
	case j.Op == op.FFMA && len(s) == 3:
		return large(s[2]) && s[0] == s[1]
	}
	return false
}

// floorDepth is how many instructions back signs are looked for.
const floorDepth = 4

// roundsOnce reports whether an operation does no more than to compute and
// round: a sum is then no smaller than its smallest part.
func roundsOnce(m op.Mods) bool {
	for _, x := range m {
		if x != op.NoMod && x != op.MCONTRACT && x != op.MFTZ {
			return false
		}
	}
	return true
}

// notNegative reports whether o is no number below zero.
func (c *Combiner) notNegative(o ori.Operand, depth int) bool {
	if o.Kind == ori.KReg && o.Flags == ori.Abs {
		return true
	}
	if depth == 0 || !Plain(o) {
		return false
	}
	j := c.V.Writer(o)
	if j == nil || j.NDst != 1 || j.Guard.Kind != ori.KNone && (len(j.Old) != 1 || !c.notNegative(j.Old[0], depth-1)) {
		return false
	}
	s := j.Srcs()
	switch {
	case j.Op == op.MUFU:
		return j.Mods == op.M(op.MEX2)
	case j.Op == op.FMUL && len(s) == 2 && roundsOnce(j.Mods):
		return s[0] == s[1] || c.notNegative(s[0], depth-1) && c.notNegative(s[1], depth-1)
	}
	return false
}
