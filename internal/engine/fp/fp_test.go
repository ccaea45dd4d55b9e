package fp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

var allModes = []Mode{
	{Round: RN},
	{Round: RZ},
	{Round: RM},
	{Round: RP},
	{Round: RNA},
	{Round: RN, Ftz: true},
	{Round: RZ, Ftz: true},
	{Round: RP, Ftz: true},
	{Round: RN, Sat: true},
	{Round: RN, SatFinite: true},
	{Round: RN, Relu: true},
	{Round: RZ, SatFinite: true, Relu: true},
	{Round: RN, Ftz: true, Sat: true},
}

// edges returns patterns where something happens, for any format.
func edges(f Format) []uint64 {
	l := layouts[f]
	one, inf, least := f.One(), f.infMag(), f.minNormal()
	u := uint64(1) << l.shift
	list := []uint64{
		0, u, 2 * u, 3 * u, least - u, least, least + u, one - u, one, one + u, f.maxMag(), f.maxMag() - u, inf, one + least, one - least,
		one<<1 - u, f.magMask(), inf + u, one + 12*least, uint64(int(l.bias)+int(l.man)) << (l.man + l.shift),
	}
	n := len(list)
	for _, x := range list[:n] {
		list = append(list, x&f.magMask()|f.signBit())
	}
	for i := range list {
		list[i] &= f.mask()
	}
	return list
}

// draw makes operands that meet: random bits, near exponents, edges.
func draw(r *rand.Rand, f Format, e []uint64) (a, b, c uint64) {
	pick := func() uint64 {
		if r.IntN(8) == 0 {
			return e[r.IntN(len(e))]
		}
		return r.Uint64() & f.mask()
	}
	a, b, c = pick(), pick(), pick()
	l := layouts[f]
	near := func(x uint64) uint64 {
		d := int64(r.IntN(8)-4) << (l.man + l.shift)
		return (uint64(int64(x)+d)&f.magMask()^r.Uint64()&(1<<(l.man+l.shift)-1))&f.mask()&^f.signBit() | r.Uint64()&f.signBit()
	}
	switch r.IntN(4) {
	case 0:
		b = near(a)
	case 1:
		c = near(f.Mul(a, b, Mode{}))
	case 2:
		c = f.Mul(a, b, Mode{Round: RZ}) ^ f.signBit()
		if r.IntN(2) == 0 {
			c = near(c)
		}
	}
	return a & f.mask(), b & f.mask(), c & f.mask()
}

func wantNaN(f Format, m Mode) uint64 {
	if m.Sat {
		return 0
	}
	return f.NaN()
}

// checkOps compares the five operations on one triple of operands.
func checkOps(t *testing.T, s shape, a, b, c uint64, m Mode) {
	t.Helper()
	f := s.f
	check := func(op string, got, want uint64, nan bool) {
		t.Helper()
		if nan {
			if f == F64 {
				if !m.Sat && !f.IsNaN(got) || m.Sat && got != 0 {
					t.Fatalf("%v %s(%#x, %#x, %#x) %+v = %#x, want NaN", f, op, a, b, c, m, got)
				}
				return
			}
			want = wantNaN(f, m)
		}
		if got != want {
			t.Fatalf("%v %s(%#x, %#x, %#x) %+v = %#x, want %#x", f, op, a, b, c, m, got, want)
		}
	}
	w, nan := s.fma(a, 0, b, "add", m)
	check("add", f.Add(a, b, m), w, nan)
	w, nan = s.fma(a, b, 0, "mul", m)
	check("mul", f.Mul(a, b, m), w, nan)
	w, nan = s.fma(a, b, c, "", m)
	check("fma", f.Fma(a, b, c, m), w, nan)
	w, nan = s.div(a, b, m)
	check("div", f.Div(a, b, m), w, nan)
	w, nan = s.sqrt(a, m)
	check("sqrt", f.Sqrt(a, m), w, nan)
}

// TestBinarySmall walks every pair of the formats of up to 8 bits.
func TestBinarySmall(t *testing.T) {
	n := 0
	for _, s := range shapes {
		if s.f.Bits() > 8 {
			continue
		}
		size := uint64(1) << s.f.Bits()
		step := uint64(1)
		if testing.Short() || size > 64 {
			step = 13
		}
		for k, m := range allModes {
			for a := range size {
				for b := a * uint64(k+1) % step; b < size; b += step {
					checkOps(t, s, a, b, (a*31+b*17)%size, m)
					n += 5
				}
			}
		}
	}
	t.Logf("%d operations on small formats", n)
}

func TestArith(t *testing.T) {
	counts := []struct {
		f Format
		n int
	}{{F16, 200000}, {BF16, 60000}, {TF32, 20000}, {F32, 60000}, {F64, 6000}}
	for _, c := range counts {
		n := c.n
		if testing.Short() {
			n /= 10
		}
		s := shapeOf(t, c.f)
		e := edges(c.f)
		r := rand.New(rand.NewPCG(1, uint64(c.f)))
		for k := range n {
			a, b, z := draw(r, c.f, e)
			checkOps(t, s, a, b, z, allModes[k%len(allModes)])
		}
		k := 0
		for _, a := range e {
			for _, b := range e {
				checkOps(t, s, a, b, e[k%len(e)], allModes[k%len(allModes)])
				k++
			}
		}
		t.Logf("%v: %d operations of 5 kinds in %d modes", c.f, 5*(n+k), len(allModes))
	}
}

// TestFastPaths holds the host's arithmetic against the generic code.
func TestFastPaths(t *testing.T) {
	n := 0
	for _, f := range []Format{F16, BF16, F32, F64} {
		e := edges(f)
		r := rand.New(rand.NewPCG(2, uint64(f)))
		for k := range 120000 {
			a, b, c := draw(r, f, e)
			m := Mode{Ftz: k&1 == 1}
			slow := m
			slow.SatFinite = true // takes the generic road; differs at infinity only
			for op, pair := range [...][2]uint64{
				{f.Add(a, b, m), f.Add(a, b, slow)},
				{f.Mul(a, b, m), f.Mul(a, b, slow)},
				{f.Fma(a, b, c, m), f.Fma(a, b, c, slow)},
				{f.Div(a, b, m), f.Div(a, b, slow)},
				{f.Sqrt(a, m), f.Sqrt(a, slow)},
			} {
				if f.IsInf(pair[0]) {
					pair[0] = f.Greatest(f.Sign(pair[0]))
				}
				if pair[0] != pair[1] {
					t.Fatalf("%v op %d (%#x, %#x, %#x) %+v: fast %#x, generic %#x", f, op, a, b, c, m, pair[0], pair[1])
				}
				n++
			}
		}
	}
	t.Logf("%d results compared", n)
}

// TestUnary walks every value of the formats of up to 16 bits through the
// conversions to every format and integer type.
func TestConvert(t *testing.T) {
	n := 0
	for _, s := range shapes {
		if s.f.Bits() > 16 {
			continue
		}
		for x := range uint64(1) << s.f.Bits() {
			for _, d := range shapes {
				for k := range 3 {
					m := allModes[(int(x)+k*5)%len(allModes)]
					checkConvert(t, s, d, x, m)
					n++
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	for _, s := range shapes {
		if s.f.Bits() <= 16 {
			continue
		}
		e := edges(s.f)
		for range 20000 {
			x, _, _ := draw(r, s.f, e)
			if r.IntN(2) == 0 { // a number the narrow formats can hold
				d := shapes[r.IntN(8)].f
				x = Convert(d, s.f, r.Uint64()&d.mask(), Mode{})
				if !s.f.IsNaN(x) {
					x = (x + uint64(r.IntN(5)) - 2) & s.f.mask()
				}
			}
			checkConvert(t, s, shapes[r.IntN(len(shapes))], x, allModes[r.IntN(len(allModes))])
			n++
		}
	}
	t.Logf("%d conversions", n)
}

func checkConvert(t *testing.T, s, d shape, x uint64, m Mode) {
	t.Helper()
	y := x
	if s.f == F32 {
		y = s.flush(x, m)
	}
	q := m
	q.Ftz = m.Ftz && d.f == F32
	v := s.decode(y)
	got := Convert(s.f, d.f, x, m)
	var want uint64
	switch v.kind {
	case refNaN:
		if m.Sat {
			if got != 0 {
				t.Fatalf("%v→%v NaN %#x saturates to %#x", s.f, d.f, x, got)
			}
			return
		}
		if d.nan != d.f.IsNaN(got) && m.Round != RNA {
			t.Fatalf("%v→%v NaN %#x %+v = %#x", s.f, d.f, x, m, got)
		}
		return
	case refInf:
		want = d.inf_(v.neg, q)
	default:
		want = d.round(v.v, v.neg, false, q)
	}
	if got != want {
		t.Fatalf("%v→%v %#x %+v = %#x, want %#x", s.f, d.f, x, m, got, want)
	}
}

var intTypes = []Int{{8, false}, {8, true}, {16, false}, {16, true}, {32, false}, {32, true}, {64, false}, {64, true}}

func TestToInt(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	n := 0
	check := func(s shape, x uint64) {
		v := s.decode(x)
		if v.kind == refNaN {
			return
		}
		for k, it := range intTypes {
			rd := Round((int(x) + k) % 5)
			got := s.f.ToInt(x, it, rd, false)
			want := refToInt(v, it, rd)
			if got != want {
				t.Fatalf("%v %#x to %+v %v = %#x, want %#x", s.f, x, it, rd, got, want)
			}
			n++
		}
	}
	for _, s := range shapes {
		if s.f.Bits() <= 16 {
			for x := range uint64(1) << s.f.Bits() {
				check(s, x)
			}
			continue
		}
		e := edges(s.f)
		for range 20000 {
			x := r.Uint64() & s.f.mask()
			switch r.IntN(4) {
			case 0:
				x = e[r.IntN(len(e))]
			case 1, 2:
				x = s.f.FromInt(r.Uint64()>>r.IntN(64), intTypes[6+r.IntN(2)], Mode{Round: Round(r.IntN(4))})
				x = (x + uint64(r.IntN(3)) - 1) & s.f.mask()
			}
			check(s, x)
		}
	}
	t.Logf("%d conversions to integers", n)
}

func refToInt(v ref, it Int, r Round) uint64 {
	lo, hi := new(big.Int), new(big.Int)
	hi.SetUint64(it.max())
	if it.Signed {
		lo.Neg(hi).Sub(lo, big.NewInt(1))
	}
	var q *big.Int
	switch {
	case v.kind == refInf && v.neg:
		q = lo
	case v.kind == refInf:
		q = hi
	default:
		q, _ = new(big.Float).Abs(v.v).Int(nil)
		rest := new(big.Float).Sub(new(big.Float).Abs(v.v), new(big.Float).SetPrec(2200).SetInt(q))
		c := rest.Cmp(big.NewFloat(0.5))
		up := rest.Sign() != 0 && (r == RN && (c > 0 || c == 0 && q.Bit(0) == 1) || r == RNA && c >= 0 || r == RM && v.neg || r == RP && !v.neg)
		if up {
			q.Add(q, big.NewInt(1))
		}
		if v.neg {
			q.Neg(q)
		}
	}
	if q.Cmp(lo) < 0 {
		q = lo
	}
	if q.Cmp(hi) > 0 {
		q = hi
	}
	return new(big.Int).And(q, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
}

func TestFromInt(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	n := 0
	for _, s := range shapes {
		for k := range 20000 {
			it := intTypes[k%len(intTypes)]
			v := r.Uint64() >> r.IntN(64)
			m := allModes[r.IntN(len(allModes))]
			e := it.Extend(v)
			b := new(big.Float).SetPrec(64).SetUint64(e)
			if it.Signed {
				b.SetInt64(int64(e))
			}
			if got, want := s.f.FromInt(v, it, m), s.round(b, false, false, m); got != want {
				t.Fatalf("%v from %#x %+v %+v = %#x, want %#x", s.f, v, it, m, got, want)
			}
			n++
		}
	}
	t.Logf("%d conversions from integers", n)
}

func TestRoundToInt(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	n := 0
	check := func(s shape, x uint64, m Mode) {
		v := s.decode(s.flush(x, m))
		if v.kind != refFinite {
			return
		}
		q, _ := new(big.Float).Abs(v.v).Int(nil)
		rest := new(big.Float).Sub(new(big.Float).Abs(v.v), new(big.Float).SetPrec(2200).SetInt(q))
		c := rest.Cmp(big.NewFloat(0.5))
		if rest.Sign() != 0 && (m.Round == RN && (c > 0 || c == 0 && q.Bit(0) == 1) || m.Round == RNA && c >= 0 || m.Round == RM && v.neg || m.Round == RP && !v.neg) {
			q.Add(q, big.NewInt(1))
		}
		b := new(big.Float).SetPrec(1200).SetInt(q)
		if v.neg {
			b.Neg(b)
		}
		if got, want := s.f.RoundToInt(x, m), s.round(b, v.neg, false, m); got != want {
			t.Fatalf("%v round %#x %+v = %#x, want %#x", s.f, x, m, got, want)
		}
		n++
	}
	for _, s := range shapes {
		if s.f.Bits() <= 16 {
			for x := range uint64(1) << s.f.Bits() {
				check(s, x, allModes[x%8])
			}
			continue
		}
		for range 20000 {
			l := layouts[s.f]
			x := r.Uint64() & s.f.mask()
			if r.IntN(4) > 0 {
				x = uint64(int(l.bias)+r.IntN(int(l.man)+4)-3)<<(l.man+l.shift) | r.Uint64()>>r.IntN(64)&(1<<l.man-1)<<l.shift | r.Uint64()&s.f.signBit()
			}
			check(s, x, allModes[r.IntN(8)])
		}
	}
	t.Logf("%d roundings to integral values", n)
}
