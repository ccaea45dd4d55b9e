package opt

import (
	"math"

	"github.com/goptxas/goptxas/internal/opt/span"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Divisions test whether their divisor is so large or so small that both sides
// must be scaled. Divisors are often 1 + 2^x or 1 + x·x, a number of elements
// that predicates choose, or what a bound was put under: they are neither.

// knownOrder: a comparison with a constant that comes out the same wherever in
// its span a value lies.
func (c *Combiner) knownOrder(i *ori.Instr) bool {
	srcs := i.Srcs()
	if i.NDst != 1 || len(srcs) != 3 || i.Guard.Kind != ori.KNone {
		return false
	}
	bound, ok := number(srcs[1])
	if !ok || srcs[0].Kind != ori.KReg {
		return false
	}
	visits := spanVisits
	is, known := c.spanOf(srcs[0], &visits).Compare(i.Mods, bound)
	switch {
	case !known:
		return false
	case is:
		return c.accumulate(i, ori.Zero(ori.P))
	}
	return c.accumulate(i, ori.Zero(ori.P).Not())
}

// number returns the single-precision number that an operand is.
func number(o ori.Operand) (float64, bool) {
	x := 0.0
	switch o.Kind {
	case ori.KZero:
	case ori.KImm:
		x = float64(math.Float32frombits(uint32(o.Imm)))
	default:
		return 0, false
	}
	return x, o.Flags == 0 && !math.IsNaN(x) && !math.IsInf(x, 0) && (x == 0 || math.Abs(x) >= span.Smallest)
}

// spanVisits is how many instructions are looked at for one comparison.
const spanVisits = 32

// spanOf returns where what an operand means lies.
func (c *Combiner) spanOf(o ori.Operand, visits *int) span.Span {
	marks := o.Flags
	o.Flags = 0
	s := span.Anything
	if x, ok := number(o); ok {
		s = span.Span{Lo: x, Hi: x, No: false}
	} else if Plain(o) && *visits > 0 {
		*visits--
		if j := c.V.Writer(o); j != nil && j.NDst == 1 {
			s = c.spanFrom(j, visits)
			if j.Guard.Kind != ori.KNone {
				if len(j.Old) != 1 {
					return span.Anything
				}
				s = s.Or(c.spanOf(j.Old[0], visits))
			}
		}
	}
	return s.Marked(marks).Flushed()
}

// spanFrom returns where the result of an operation lies.
func (c *Combiner) spanFrom(j *ori.Instr, visits *int) span.Span {
	s := j.Srcs()
	at := func(n int) span.Span { return c.spanOf(s[n], visits) }
	switch {
	case (j.Op == op.COPY || j.Op == op.MOV) && len(s) == 1:
		return at(0)
	case (j.Op == op.FSEL || j.Op == op.SEL && s[0].Flags|s[1].Flags == 0) && len(s) == 3:
		return at(0).Or(at(1))
	case j.Op == op.MUFU && j.Mods == op.M(op.MEX2):
		return span.Span{Lo: 0, Hi: math.Inf(1), No: true}
	case j.Op == op.I2FP && j.Mods.Has(op.MU32):
		return span.Span{Lo: 0, Hi: 0x1p32, No: false}
	case j.Op == op.I2FP && j.Mods.Has(op.MS32):
		return span.Span{Lo: -0x1p31, Hi: 0x1p31, No: false}
	case !roundsOnce(j.Mods):
		return span.Anything
	case j.Op == op.FADD && len(s) == 2:
		return at(0).Plus(at(1))
	case j.Op == op.FMUL && len(s) == 2:
		return c.product(s, visits)
	case j.Op == op.FFMA && len(s) == 3:
		return c.product(s, visits).Plus(at(2))
	case j.Op == op.FMNMX && len(s) == 3 && s[2].Kind == ori.KZero:
		return at(0).Extreme(at(1), s[2].Flags == 0)
	}
	return span.Anything
}

// roundsOnce reports whether an operation does no more than to compute and
// round: a sum is then no smaller than its span.Smallest part.
func roundsOnce(m op.Mods) bool {
	for _, x := range m {
		if x != op.NoMod && x != op.MCONTRACT && x != op.MFTZ {
			return false
		}
	}
	return true
}

// product returns where the product of the first two operands lies.
func (c *Combiner) product(s []ori.Operand, visits *int) span.Span {
	a := c.spanOf(s[0], visits)
	if s[0] == s[1] {
		return a.Square()
	}
	return a.Times(c.spanOf(s[1], visits))
}
