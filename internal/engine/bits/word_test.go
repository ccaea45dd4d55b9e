package bits

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestWordFields(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		w := Word{r.Uint64(), r.Uint64()}
		n := 1 + r.UintN(64)
		lo := r.UintN(129 - n)
		v := r.Uint64()
		x := w.With(lo, n, v)
		if got, want := x.Field(lo, n), v&mask(n); got != want {
			t.Fatalf("With(%d,%d): field %x, want %x", lo, n, got, want)
		}
		b := new(big.Int).Or(new(big.Int).Lsh(new(big.Int).SetUint64(w.Hi), 64), new(big.Int).SetUint64(w.Lo))
		for i := range uint(128) {
			want := b.Bit(int(i)) == 1
			if w.Bit(i) != want {
				t.Fatalf("Bit(%d) of %x", i, w)
			}
			if (i < lo || i >= lo+n) && x.Bit(i) != want {
				t.Fatalf("With(%d,%d) changed bit %d", lo, n, i)
			}
		}
	}
}
