package opt

import (
	"math/rand/v2"
	"testing"
)

// permuted is the word that a PRMT makes of two.
func permuted(a, sel, b uint32) (out uint32) {
	x := uint64(b)<<32 | uint64(a)
	for n := range 4 {
		s := sel >> (4 * n) & 15
		v := uint8(x >> (8 * (s & 7)))
		if s&8 != 0 {
			v = uint8(int8(v) >> 7)
		}
		out |= uint32(v) << (8 * n)
	}
	return out
}

// TestThrough2: one PRMT makes what two made, of bytes and of their signs.
func TestThrough2(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	joined, signs := 0, 0
	for range 200_000 {
		sel, inner, at, from := r.Uint32()&0xffff, r.Uint32()&0xffff, r.Uint32()&4, r.Uint32()&4
		if r.IntN(2) > 0 { // of one source
			inner = inner&0xbbbb | from*0x1111
		}
		a, b, c := r.Uint32(), r.Uint32(), r.Uint32()
		s, ok := through2(sel, inner, at, from)
		if !ok {
			continue
		}
		joined++
		if inner&0x8888 != 0 && sel&0x8888 != 0 {
			signs++
		}
		y, x := permuted(a, inner, b), a
		if from != 0 {
			x = b
		}
		want, got := permuted(y, sel, c), permuted(x, s, c)
		if at != 0 {
			want, got = permuted(c, sel, y), permuted(c, s, x)
		}
		if got != want {
			t.Fatalf("selectors %04x of %04x, source %d from %d: %04x makes %08x, want %08x", sel, inner, at, from, s, got, want)
		}
	}
	if joined < 50_000 || signs < 10_000 {
		t.Errorf("%d pairs joined, %d of them of signs", joined, signs)
	}
}
