package expand

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/fp"
)

// The quick steps of float division and reciprocal are checked here as
// arithmetic with the unit's own estimates. That they give the right result
// follows from the reciprocal being rounded right and the estimate of the
// quotient being off by less than one unit (Markstein); what the theorems
// leave open is tried.

func negated(f fp.Format, a uint64) uint64 { return a ^ 1<<(f.Bits()-1) }

// inverse64 computes what inverse does.
func inverse64(b uint64, low uint32) uint64 {
	f, m := fp.F64, fp.Mode{}
	y := fp.Approx64(fp.RcpFn, b)>>32<<32 | uint64(low)
	e := f.Fma(negated(f, b), y, One64<<32, m)
	e = f.Fma(e, e, e, m)
	y = f.Fma(y, e, y, m)
	return f.Fma(y, f.Fma(negated(f, b), y, One64<<32, m), y, m)
}

func TestInverse64(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	n := 0
	check := func(b uint64, low uint32) {
		if got, want := inverse64(b, low), fp.F64.Rcp(b, fp.Mode{}); got != want {
			t.Errorf("1/%#x with low word %#x: %#x, not %#x", b, low, got, want)
		}
		n++
	}
	const ones = 1<<52 - 1
	for e := uint64(1); e <= 2040; e++ { // reciprocals are normal
		for k := range uint64(64) {
			b := e<<52 | ones - k
			check(b, 1)
			check(b, uint32(b>>32)+0x00300402)
			check(b|1<<63, uint32((b|1<<63)>>32)+0x00300402)
			b = e<<52 | r.Uint64()>>12
			check(b, 1)
			check(b, uint32(b>>32)+0x00300402)
		}
	}
	t.Logf("%d reciprocals", n)
}

// inverse32 computes what rcp32 and div32 do.
func inverse32(b uint64) uint64 {
	f, m := fp.F32, fp.Mode{}
	y := uint64(fp.Mufu(fp.RcpFn, uint32(b)))
	return f.Fma(y, f.Fma(negated(f, b), y, One32, m), y, m)
}

func quotient32f(a, b, y uint64) uint64 {
	f, m := fp.F32, fp.Mode{}
	q := f.Fma(a, y, 0, m)
	return f.Fma(y, f.Fma(negated(f, b), q, a, m), q, m)
}

// TestQuotient32 tries divisors with the dividends for which the quotient
// lies next to the middle of two numbers: a·2^s = b·(2q+1)+k with a small k.
// With GOPTXAS_FULL it tries all fractions.
func TestQuotient32(t *testing.T) {
	step := uint64(61)
	if os.Getenv("GOPTXAS_FULL") != "" {
		step = 1
	}
	n, hard := 0, 0
	for frac := uint64(0); frac < 1<<23; frac += step {
		b := One32 | frac
		y := inverse32(b)
		if want := fp.F32.Rcp(b, fp.Mode{}); y != want {
			t.Fatalf("1/%#x: %#x, not %#x", b, y, want)
		}
		n++
		div := 1<<23 | frac
		if div%2 == 0 {
			continue
		}
		inv := div // modulo powers of two
		for range 5 {
			inv *= 2 - div*inv
		}
		for _, k := range [...]uint64{1, 3, 5, ^uint64(0), ^uint64(2), ^uint64(4)} {
			for _, s := range [...]uint{24, 25} {
				mid := -k*inv&(1<<s-1) | 1<<24
				a := (mid*div + k) >> s
				if mid>>25 != 0 || a>>23 != 1 {
					continue
				}
				x := One32 | a&(1<<23-1)
				if got, want := quotient32f(x, b, y), fp.F32.Div(x, b, fp.Mode{}); got != want {
					t.Fatalf("%#x/%#x: %#x, not %#x", x, b, got, want)
				}
				hard++
			}
		}
	}
	t.Logf("%d reciprocals, %d hard quotients", n, hard)
}

// TestRoot32 tries the steps of the square root on the fractions of two
// binades, which stand for all; with GOPTXAS_FULL on every one.
func TestRoot32(t *testing.T) {
	step := uint64(13)
	if os.Getenv("GOPTXAS_FULL") != "" {
		step = 1
	}
	f, m, n := fp.F32, fp.Mode{}, 0
	for x := uint64(One32); x < One32+2<<23; x += step {
		y := uint64(fp.Mufu(fp.RsqFn, uint32(x)))
		s := f.Mul(x, y, m)
		h := f.Mul(y, 0x3f000000, m)
		s = f.Fma(f.Fma(negated(f, s), s, x, m), h, s, m)
		if want := f.Sqrt(x, m); s != want {
			t.Fatalf("root of %#x: %#x, not %#x", x, s, want)
		}
		n++
	}
	t.Logf("%d roots", n)
}
