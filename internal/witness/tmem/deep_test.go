package tmem

import (
	"math"
	"math/rand/v2"
	"testing"
)

// e2m1 are the floats of four bits.
var e2m1 = [16]float64{0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6}

// swizzled is where byte b of line r of 128 bytes lies, when the pattern of the
// swizzle begins at a number of such lines.
func swizzled(at, r, b, base int) int {
	at += r*128 + b
	return at ^ (at/128-base)&7*16
}

// TestDeepProduct: products of depth 96 with lines of 48 bytes that begin
// anywhere in one buffer and go on in another, and scales that go on in the next
// word of a row.
func TestDeepProduct(t *testing.T) {
	const (
		m, n, depth = 128, 64, 96
		place       = 100 // of scales
	)
	for _, x := range []struct{ block, idA, idB, start, base int }{
		{16, 0, 2, 0, 0}, {16, 2, 0, 48, 0}, {16, 2, 2, 96, 3}, {32, 0, 1, 112, 0}, {32, 3, 2, 80, 5},
	} {
		rng := rand.New(rand.NewPCG(3, uint64(x.start)))
		mem := make([]byte, 1<<17)
		b := &Block{Mem: New(0), Shared: func(at uint32) []byte { return mem[at : at+16] }}
		b.Mem.Hold(1<<Units - 1)
		fill := func(lines, at, next, base int) [][]float64 {
			out := make([][]float64, lines)
			for r := range out {
				for k := range depth {
					v := rng.IntN(16)
					out[r] = append(out[r], e2m1[v])
					to := swizzled(at, r, x.start+k/2, base)
					if over := x.start + k/2 - 128; over >= 0 {
						to = swizzled(next, r, over, base)
					}
					mem[to] |= byte(v << (k % 2 * 4))
				}
			}
			return out
		}
		scales := func(lines, column, id int) [][]float64 {
			out := make([][]float64, lines)
			for r := range out {
				for s := range depth / x.block {
					e := 120 + rng.IntN(12)
					out[r] = append(out[r], math.Ldexp(1, e-127))
					at := id + s
					b.Mem.words[column+r/32+at/4*4][r%32] |= uint32(e) << (at % 4 * 8)
				}
			}
			return out
		}
		lines, columns := fill(m, 0, 1<<14, x.base), fill(n, 1<<15, 3<<14, x.base)
		sa, sb := scales(m, place, x.idA), scales(n, place+16, x.idB)
		desc := func(at, next int) Descriptor {
			return 2<<61 | 1<<52 | Descriptor(x.base)<<49 | 64<<32 | Descriptor(next>>4)<<16 | Descriptor((at+x.start)>>4)
		}
		o := Order{
			Kind: MXF4, Block: x.block, A: desc(0, 1<<14), B: desc(1<<15, 3<<14), D: 4, ScaleA: place, ScaleB: place + 16,
			I: 1<<31 | m>>4<<24 | 1<<23 | n>>3<<17 | 1<<7 | 1<<10 | uint32(x.idA)<<29 | uint32(x.idB)<<4,
		}
		if err := o.Run([]*Block{b}); err != nil {
			t.Fatal(err)
		}
		for r := range lines {
			for c := range columns {
				want := 0.0
				for k := range depth {
					want += lines[r][k] * columns[c][k] * sa[r][k/x.block] * sb[c][k/x.block]
				}
				if got := float64(math.Float32frombits(b.Mem.words[4+c][r])); math.Abs(got-want) > 1e-4*max(1, math.Abs(want)) {
					t.Fatalf("%+v: row %d column %d is %v, want %v", x, r, c, got, want)
				}
			}
		}
	}
	for _, o := range []Order{
		{Kind: MXF4, Block: 16, I: 1<<31 | 128>>4<<24 | 8<<17 | 1<<7 | 1<<10 | 1<<29},
		{Kind: MXF4, Block: 32, I: 1<<31 | 128>>4<<24 | 8<<17 | 1<<7 | 1<<10 | 1<<23 | 1<<2},
		{Kind: MXF8F6F4, Block: 32, I: 1<<31 | 128>>4<<24 | 8<<17 | 1<<23},
		{Kind: F16, A: 1 << 52, I: 128>>4<<24 | 8<<17 | 1<<4},
	} {
		if err := o.Run([]*Block{{Mem: New(0)}}); err == nil {
			t.Errorf("%v with descriptor %#x is done", o.Kind, o.I)
		}
	}
}
