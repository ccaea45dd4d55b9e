package fp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestDotExact: sums of small whole numbers lose nothing.
func TestDotExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	d := Dot{Bits: 25, Round: RZ}
	for range 2000 {
		var a, b [16]uint64
		want := float64(r.IntN(1000) - 500)
		c := uint64(math.Float32bits(float32(want)))
		for k := range a {
			x, y := float64(r.IntN(64)-32), float64(r.IntN(64)-32)
			a[k] = Convert(F64, F16, math.Float64bits(x), Mode{})
			b[k] = Convert(F64, F16, math.Float64bits(y), Mode{})
			want += x * y
		}
		if got := math.Float32frombits(uint32(d.Add(F16, F16, F32, a[:], b[:], c))); float64(got) != want {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

// TestDotCuts: what lies below the kept bits of the greatest exponent is
// lost, group by group.
func TestDotCuts(t *testing.T) {
	one, tiny := uint64(0x3c00), uint64(0x0400) // 1 and 2^-14
	bits := func(f float64) uint64 { return uint64(math.Float32bits(float32(f))) }
	for _, c := range []struct {
		name string
		d    Dot
		a, b []uint64
		c    uint64
		want float64
	}{
		{"kept", Dot{Bits: 28, Round: RZ}, []uint64{tiny, one}, []uint64{tiny, one}, bits(-1), math.Ldexp(1, -28)},
		{"cut", Dot{Bits: 27, Round: RZ}, []uint64{tiny, one}, []uint64{tiny, one}, bits(-1), 0},
		{"first alone", Dot{Group: 1, Bits: 23, Round: RZ}, []uint64{tiny, one}, []uint64{tiny, one}, 0, 1},
		{"overflow", Dot{Bits: 25, Round: RZ}, []uint64{one}, []uint64{one}, 0x7f7fffff, math.MaxFloat32},
	} {
		if got := c.d.Add(F16, F16, F32, c.a, c.b, c.c); got != bits(c.want) {
			t.Errorf("%s: %#x, want %v", c.name, got, c.want)
		}
	}
	d := Dot{Bits: 25, Round: RZ}
	if got := d.Add(BF16, BF16, F32, []uint64{0x7f00, 0x7f00}, []uint64{0x7f00, 0x3f80}, 0); got != 0x7f800000 {
		t.Errorf("2^127 squared: %#x, want infinity", got)
	}
	if got := d.Add(F16, F16, F32, []uint64{0x7c00}, []uint64{0}, 0); got != 0x7fffffff {
		t.Errorf("infinity times zero: %#x", got)
	}
}

// TestDotZero: a sum that is zero, or too small for its format, is +0, as an
// H200 has it in every one of the random programs that showed it.
func TestDotZero(t *testing.T) {
	d := Dot{Bits: 25}
	for _, c := range []struct {
		name   string
		fa, fc Format
		round  Round
		a, b   []uint64
		c      uint64
		want   uint64
	}{
		{"nothing but -0", F16, F16, RN, []uint64{0x8000}, []uint64{0x3c00}, 0x8000, 0},
		{"a negative sum below half of the least f16", F16, F16, RN, []uint64{0x8400}, []uint64{0x0100}, 0, 0},
		{"one above it", F16, F16, RN, []uint64{0x8400}, []uint64{0x0401}, 0, 0},
		{"one that is rounded to the least", F16, F16, RN, []uint64{0x9400}, []uint64{0x0401}, 0, 0x8001},
		{"a negative sum below the least f32", BF16, F32, RZ, []uint64{0x8080}, []uint64{0x0080}, 0, 0},
		{"one that is cut to the least", BF16, F32, RZ, []uint64{0x9a00}, []uint64{0x1a80}, 0, 0x80000001},
	} {
		d.Round = c.round
		if got := d.Add(c.fa, c.fa, c.fc, c.a, c.b, c.c); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
}

// slowDot adds by the words of the rule, with numbers of any size: the
// exponents of all factors, then whole multiples of the last bit kept, then
// the nearest number of the format by trying.
func slowDot(d Dot, fa, fc Format, a, b []uint64, c uint64) float64 {
	exponent := func(f Format, x uint64) int { // of the first bit, subnormal numbers have the least
		l := &layouts[f]
		return max(int(x&l.mag>>l.shift>>l.man), 1) - int(l.bias)
	}
	value := func(f Format, x uint64) *big.Rat {
		return new(big.Rat).SetFloat64(math.Float64frombits(Convert(f, F64, x, Mode{})))
	}
	var terms []*big.Rat
	great := math.MinInt
	for k := range a {
		if p := new(big.Rat).Mul(value(fa, a[k]), value(fa, b[k])); p.Sign() != 0 {
			terms = append(terms, p)
			great = max(great, exponent(fa, a[k])+exponent(fa, b[k]))
		}
	}
	if z := value(fc, c); z.Sign() != 0 {
		terms = append(terms, z)
		great = max(great, exponent(fc, c))
	}
	sum := new(big.Int)
	unit := new(big.Rat).SetFloat64(math.Ldexp(1, great-int(d.Bits)))
	for _, p := range terms {
		q := new(big.Rat).Quo(p, unit)
		sum.Add(sum, new(big.Int).Quo(q.Num(), q.Denom())) // towards zero
	}
	exact, _ := new(big.Rat).Mul(new(big.Rat).SetInt(sum), unit).Float64()
	if fc == F16 {
		return exact
	}
	kept := math.Ldexp(1, math.Ilogb(exact)-int(layouts[fc].man-d.Cut))
	return math.Trunc(exact/kept) * kept
}

// TestDotSlowly compares sums with those of the rule's own words.
func TestDotSlowly(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		fa, fc Format
		d      Dot
		n      int
		low    uint64 // least exponent, of eight
	}{
		{F16, F32, Dot{Bits: 25, Round: RZ}, 16, 10},
		{BF16, F32, Dot{Bits: 25, Round: RZ}, 16, 120},
		{TF32, F32, Dot{Bits: 25, Round: RZ}, 8, 120},
		{E4M3, F32, Dot{Bits: 13, Round: RZ, Cut: 10}, 32, 0},
		{E5M2, F32, Dot{Bits: 13, Round: RZ, Cut: 10}, 32, 12},
		{F16, F16, Dot{Bits: 25, Round: RN}, 16, 10},
	} {
		random := func(f Format, low uint64) uint64 {
			l := &layouts[f]
			x := (low+r.Uint64N(8))<<l.man | r.Uint64N(1<<l.man)
			if f.IsNaN(x << l.shift) {
				x--
			}
			return x<<l.shift | l.sign*r.Uint64N(2)
		}
		for range 3000 {
			a, b := make([]uint64, c.n), make([]uint64, c.n)
			for k := range a {
				a[k], b[k] = random(c.fa, c.low), random(c.fa, c.low)
			}
			z := random(c.fc, uint64(layouts[c.fc].bias)-5)
			want := Convert(F64, c.fc, math.Float64bits(slowDot(c.d, c.fa, c.fc, a, b, z)), Mode{Round: c.d.Round})
			if got := c.d.Add(c.fa, c.fa, c.fc, a, b, z); got != want && want&^layouts[c.fc].sign != 0 {
				t.Fatalf("%s %s %x %x %x: %x, want %x", c.fa, c.fc, a, b, z, got, want)
			}
		}
	}
}
