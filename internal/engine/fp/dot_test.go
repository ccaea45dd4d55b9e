package fp

import (
	"math"
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
