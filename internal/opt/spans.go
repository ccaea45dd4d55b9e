package opt

import (
	"math"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Divisions test whether their divisor is so large or so small that both sides
// must be scaled. Divisors are often 1 + 2^x or 1 + x·x, a number of elements
// that predicates choose, or what a bound was put under: they are neither.

// span is where a value of single precision lies: between two numbers,
// infinities included, and whether it may be no number.
type span struct {
	lo, hi float64
	nan    bool
}

var anything = span{math.Inf(-1), math.Inf(1), true}

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
	is, known := c.spanOf(srcs[0], &visits).compare(i.Mods, bound)
	switch {
	case !known:
		return false
	case is:
		return c.accumulate(i, ori.Zero(ori.P))
	}
	return c.accumulate(i, ori.Zero(ori.P).Not())
}

// orders are the comparisons: whether they hold for numbers that are less,
// equal and more, and for what is no number.
var orders = [...]struct {
	mod                   op.Mod
	less, equal, more, no bool
}{
	{op.MLT, true, false, false, false},
	{op.MLE, true, true, false, false},
	{op.MEQ, false, true, false, false},
	{op.MNE, true, false, true, false},
	{op.MGE, false, true, true, false},
	{op.MGT, false, false, true, false},
	{op.MLTU, true, false, false, true},
	{op.MLEU, true, true, false, true},
	{op.MEQU, false, true, false, true},
	{op.MNEU, true, false, true, true},
	{op.MGEU, false, true, true, true},
	{op.MGTU, false, false, true, true},
}

// compare says how a comparison of what lies in s with a number comes out, if
// it does so one way.
func (s span) compare(m op.Mods, with float64) (is, known bool) {
	for _, o := range orders {
		if !m.Has(o.mod) {
			continue
		}
		yes, no := false, false
		for _, x := range [...]struct{ may, is bool }{
			{s.lo < with, o.less},
			{s.lo <= with && with <= s.hi, o.equal},
			{s.hi > with, o.more},
			{s.nan, o.no},
		} {
			yes, no = yes || x.may && x.is, no || x.may && !x.is
		}
		return yes, yes != no
	}
	return false, false
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
	return x, o.Flags == 0 && !math.IsNaN(x) && !math.IsInf(x, 0) && (x == 0 || math.Abs(x) >= smallest)
}

// smallest is the least positive number that no operation takes for zero.
const smallest = 0x1p-126

// spanVisits is how many instructions are looked at for one comparison.
const spanVisits = 32

// spanOf returns where what an operand means lies.
func (c *Combiner) spanOf(o ori.Operand, visits *int) span {
	marks := o.Flags
	o.Flags = 0
	s := anything
	if x, ok := number(o); ok {
		s = span{x, x, false}
	} else if Plain(o) && *visits > 0 {
		*visits--
		if j := c.V.Writer(o); j != nil && j.NDst == 1 {
			s = c.spanFrom(j, visits)
			if j.Guard.Kind != ori.KNone {
				if len(j.Old) != 1 {
					return anything
				}
				s = s.or(c.spanOf(j.Old[0], visits))
			}
		}
	}
	return s.marked(marks).flushed()
}

// spanFrom returns where the result of an operation lies.
func (c *Combiner) spanFrom(j *ori.Instr, visits *int) span {
	s := j.Srcs()
	at := func(n int) span { return c.spanOf(s[n], visits) }
	switch {
	case (j.Op == op.COPY || j.Op == op.MOV) && len(s) == 1:
		return at(0)
	case (j.Op == op.FSEL || j.Op == op.SEL && s[0].Flags|s[1].Flags == 0) && len(s) == 3:
		return at(0).or(at(1))
	case j.Op == op.MUFU && j.Mods == op.M(op.MEX2):
		return span{0, math.Inf(1), true}
	case j.Op == op.I2FP && j.Mods.Has(op.MU32):
		return span{0, 0x1p32, false}
	case j.Op == op.I2FP && j.Mods.Has(op.MS32):
		return span{-0x1p31, 0x1p31, false}
	case !roundsOnce(j.Mods):
		return anything
	case j.Op == op.FADD && len(s) == 2:
		return at(0).plus(at(1))
	case j.Op == op.FMUL && len(s) == 2:
		return c.product(s, visits)
	case j.Op == op.FFMA && len(s) == 3:
		return c.product(s, visits).plus(at(2))
	case j.Op == op.FMNMX && len(s) == 3 && s[2].Kind == ori.KZero:
		return at(0).extreme(at(1), s[2].Flags == 0)
	}
	return anything
}

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

// product returns where the product of the first two operands lies.
func (c *Combiner) product(s []ori.Operand, visits *int) span {
	a := c.spanOf(s[0], visits)
	if s[0] == s[1] {
		return a.square()
	}
	return a.times(c.spanOf(s[1], visits))
}

// square returns where the product of a value with itself lies.
func (s span) square() span {
	s = s.marked(ori.Abs)
	return span{s.lo * s.lo, s.hi * s.hi, s.nan}.rounded()
}

// times returns where the product of two values lies, rounded or not: it may
// become a part of a sum.
func (s span) times(t span) span {
	r := span{math.Inf(1), math.Inf(-1), s.nan || t.nan || s.zero() && t.infinite() || t.zero() && s.infinite()}
	for _, x := range [...]float64{s.lo * t.lo, s.lo * t.hi, s.hi * t.lo, s.hi * t.hi} {
		if math.IsNaN(x) { // 0·∞, beside which lie products with zero
			x = 0
		}
		r.lo, r.hi = min(r.lo, x), max(r.hi, x)
	}
	return r.rounded()
}

func (s span) zero() bool { return s.lo <= 0 && 0 <= s.hi }

func (s span) infinite() bool { return math.IsInf(s.lo, 0) || math.IsInf(s.hi, 0) }

// plus returns where the sum of two values lies.
func (s span) plus(t span) span {
	r := span{s.lo + t.lo, s.hi + t.hi, s.nan || t.nan}
	if math.IsInf(s.lo, -1) && math.IsInf(t.hi, 1) || math.IsInf(s.hi, 1) && math.IsInf(t.lo, -1) {
		r.nan = true
	}
	if math.IsNaN(r.lo) || math.IsNaN(r.hi) {
		return anything
	}
	return r.rounded()
}

// extreme returns where the less or the larger of two values lies; one that is
// no number is not taken.
func (s span) extreme(t span, least bool) span {
	r := span{max(s.lo, t.lo), max(s.hi, t.hi), s.nan && t.nan}
	if least {
		r.lo, r.hi = min(s.lo, t.lo), min(s.hi, t.hi)
	}
	if s.nan {
		r.lo, r.hi = min(r.lo, t.lo), max(r.hi, t.hi)
	}
	if t.nan {
		r.lo, r.hi = min(r.lo, s.lo), max(r.hi, s.hi)
	}
	return r
}

// or returns where a value lies that is the one or the other.
func (s span) or(t span) span {
	return span{min(s.lo, t.lo), max(s.hi, t.hi), s.nan || t.nan}
}

// marked returns where the magnitude and then the opposite lie.
func (s span) marked(m ori.Flags) span {
	if m&^(ori.Abs|ori.Neg) != 0 {
		return anything
	}
	if m&ori.Abs != 0 {
		switch {
		case s.hi < 0:
			s.lo, s.hi = -s.hi, -s.lo
		case s.lo < 0:
			s.lo, s.hi = 0, max(-s.lo, s.hi)
		}
	}
	if m&ori.Neg != 0 {
		s.lo, s.hi = -s.hi, -s.lo
	}
	return s
}

// flushed also has zero where what lies beside it may be taken for it.
func (s span) flushed() span {
	if 0 < s.lo && s.lo < smallest {
		s.lo = 0
	}
	if -smallest < s.hi && s.hi < 0 {
		s.hi = 0
	}
	return s
}

// rounded adds what single precision makes of the bounds, one step further
// where that is not they themselves, since they may have been rounded before.
// Nothing rounds to the other side of zero.
func (s span) rounded() span {
	if x := float32(s.lo); float64(x) != s.lo {
		down := float64(math.Nextafter32(x, float32(math.Inf(-1))))
		s.lo = min(s.lo, down)
		if x >= 0 && !math.Signbit(float64(x)) {
			s.lo = max(s.lo, 0)
		}
	}
	if x := float32(s.hi); float64(x) != s.hi {
		up := float64(math.Nextafter32(x, float32(math.Inf(1))))
		s.hi = max(s.hi, up)
		if math.Signbit(float64(x)) {
			s.hi = min(s.hi, 0)
		}
	}
	return s.flushed()
}
