package loop

import (
	"math"
	"math/bits"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Arithmetic of single precision on constants. What is not a number, and
// results that may have been flushed to zero before or after they were
// rounded, are left to the machine.

// leastNormal are the bits of the smallest number that is not flushed.
const leastNormal = 0x00800000

// float returns a source of single precision with its marks applied, and with
// denormals flushed if ftz is set.
func (e *evaluator) float(a ori.Operand, ftz bool) (v float32, ok bool) {
	flags := a.Flags
	a.Flags = 0
	w, ok := e.word(a)
	if !ok || a.Class == ori.P || flags&^(ori.Neg|ori.Abs) != 0 {
		return 0, false
	}
	if ftz && w&^(1<<31) < leastNormal {
		w &= 1 << 31
	}
	if flags&ori.Abs != 0 {
		w &^= 1 << 31
	}
	if flags&ori.Neg != 0 {
		w ^= 1 << 31
	}
	v = math.Float32frombits(w)
	return v, !math.IsNaN(float64(v))
}

// rounded returns the bits of a result, if it is a number and nobody asks
// whether it was too small before it was rounded.
func rounded(x float32, ftz bool) (v [2]uint32, ok bool) {
	v[0] = math.Float32bits(x)
	size := v[0] &^ (1 << 31)
	return v, !math.IsNaN(float64(x)) && (!ftz || size == 0 || size > leastNormal)
}

// plainFloat reports whether i rounds to the nearest and does not saturate.
func plainFloat(i *ori.Instr) (ftz, ok bool) {
	for _, m := range i.Mods {
		switch m {
		case op.NoMod, op.MCONTRACT, op.MPAIRED:
		case op.MFTZ:
			ftz = true
		default:
			return false, false
		}
	}
	return ftz, i.NDst == 1
}

// floats evaluates n sources and computes their result.
func (e *evaluator) floats(i *ori.Instr, n int, compute func(a, b, c float32) (float32, bool)) (v [2]uint32, ok bool) {
	ftz, ok := plainFloat(i)
	if !ok || len(i.Srcs()) != n {
		return v, false
	}
	var in [3]float32
	for k, s := range i.Srcs() {
		if in[k], ok = e.float(s, ftz); !ok {
			return v, false
		}
	}
	x, ok := compute(in[0], in[1], in[2])
	if !ok {
		return v, false
	}
	return rounded(x, ftz)
}

func (e *evaluator) floatSum(i *ori.Instr) ([2]uint32, bool) {
	return e.floats(i, 2, func(a, b, _ float32) (float32, bool) { return a + b, true })
}

func (e *evaluator) floatProduct(i *ori.Instr) ([2]uint32, bool) {
	return e.floats(i, 2, func(a, b, _ float32) (float32, bool) { return a * b, true })
}

// fused: the product has twice as many bits in double precision; its sum is
// rounded once if it is exact there.
func (e *evaluator) fused(i *ori.Instr) ([2]uint32, bool) {
	return e.floats(i, 3, func(a, b, c float32) (float32, bool) {
		p, s := float64(a)*float64(b), float64(c)
		sum := p + s
		t := sum - p
		return float32(sum), (p-(sum-t))+(s-t) == 0
	})
}

// function: what every machine gives exactly, powers of two of 0 and
// reciprocals of powers of two. Anything else is left to the unit.
func (e *evaluator) function(i *ori.Instr) (v [2]uint32, ok bool) {
	if i.NDst != 1 || len(i.Args) != 2 {
		return v, false
	}
	x, ok := e.float(i.Args[1], false)
	switch i.Mods {
	case op.M(op.MEX2):
		v[0] = math.Float32bits(1)
		return v, ok && x == 0
	case op.M(op.MRCP):
		m, exp := math.Frexp(float64(x))
		v[0] = math.Float32bits(1 / x)
		return v, ok && math.Abs(m) == 0.5 && -100 < exp && exp < 100
	}
	return v, false
}

// toFloat: an integer, rounded to the nearest.
func (e *evaluator) toFloat(i *ori.Instr) (v [2]uint32, ok bool) {
	if i.NDst != 1 || len(i.Args) != 2 || i.Args[1].Flags != 0 {
		return v, false
	}
	x, ok := e.word(i.Args[1])
	if !ok {
		return v, false
	}
	switch i.Mods {
	case op.M(op.MF32, op.MU32):
		v[0] = math.Float32bits(float32(x))
	case op.M(op.MF32, op.MS32):
		v[0] = math.Float32bits(float32(int32(x)))
	default:
		return v, false
	}
	return v, true
}

// fromInteger: the single nearest to an integer of two words, and the half that
// is an integer exactly.
func (e *evaluator) fromInteger(i *ori.Instr) (v [2]uint32, ok bool) {
	if i.NDst != 1 || len(i.Args) != 2 || i.Args[0].N > 1 {
		return v, false
	}
	for k := range halfFormats {
		if h := &halfFormats[k]; i.Mods.Has(h.mod) {
			m := i.Mods.Without(h.mod)
			x, ok := e.integer(i.Args[1], m)
			if !ok || x < -h.exact || x > h.exact || x < 0 && m.Has(op.MU64) {
				return v, false
			}
			v[0] = h.bits(x)
			return v, true
		}
	}
	if i.Args[1].N != 2 {
		return v, false
	}
	x, ok := e.integer(i.Args[1], i.Mods)
	v[0] = math.Float32bits(float32(x))
	if i.Mods.Has(op.MU64) {
		v[0] = math.Float32bits(float32(uint64(x)))
	}
	return v, ok
}

// integer returns a source of one word or two as modifiers say it is read, of
// unsigned ones of two words the bits.
func (e *evaluator) integer(a ori.Operand, m op.Mods) (x int64, ok bool) {
	switch m {
	case op.Mods{}, op.M(op.MU32):
		w, ok := e.word(a)
		if m.Has(op.MU32) {
			return int64(w), ok
		}
		return int64(int32(w)), ok
	case op.M(op.MU64), op.M(op.MS64):
		if a.Kind != ori.KReg || a.N != 2 || a.Flags != 0 {
			return 0, false
		}
		low, ok := e.look(a.Reg, a.Sub)
		high, okHigh := e.look(a.Reg, a.Sub+1)
		return int64(uint64(high)<<32 | uint64(low)), ok && okHigh
	}
	return 0, false
}

// halfFormat is a format of sixteen bits.
type halfFormat struct {
	mod   op.Mod
	exact int64 // up to which it has all integers
	at    int   // of its exponent
	bias  int
}

var halfFormats = [...]halfFormat{
	{op.MF16, 1 << 11, 10, 15},
	{op.MBF16, 1 << 8, 7, 127},
}

// bits returns an integer that the format has.
func (h *halfFormat) bits(x int64) uint32 {
	if x == 0 {
		return 0
	}
	sign := uint32(0)
	if x < 0 {
		sign, x = 1<<15, -x
	}
	exp := bits.Len64(uint64(x)) - 1
	return sign | uint32(exp+h.bias)<<h.at | uint32(x<<h.at>>exp)&(1<<h.at-1)
}

// widen: a half in single precision, which is exact.
func (e *evaluator) widen(i *ori.Instr) (v [2]uint32, ok bool) {
	s := i.Srcs()
	if i.NDst != 1 || len(s) != 2 || i.Mods != op.M(op.MF32) || s[0].Kind != ori.KZero || s[0].Flags != ori.Neg || s[1].Flags&^(ori.H0|ori.H1) != 0 {
		return v, false
	}
	x := s[1]
	x.Flags = 0
	w, ok := e.word(x)
	if s[1].Flags&ori.H1 != 0 {
		w >>= 16
	}
	exp, frac := int(w>>10&0x1f), w&0x3ff
	if !ok || exp == 0x1f {
		return v, false
	}
	if exp > 0 {
		frac, exp = frac|0x400, exp-1
	}
	v[0] = math.Float32bits(float32(math.Ldexp(float64(frac), exp-24))) | w<<16&(1<<31)
	return v, true
}

// compareFloats: numbers, and a predicate that is joined with the outcome.
func (e *evaluator) compareFloats(i *ori.Instr) (v [2]uint32, ok bool) {
	s := i.Srcs()
	if i.NDst != 1 || len(s) != 3 {
		return v, false
	}
	ftz := i.Mods.Has(op.MFTZ)
	a, okA := e.float(s[0], ftz)
	b, okB := e.float(s[1], ftz)
	with, okP := e.word(s[2])
	lut, okL := opt.Combining(i.Mods)
	if !okA || !okB || !okP || !okL {
		return v, false
	}
	holds, ok := opt.OutcomeOfFloats(i.Mods, a, b)
	at := with << 2
	if holds {
		at |= 2
	}
	v[0] = uint32(lut >> at & 1)
	return v, ok
}

// choose: the smaller of two words, or the larger one if the predicate does not hold.
func (e *evaluator) choose(i *ori.Instr) (v [2]uint32, ok bool) {
	s := i.Srcs()
	if i.NDst != 1 || len(s) != 3 || i.Mods != (op.Mods{}) && i.Mods != op.M(op.MU32) {
		return v, false
	}
	var in [3]uint32
	for k := range s {
		if in[k], ok = e.word(s[k]); !ok {
			return v, false
		}
	}
	less := int32(in[0]) < int32(in[1])
	if i.Mods.Has(op.MU32) {
		less = in[0] < in[1]
	}
	v[0] = in[1]
	if less == (in[2] != 0) {
		v[0] = in[0]
	}
	return v, true
}
