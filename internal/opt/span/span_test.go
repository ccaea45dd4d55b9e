package span

import (
	"math"
	"math/rand/v2"
	"testing"
)

// in reports whether a value lies in a span.
func (s Span) in(x float32) bool {
	if x != x {
		return s.No
	}
	return s.Lo <= float64(x) && float64(x) <= s.Hi
}

// TestSpansHold: what is computed of values in spans lies in the Span of the
// result, flushed or not, with the product rounded or as a part of the sum.
func TestSpansHold(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	numbers := []float32{0, 1, 2, 3, 0.1, 1e-20, 1e-38, 1e-44, 0x1p-126, 1e20, 3e38, 1 + 0x1p-23, float32(math.Inf(1))}
	draw := func() float32 {
		x := numbers[r.IntN(len(numbers))]
		if r.IntN(3) == 0 {
			x *= r.Float32()
		}
		if r.IntN(2) == 0 {
			x = -x
		}
		return x
	}
	between := func() (Span, float32) {
		a, b, c := draw(), draw(), draw()
		s := Span{float64(min(a, b, c)), float64(max(a, b, c)), r.IntN(4) == 0}
		x := []float32{a, b, c}[r.IntN(3)]
		if s.No && r.IntN(2) == 0 {
			x = float32(math.NaN())
		}
		return s.Flushed(), x
	}
	flush := func(x float32) float32 {
		if math.Abs(float64(x)) < Smallest {
			return 0
		}
		return x
	}
	for n := range 200000 {
		s, a := between()
		u, b := between()
		w, c := between()
		if n%2 == 0 {
			a, b, c = flush(a), flush(b), flush(c)
		}
		lesser, larger := min(a, b), max(a, b)
		if a != a || b != b { // the other one
			lesser = a
			if a != a {
				lesser = b
			}
			larger = lesser
		}
		product := s.Times(u)
		for _, x := range []struct {
			name string
			in   Span
			got  float32
		}{
			{"sum", s.Plus(u), a + b},
			{"product", product, a * b},
			{"square", s.Square(), a * a},
			{"fused", product.Plus(w), float32(float64(a)*float64(b) + float64(c))},
			{"apart", product.Plus(w), float32(a*b) + c},
			{"less", s.Extreme(u, true), lesser},
			{"larger", s.Extreme(u, false), larger},
			{"either", s.Or(u), b},
		} {
			if !x.in.in(x.got) || !x.in.in(flush(x.got)) {
				t.Fatalf("%s of %v in %+v, %v in %+v and %v in %+v: %v is not in %+v", x.name, a, s, b, u, c, w, x.got, x.in)
			}
		}
	}
}
