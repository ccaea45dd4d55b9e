package fp

import "math"

// Dot is how a matrix unit adds products of narrow numbers. Products are
// exact. A group of them and the sum so far are brought to the greatest of
// their exponents, cut to a number of bits after the point, added exactly
// and rounded to the format of the sum. The exponent of a product is the sum
// of its factors', whether or not their significands' product carries.
type Dot struct {
	Group int   // products added at once, 0 for all
	Bits  uint  // kept after the point of the greatest exponent
	Round Round // of the result
	Cut   uint8 // bits of an f32 result that are zero, its last ones
}

// Term is a number as a matrix unit takes it: ±sig × 2^exp, the exponent
// that of its first bit, normalised or not, or something that is no number.
type Term struct {
	kind Kind
	neg  bool
	frac uint8 // bits of sig after the point
	sig  uint64
	exp  int
}

// Term reads a value of the format.
func (f Format) Term(x uint64) Term {
	l := &layouts[f]
	mag := (x & l.mag) >> l.shift
	t := Term{kind: Finite, neg: x&l.sign != 0, frac: l.man, sig: mag & (1<<l.man - 1), exp: int(mag >> l.man)}
	if f == UE8M0 { // powers of two alone
		t.sig, t.exp = 1, t.exp-int(l.bias)
		if f.IsNaN(x) {
			t.kind = NaN
		}
		return t
	}
	switch {
	case f.IsNaN(x):
		t.kind = NaN
	case f.IsInf(x):
		t.kind = Inf
	case mag == 0:
		t.kind = Zero
	}
	if t.exp == 0 {
		t.exp = 1
	} else {
		t.sig |= 1 << l.man
	}
	t.exp -= int(l.bias)
	return t
}

// Terms reads values of the format.
func (f Format) Terms(dst []Term, xs []uint64) []Term {
	for _, x := range xs {
		dst = append(dst, f.Term(x))
	}
	return dst
}

// Times returns the exact product of two numbers as one factor.
func (t Term) Times(s Term) Term {
	switch {
	case t.kind == NaN || s.kind == NaN || t.kind == Inf && s.kind == Zero || t.kind == Zero && s.kind == Inf:
		t.kind = NaN
	case t.kind == Inf || s.kind == Inf:
		t.kind = Inf
	case t.kind == Zero || s.kind == Zero:
		t.kind = Zero
	}
	t.neg = t.neg != s.neg
	t.sig, t.exp, t.frac = t.sig*s.sig, t.exp+s.exp, t.frac+s.frac
	return t
}

// Add returns c plus the products of a and b, whose elements have formats
// fa and fb; the sum has format fc.
func (d *Dot) Add(fa, fb, fc Format, a, b []uint64, c uint64) uint64 {
	return d.AddTerms(fc, fa.Terms(nil, a), fb.Terms(nil, b), c)
}

// AddTerms is Add of numbers that have been read.
func (d *Dot) AddTerms(fc Format, a, b []Term, c uint64) uint64 {
	step := d.Group
	if step == 0 {
		step = len(a)
	}
	for at := 0; at < len(a); at += step {
		end := min(at+step, len(a))
		c = d.group(fc, a[at:end], b[at:end], c)
	}
	return c
}

// limits is what infinities and NaNs make of a sum.
type limits struct {
	nan, inf, neg bool
}

func (s *limits) add(neg bool) {
	s.nan = s.nan || s.inf && s.neg != neg
	s.inf, s.neg = true, neg
}

// group adds one group of products.
func (d *Dot) group(fc Format, a, b []Term, c uint64) uint64 {
	var s limits
	z := fc.Term(c)
	great, any := 0, false
	if z.kind == Finite {
		great, any = z.exp, true
	}
	for k := range a {
		x, y := &a[k], &b[k]
		switch {
		case x.kind == Finite && y.kind == Finite:
			if e := x.exp + y.exp; !any || e > great {
				great, any = e, true
			}
		case x.kind == NaN || y.kind == NaN || x.kind == Inf && y.kind == Zero || x.kind == Zero && y.kind == Inf:
			s.nan = true
		case x.kind == Inf || y.kind == Inf:
			s.add(x.neg != y.neg)
		}
	}
	switch {
	case z.kind == NaN:
		s.nan = true
	case z.kind == Inf:
		s.add(z.neg)
	}
	switch {
	case s.nan:
		return layouts[fc].quiet
	case s.inf && s.neg:
		return layouts[fc].inf | layouts[fc].sign
	case s.inf:
		return layouts[fc].inf
	case !any:
		return 0
	}
	return d.sum(fc, a, b, &z, great)
}

// sum adds finite products and z, brought to one exponent.
func (d *Dot) sum(fc Format, a, b []Term, z *Term, great int) uint64 {
	sum := int64(0)
	add := func(neg bool, sig uint64, exp int, frac uint8) {
		v := int64(0)
		switch sh := exp - great + int(d.Bits) - int(frac); {
		case sh >= 0:
			v = int64(sig << sh)
		case sh > -64:
			v = int64(sig >> -sh)
		}
		if neg {
			v = -v
		}
		sum += v
	}
	for k := range a {
		if x, y := &a[k], &b[k]; x.kind == Finite && y.kind == Finite {
			add(x.neg != y.neg, x.sig*y.sig, x.exp+y.exp, x.frac+y.frac)
		}
	}
	if z.kind == Finite {
		add(z.neg, z.sig, z.exp, z.frac)
	}
	exact := math.Ldexp(float64(sum), great-int(d.Bits))
	r := Convert(F64, fc, math.Float64bits(exact), Mode{Round: d.Round}) &^ (1<<d.Cut - 1)
	if r&^layouts[fc].sign == 0 { // a sum too small for the format is +0, of whatever sign
		return 0
	}
	if math.Abs(exact) >= math.Ldexp(1, int(layouts[fc].bias)+1) { // overflow is infinite, although sums are cut
		r = r&layouts[fc].sign | layouts[fc].inf
	}
	return r
}
