package fp

import (
	"math"
	"math/big"
	"testing"
)

// An independent reference: values are big.Floats wide enough to be exact,
// decoded and rounded by definitions that share nothing with the package but
// the table of shapes below, written down again from the PTX documents.

type shape struct {
	f              Format
	exp, man, bias int
	inf, nan       bool
	shift          int
	signed         bool
	prec           uint // bits that hold every sum of products exactly
}

var shapes = []shape{
	{F16, 5, 10, 15, true, true, 0, true, 160},
	{BF16, 8, 7, 127, true, true, 0, true, 640},
	{TF32, 8, 10, 127, true, true, 13, true, 640},
	{E4M3, 4, 3, 7, false, true, 0, true, 64},
	{E5M2, 5, 2, 15, true, true, 0, true, 160},
	{E2M3, 2, 3, 1, false, false, 0, true, 64},
	{E3M2, 3, 2, 3, false, false, 0, true, 64},
	{E2M1, 2, 1, 1, false, false, 0, true, 64},
	{F32, 8, 23, 127, true, true, 0, true, 640},
	{F64, 11, 52, 1023, true, true, 0, true, 4400},
}

func shapeOf(t testing.TB, f Format) shape {
	for _, s := range shapes {
		if s.f == f {
			return s
		}
	}
	t.Fatalf("no shape for %v", f)
	return shape{}
}

type refKind int

const (
	refNaN refKind = iota
	refInf
	refFinite // zero too
)

type ref struct {
	kind refKind
	neg  bool
	v    *big.Float // magnitude with sign
}

func (s shape) decode(x uint64) ref {
	x >>= s.shift
	man := x & (1<<s.man - 1)
	e := int(x >> s.man & (1<<s.exp - 1))
	neg := x>>(s.man+s.exp)&1 == 1
	last := 1<<s.exp - 1
	if s.inf && e == last {
		if man == 0 {
			return ref{kind: refInf, neg: neg}
		}
		return ref{kind: refNaN, neg: neg}
	}
	if !s.inf && s.nan && e == last && man == 1<<s.man-1 {
		return ref{kind: refNaN, neg: neg}
	}
	m := int64(man)
	if e > 0 {
		m += 1 << s.man
	} else {
		e = 1
	}
	v := new(big.Float).SetPrec(s.prec).SetInt64(m)
	v.SetMantExp(v, e-s.bias-s.man)
	if neg {
		v.Neg(v)
	}
	return ref{refFinite, neg, v}
}

// maxMag is the greatest finite pattern.
func (s shape) maxPattern() uint64 {
	all := uint64(1)<<(s.exp+s.man) - 1
	switch {
	case s.inf:
		return (all &^ (1<<s.man - 1)) - 1
	case s.nan:
		return all - 1
	}
	return all
}

// round encodes an exact value (with extra: a nonzero amount too small to
// show, of the value's sign) under a mode. neg is the sign of zeros.
func (s shape) round(v *big.Float, neg, extra bool, m Mode) uint64 {
	if v.Sign() != 0 {
		neg = v.Sign() < 0
	}
	mag := new(big.Float).Abs(v)
	var pattern uint64
	if mag.Sign() != 0 {
		e := mag.MantExp(nil) - 1 // 2^e ≤ mag < 2^(e+1)
		emin := 1 - s.bias
		if e < emin {
			e = emin
		}
		scaled := new(big.Float).SetMantExp(mag, s.man-e)
		q, acc := scaled.Int(nil)
		if acc != big.Exact || extra {
			rest := new(big.Float).Sub(scaled, new(big.Float).SetPrec(s.prec+64).SetInt(q))
			c := rest.Cmp(big.NewFloat(0.5))
			if c == 0 && extra {
				c = 1
			}
			up := false
			switch m.Round {
			case RN:
				up = c > 0 || c == 0 && q.Bit(0) == 1
			case RNA:
				up = c >= 0
			case RM:
				up = neg
			case RP:
				up = !neg
			}
			if up {
				q.Add(q, big.NewInt(1))
			}
		}
		if e-emin > 1<<s.exp {
			pattern = math.MaxUint64 >> 1
		} else {
			pattern = uint64(e-emin)<<s.man + q.Uint64()
		}
	}
	max := s.maxPattern()
	if pattern > max {
		switch {
		case m.SatFinite, m.Round == RZ, m.Round == RM && !neg, m.Round == RP && neg, !s.nan:
			pattern = max
		case s.inf:
			pattern = max + 1
		default:
			pattern = 1<<(s.exp+s.man) - 1
		}
	}
	if m.Ftz && s.tiny(v, m) {
		pattern = 0
	}
	return s.finish(pattern, neg, m)
}

// tiny reports whether a value rounded without a least exponent stays below
// the least normal number.
func (s shape) tiny(v *big.Float, m Mode) bool {
	mode := [...]big.RoundingMode{RN: big.ToNearestEven, RZ: big.ToZero, RM: big.ToNegativeInf, RP: big.ToPositiveInf, RNA: big.ToNearestAway}[m.Round]
	r := new(big.Float).SetMode(mode).SetPrec(uint(s.man + 1)).Set(v)
	return r.Abs(r).Cmp(new(big.Float).SetMantExp(big.NewFloat(1), 1-s.bias)) < 0
}

func (s shape) finish(pattern uint64, neg bool, m Mode) uint64 {
	if m.Relu && neg {
		return 0
	}
	if m.Sat {
		if neg {
			return 0
		}
		pattern = min(pattern, uint64(s.bias)<<s.man)
	}
	if neg {
		pattern |= 1 << (s.man + s.exp)
	}
	return pattern << s.shift
}

func (s shape) inf_(neg bool, m Mode) uint64 {
	if m.SatFinite || !s.inf {
		return s.finish(s.maxPattern(), neg, m)
	}
	return s.finish(s.maxPattern()+1, neg, m)
}

func (s shape) flush(x uint64, m Mode) uint64 {
	x0 := x >> s.shift
	if m.Ftz && x0>>s.man&(1<<s.exp-1) == 0 {
		return x0 >> (s.exp + s.man) << (s.exp + s.man) << s.shift
	}
	return x
}

// fma is the reference of a·b+c; with only set to "add" or "mul" the other
// part is left out, zeros' signs included.
func (s shape) fma(a, b, c uint64, only string, m Mode) (uint64, bool) {
	x, y, z := s.decode(s.flush(a, m)), s.decode(s.flush(b, m)), s.decode(s.flush(c, m))
	if x.kind == refNaN || only != "add" && y.kind == refNaN || only != "mul" && z.kind == refNaN {
		return 0, true
	}
	p := x
	if only != "add" {
		p = mulRef(s, x, y)
		if p.kind == refNaN {
			return 0, true
		}
	}
	if only == "mul" {
		if p.kind == refInf {
			return s.inf_(p.neg, m), false
		}
		return s.round(p.v, p.neg, false, m), false
	}
	switch {
	case p.kind == refInf && z.kind == refInf && p.neg != z.neg:
		return 0, true
	case p.kind == refInf:
		return s.inf_(p.neg, m), false
	case z.kind == refInf:
		return s.inf_(z.neg, m), false
	}
	sum := new(big.Float).SetPrec(s.prec).Add(p.v, z.v)
	neg := p.neg && z.neg || p.neg != z.neg && m.Round == RM
	return s.round(sum, neg, false, m), false
}

func mulRef(s shape, x, y ref) ref {
	neg := x.neg != y.neg
	if x.kind == refInf || y.kind == refInf {
		if x.kind == refFinite && x.v.Sign() == 0 || y.kind == refFinite && y.v.Sign() == 0 {
			return ref{kind: refNaN}
		}
		return ref{kind: refInf, neg: neg}
	}
	return ref{refFinite, neg, new(big.Float).SetPrec(s.prec).Mul(x.v, y.v)}
}

// div rounds a quotient computed far beyond the result's precision: a
// quotient of two p-bit numbers that is not representable in 2p+2 bits
// cannot lie within 2^-300 of a rounding boundary.
func (s shape) div(a, b uint64, m Mode) (uint64, bool) {
	x, y := s.decode(s.flush(a, m)), s.decode(s.flush(b, m))
	neg := x.neg != y.neg
	zx, zy := x.kind == refFinite && x.v.Sign() == 0, y.kind == refFinite && y.v.Sign() == 0
	switch {
	case x.kind == refNaN || y.kind == refNaN || zx && zy || x.kind == refInf && y.kind == refInf:
		return 0, true
	case x.kind == refInf || zy:
		return s.inf_(neg, m), false
	case y.kind == refInf || zx:
		return s.round(new(big.Float), neg, false, m), false
	}
	q := new(big.Float).SetPrec(400).Quo(x.v, y.v)
	return s.round(q, neg, q.Acc() != big.Exact, m), false
}

func (s shape) sqrt(a uint64, m Mode) (uint64, bool) {
	x := s.decode(s.flush(a, m))
	switch {
	case x.kind == refNaN:
		return 0, true
	case x.kind == refFinite && x.v.Sign() == 0:
		return s.round(x.v, x.neg, false, m), false
	case x.neg:
		return 0, true
	case x.kind == refInf:
		return s.inf_(false, m), false
	}
	q := new(big.Float).SetPrec(400).Sqrt(x.v)
	back := new(big.Float).SetPrec(900).Mul(q, q)
	return s.round(q, false, back.Cmp(x.v) != 0, m), false
}
