package fp

import (
	"math/rand/v2"
	"testing"
)

func TestLayout(t *testing.T) {
	for _, c := range []struct {
		f                   Format
		one, max, inf, nan  uint64
		width, prec         int
		hasInf, hasNaN, sub bool
	}{
		{F16, 0x3c00, 0x7bff, 0x7c00, 0x7fff, 16, 11, true, true, true},
		{BF16, 0x3f80, 0x7f7f, 0x7f80, 0x7fff, 16, 8, true, true, true},
		{TF32, 0x3f800000, 0x7f7fe000, 0x7f800000, 0x7fffe000, 32, 11, true, true, true},
		{E4M3, 0x38, 0x7e, 0x7e, 0x7f, 8, 4, false, true, true},
		{E5M2, 0x3c, 0x7b, 0x7c, 0x7f, 8, 3, true, true, true},
		{E2M3, 0x08, 0x1f, 0x1f, 0x1f, 6, 4, false, false, true},
		{E3M2, 0x0c, 0x1f, 0x1f, 0x1f, 6, 3, false, false, true},
		{E2M1, 0x2, 0x7, 0x7, 0x7, 4, 2, false, false, true},
		{UE8M0, 0x7f, 0xfe, 0xfe, 0xff, 8, 1, false, true, false},
		{F32, 0x3f800000, 0x7f7fffff, 0x7f800000, 0x7fffffff, 32, 24, true, true, true},
		{F64, 0x3ff0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff8000000000000, 64, 53, true, true, true},
	} {
		f := c.f
		if f.One() != c.one || f.Greatest(false) != c.max || f.Inf(false) != c.inf || f.NaN() != c.nan || f.Width() != c.width || f.Precision() != c.prec {
			t.Errorf("%v: one %#x max %#x inf %#x nan %#x width %d precision %d", f, f.One(), f.Greatest(false), f.Inf(false), f.NaN(), f.Width(), f.Precision())
		}
		l := layouts[f]
		if l.sign^l.mag != ^uint64(0)>>(64-l.bits)<<l.shift || l.inf|(1<<(l.man+l.shift)-1)&l.mag != l.mag || f != UE8M0 && l.least != 1<<(l.man+l.shift) {
			t.Errorf("%v: its words do not fit its widths", f)
		}
		if f.HasInf() != c.hasInf || f.HasNaN() != c.hasNaN || f.IsSubnormal(1<<layouts[f].shift) != c.sub {
			t.Errorf("%v: inf %v nan %v", f, f.HasInf(), f.HasNaN())
		}
		if c.hasNaN != f.IsNaN(f.NaN()) || c.hasInf != f.IsInf(f.Inf(true)) && f.signed() {
			t.Errorf("%v: its own specials are not recognised", f)
		}
	}
	// The greatest numbers, as the PTX documents give them.
	for _, c := range []struct {
		f Format
		v uint64
	}{{E4M3, 448}, {E5M2, 57344}, {F16, 65504}} {
		if got := c.f.ToInt(c.f.Greatest(false), Int{32, false}, RZ, false); got != c.v {
			t.Errorf("%v: greatest is %d, want %d", c.f, got, c.v)
		}
	}
}

// TestUE8M0 walks the exponent format both ways.
func TestUE8M0(t *testing.T) {
	for x := range uint64(255) {
		b := Convert(UE8M0, BF16, x, Mode{})
		want := x << 7
		if x == 0 {
			want = 0x40 // 2^-127 is subnormal in bf16
		}
		if b != want {
			t.Errorf("ue8m0 %#x is bf16 %#x, want %#x", x, b, want)
		}
		f := Convert(UE8M0, F32, x, Mode{})
		for _, r := range []Round{RZ, RP} {
			m := Mode{Round: r, SatFinite: true}
			if got := Convert(F32, UE8M0, f, m); got != x {
				t.Errorf("%#x comes back as %#x", x, got)
			}
			up := Convert(F32, UE8M0, f+1, m)
			if want := min(254, x+uint64(r-RZ)/2); up != want {
				t.Errorf("just above %#x: %v gives %#x, want %#x", x, r, up, want)
			}
		}
	}
	sat := Mode{Round: RP, SatFinite: true}
	if Convert(UE8M0, BF16, 0xff, Mode{}) != 0x7fff || Convert(F32, UE8M0, 0x7fc00000, sat) != 0xff || Convert(F32, UE8M0, inf32, sat) != 0xfe || Convert(F32, UE8M0, 0, sat) != 0 {
		t.Error("specials of ue8m0")
	}
}

// TestRelate checks the order against subtraction of exact values.
func TestRelate(t *testing.T) {
	n := 0
	for _, s := range shapes {
		r := rand.New(rand.NewPCG(7, uint64(s.f)))
		e := edges(s.f)
		for range 4000 {
			a, b, _ := draw(r, s.f, e)
			x, y := s.decode(a), s.decode(b)
			want := Unordered
			if x.kind != refNaN && y.kind != refNaN {
				c := sign(x) - sign(y)
				if x.kind == refFinite && y.kind == refFinite {
					c = x.v.Cmp(y.v)
				}
				want = Equal
				if c < 0 {
					want = Less
				} else if c > 0 {
					want = Greater
				}
			}
			if got := s.f.Relate(a, b, false); got != want {
				t.Fatalf("%v %#x against %#x: %v, want %v", s.f, a, b, got, want)
			}
			mn, mx := s.f.Min(a, b, Extremum{}), s.f.Max(a, b, Extremum{})
			if want != Unordered && (s.f.Relate(mn, mx, false) == Greater || !(mn == a && mx == b || mn == b && mx == a)) {
				t.Fatalf("%v min %#x max %#x of %#x, %#x", s.f, mn, mx, a, b)
			}
			n++
		}
	}
	t.Logf("%d pairs", n)
}

// sign orders infinities around the finite numbers.
func sign(x ref) int {
	if x.kind != refInf {
		return 0
	}
	if x.neg {
		return -1
	}
	return 1
}

func FuzzNoPanic(f *testing.F) {
	f.Add(uint64(0x7ff8000000000000), uint64(1), uint64(0), uint8(3), uint8(9), uint16(0x1f))
	f.Fuzz(func(t *testing.T, a, b, c uint64, from, to uint8, mode uint16) {
		x, y := Format(from)%NumFormats, Format(to)%NumFormats
		m := Mode{Round(mode % 5), mode&8 != 0, mode&16 != 0, mode&32 != 0, mode&64 != 0}
		for _, r := range []uint64{x.Add(a, b, m), x.Sub(a, b, m), x.Mul(a, b, m), x.Fma(a, b, c, m), x.Div(a, b, m), x.Sqrt(a, m), x.RoundToInt(a, m), x.Min(a, b, Extremum{}), x.Neg(a, false)} {
			if x.Width() < 64 && r>>x.Width() != 0 {
				t.Fatalf("%v: result %#x is too wide", x, r)
			}
		}
		if r := Convert(x, y, a, m); y.Width() < 64 && r>>y.Width() != 0 {
			t.Fatalf("%v→%v %#x: result %#x is too wide", x, y, a, r)
		}
		x.ToInt(a, intTypes[mode>>8%8&7], m.Round, m.Ftz)
	})
}

var sink uint64

func BenchmarkOps(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, f := range []Format{F16, BF16, E4M3, F32, F64} {
		ops := make([][3]uint64, 1024)
		for i := range ops {
			x, y, z := draw(r, f, edges(f))
			ops[i] = [3]uint64{x, y, z}
		}
		for _, m := range []Mode{{}, {Round: RZ}} {
			for _, o := range []struct {
				name string
				do   func(a, b, c uint64) uint64
			}{
				{"add", func(a, b, _ uint64) uint64 { return f.Add(a, b, m) }},
				{"fma", func(a, b, c uint64) uint64 { return f.Fma(a, b, c, m) }},
				{"div", func(a, b, _ uint64) uint64 { return f.Div(a, b, m) }},
				{"sqrt", func(a, _, _ uint64) uint64 { return f.Sqrt(a, m) }},
				{"to-f16", func(a, _, _ uint64) uint64 { return Convert(f, F16, a, m) }},
			} {
				b.Run(f.String()+"/"+m.Round.String()+"/"+o.name, func(b *testing.B) {
					for i := 0; b.Loop(); i++ {
						v := &ops[i&1023]
						sink += o.do(v[0], v[1], v[2])
					}
				})
			}
		}
	}
}
