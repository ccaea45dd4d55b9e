package expand

import (
	"math"
	"math/big"
	mbits "math/bits"
	"math/rand/v2"
	"testing"
)

// The expansions of division are checked here as arithmetic, with the
// special function unit's estimate off by as much as it may be. That the
// instructions do this arithmetic is checked where they run.

// edgesOf are the numbers at which division goes wrong.
func edgesOf(bits int) []uint64 {
	var list []uint64
	for k := range bits {
		for d := range uint64(3) {
			list = append(list, (1<<k-1+d)&(math.MaxUint64>>(64-bits)))
		}
	}
	m := uint64(math.MaxUint64) >> (64 - bits)
	return append(list, m, m-1, m/2, m/3, 3, 5, 7, 10, 641, 1000, 0x55555555&m, 0xaaaaaaab&m)
}

// estimates returns 1/f as the unit may give it: exact and one unit off.
func estimates(f float32) [3]float32 {
	y := float32(1 / float64(f))
	return [3]float32{y, math.Nextafter32(y, 0), math.Nextafter32(y, 2*y)}
}

func divided32(a, b uint32, rcp float32) (q, r uint32) {
	z := uint32(min(float64(rcp*math.Float32frombits(scale32)), math.MaxUint32))
	hi, _ := mbits.Mul32(z, z*-b)
	z += hi
	q, _ = mbits.Mul32(a, z)
	r = a - q*b
	for range 2 {
		if r >= b {
			q, r = q+1, r-b
		}
	}
	return q, r
}

// checkDivision divides numbers at the edges of a width and random ones, with
// every estimate of the reciprocal that the machine may give.
func checkDivision[T uint32 | uint64](t *testing.T, width int, random func() T, divide func(a, b T, rcp float32) (q, r T)) {
	t.Helper()
	n := 0
	check := func(a, b T) {
		for _, y := range estimates(float32(b)) {
			if q, m := divide(a, b, y); q != a/b || m != a%b {
				t.Fatalf("%d/%d: got %d rest %d", a, b, q, m)
			}
			n++
		}
	}
	edges := edgesOf(width)
	for _, a := range edges {
		for _, b := range edges {
			if b != 0 {
				check(T(a), T(b))
			}
		}
	}
	for range 200000 {
		b := random()>>(random()%T(width)) | 1
		check(random(), b)
		check(random()/b*b-1, b)
	}
	t.Logf("%d divisions", n)
}

func TestDivide32(t *testing.T) {
	checkDivision(t, 32, rand.New(rand.NewPCG(1, 2)).Uint32, divided32)
}

func quotient64(a, b uint64, rcp float32) (q, r uint64) {
	f := float64(rcp * math.Float32frombits(scale64))
	z := uint64(math.MaxUint64)
	if f < 1<<64 {
		z = uint64(f)
	}
	for range 2 {
		hi, _ := mbits.Mul64(z, z*-b)
		z += hi
	}
	q, _ = mbits.Mul64(a, z)
	r = a - q*b
	for range 2 {
		if r >= b {
			q, r = q+1, r-b
		}
	}
	return q, r
}

func TestDivide64(t *testing.T) {
	checkDivision(t, 64, rand.New(rand.NewPCG(3, 4)).Uint64, quotient64)
}

func TestDivide16(t *testing.T) {
	n := 0
	for b := uint32(1); b < 1<<16; b++ {
		for _, e := range estimates(float32(b)) {
			y := math.Float32frombits(math.Float32bits(e) + 2)
			for _, q := range []uint32{0, 1, 2, 0xffff / b / 2, 0xffff / b} {
				for d := range uint32(3) {
					a := q*b - 1 + d
					if a >= 1<<16 {
						continue
					}
					if got := uint32(float32(a) * y); got != a/b {
						t.Fatalf("%d/%d: got %d", a, b, got)
					}
					n++
				}
			}
		}
	}
	t.Logf("%d divisions by all %d divisors", n, 1<<16-1)
}

// TestMagic checks the multipliers of constant divisors at the numbers where
// a quotient changes.
func TestMagic(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	n := 0
	for _, width := range []uint{32, 64} {
		top := new(big.Int).Lsh(big.NewInt(1), width)
		divisors := edgesOf(int(width))
		for range 3000 {
			divisors = append(divisors, r.Uint64()>>(64-width)>>(r.Uint32()%uint32(width))|1)
		}
		for _, d := range divisors {
			if d == 0 || d&(d-1) == 0 {
				continue
			}
			for _, size := range []uint{width, width - 1} {
				m, k := magic(d, width, size)
				if m.BitLen() > int(width)+1 {
					t.Fatalf("%d: multiplier of %d bits for %d", d, m.BitLen(), width)
				}
				limit := new(big.Int).Rsh(top, width-size)
				for _, a := range boundaries(d, limit, r) {
					got := new(big.Int).Rsh(new(big.Int).Mul(a, m), width+k)
					if want := new(big.Int).Div(a, new(big.Int).SetUint64(d)); got.Cmp(want) != 0 {
						t.Fatalf("%v/%d: got %v", a, d, got)
					}
					n++
				}
			}
		}
	}
	t.Logf("%d quotients", n)
}

// boundaries returns numbers below limit around multiples of d.
func boundaries(d uint64, limit *big.Int, r *rand.Rand) []*big.Int {
	div := new(big.Int).SetUint64(d)
	last := new(big.Int).Div(new(big.Int).Sub(limit, big.NewInt(1)), div)
	var list []*big.Int
	for range 4 {
		q := new(big.Int).Mod(new(big.Int).SetUint64(r.Uint64()), new(big.Int).Add(last, big.NewInt(1)))
		for _, x := range []*big.Int{q, last} {
			p := new(big.Int).Mul(x, div)
			for d := int64(-1); d <= 1; d++ {
				if a := new(big.Int).Add(p, big.NewInt(d)); a.Sign() >= 0 && a.Cmp(limit) < 0 {
					list = append(list, a)
				}
			}
		}
	}
	return append(list, new(big.Int).Sub(limit, big.NewInt(1)))
}

// TestInverse follows the steps of f64 division for fractions in [1, 2) from
// estimates of 20 bits and up. A divisor of all ones needs the unit's own
// estimate (TestInverse64).
func TestInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	n := 0
	check := func(a, b float64) {
		if math.Float64bits(b)|0xfff<<52 == math.MaxUint64 {
			return
		}
		for _, off := range []float64{0, 0x1p-21, -0x1p-21, 0x1p-24, -0x1p-24} {
			y := math.Float64frombits(math.Float64bits(1/b*(1+off))&^math.MaxUint32 | 1)
			e := math.FMA(-b, y, 1)
			e = math.FMA(e, e, e)
			y = math.FMA(y, e, y)
			y = math.FMA(y, math.FMA(-b, y, 1), y)
			if y != 1/b {
				t.Fatalf("1/%x: got %x", b, y)
			}
			q := a * y
			q = math.FMA(math.FMA(-b, q, a), y, q)
			if q != a/b {
				t.Fatalf("%x/%x: got %x want %x", a, b, q, a/b)
			}
			n++
		}
	}
	fraction := func() float64 {
		f := r.Uint64() >> 12
		switch r.Uint32() % 8 {
		case 0:
			f >>= r.Uint32() % 52
		case 1:
			f = 1<<52 - 1 - f>>(r.Uint32()%52)
		}
		return math.Float64frombits(1023<<52 | f)
	}
	ones := math.Float64frombits(1023<<52 | (1<<52 - 1))
	for _, x := range []float64{1, ones, 1.5, math.Nextafter(1, 2)} {
		check(x, ones)
		check(ones, x)
		check(1, x)
	}
	for range 300000 {
		check(fraction(), fraction())
		check(1, fraction())
	}
	t.Logf("%d quotients", n)
}
