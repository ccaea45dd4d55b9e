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
}

// term is ±sig × 2^(exp-frac): the exponent belongs to a significand with
// frac bits after the point, normalised or not.
type term struct {
	neg  bool
	sig  uint64
	exp  int
	frac int
}

// Add returns c plus the products of a and b, whose elements have formats
// fa and fb; the sum has format fc.
func (d *Dot) Add(fa, fb, fc Format, a, b []uint64, c uint64) uint64 {
	step := d.Group
	if step == 0 {
		step = len(a)
	}
	for at := 0; at < len(a); at += step {
		end := min(at+step, len(a))
		c = d.group(fa, fb, fc, a[at:end], b[at:end], c)
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
func (d *Dot) group(fa, fb, fc Format, a, b []uint64, c uint64) uint64 {
	var store [65]term
	terms := store[:0]
	var s limits
	for k := range a {
		x, y := fa.Unpack(a[k]), fb.Unpack(b[k])
		neg := x.Neg != y.Neg
		switch {
		case x.Kind == NaN || y.Kind == NaN || x.Kind == Inf && y.Kind == Zero || x.Kind == Zero && y.Kind == Inf:
			s.nan = true
		case x.Kind == Inf || y.Kind == Inf:
			s.add(neg)
		case x.Kind == Finite && y.Kind == Finite:
			p, q := fa.term(a[k]), fb.term(b[k])
			terms = append(terms, term{neg, p.sig * q.sig, p.exp + q.exp, p.frac + q.frac})
		}
	}
	switch x := fc.Unpack(c); x.Kind {
	case NaN:
		s.nan = true
	case Inf:
		s.add(x.Neg)
	case Finite:
		terms = append(terms, fc.term(c))
	}
	switch {
	case s.nan:
		return layouts[fc].quiet
	case s.inf && s.neg:
		return layouts[fc].inf | layouts[fc].sign
	case s.inf:
		return layouts[fc].inf
	}
	return d.sum(fc, terms)
}

// sum adds finite terms.
func (d *Dot) sum(fc Format, terms []term) uint64 {
	if len(terms) == 0 {
		return 0
	}
	great := terms[0].exp
	for _, t := range terms {
		great = max(great, t.exp)
	}
	sum := int64(0)
	for _, t := range terms {
		v := int64(0)
		switch sh := t.exp - great + int(d.Bits) - t.frac; {
		case sh >= 0:
			v = int64(t.sig << sh)
		case sh > -64:
			v = int64(t.sig >> -sh)
		}
		if t.neg {
			v = -v
		}
		sum += v
	}
	exact := math.Ldexp(float64(sum), great-int(d.Bits))
	r := Convert(F64, fc, math.Float64bits(exact), Mode{Round: d.Round})
	if math.Abs(exact) >= math.Ldexp(1, int(layouts[fc].bias)+1) { // overflow is infinite, although sums are cut
		r = r&layouts[fc].sign | layouts[fc].inf
	}
	return r
}

// term reads a finite number without normalising it.
func (f Format) term(x uint64) term {
	l := &layouts[f]
	mag := (x & l.mag) >> l.shift
	t := term{neg: x&l.sign != 0, sig: mag & (1<<l.man - 1), exp: int(mag >> l.man), frac: int(l.man)}
	if t.exp == 0 {
		t.exp = 1
	} else {
		t.sig |= 1 << l.man
	}
	t.exp -= int(l.bias)
	return t
}
