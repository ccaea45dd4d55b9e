package matrix

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/fp"
)

// layout is a way to put a factor of 16-bit elements into shared memory, as
// the PTX ISA draws it; the test writes it without the descriptor.
type layout struct {
	name   string
	across bool
	desc   uint64                      // all but the start
	at     func(line, k uint32) uint32 // byte of an element, from the start
}

// mix is the swizzle of spans of 32, 64 and 128 bytes: sixteen bytes of a
// line change places by the number of the 128 bytes they lie in.
func mix(at, span uint32) uint32 {
	chunk, row := at/16%8, at/128%8
	return at&^0x70 | (chunk^row&(span/16-1))<<4
}

var layouts = []layout{
	{"rows of cores", false, 8<<16 | 16<<32, func(line, k uint32) uint32 {
		return line/8*256 + k/8*128 + line%8*16 + k%8*2
	}},
	{"rows of 128", false, 1<<62 | 64<<32, func(line, k uint32) uint32 { return mix(line*128+k*2, 128) }},
	{"rows of 64", false, 2<<62 | 32<<32, func(line, k uint32) uint32 { return mix(line*64+k*2, 64) }},
	{"rows of 32", false, 3<<62 | 16<<32, func(line, k uint32) uint32 { return mix(line*32+k*2, 32) }},
	{"columns of 128", true, 1<<62 | 128<<16 | 64<<32, func(line, k uint32) uint32 {
		return mix(line/64*2048+line%64*2+k*128, 128)
	}},
	{"columns of 64", true, 2<<62 | 64<<16 | 32<<32, func(line, k uint32) uint32 {
		return mix(line/32*1024+line%32*2+k*64, 64)
	}},
	{"columns of cores", true, 16<<16 | 32<<32, func(line, k uint32) uint32 {
		return line/8*512 + line%8*2 + k/8*256 + k%8*16
	}},
}

// TestGroup compares products of small whole numbers with plain sums, for
// every layout of either factor and for A in registers.
func TestGroup(t *testing.T) {
	const n, depth, second = 72, 16, 16384
	rng := rand.New(rand.NewPCG(1, 2))
	var a [64][depth]int
	var b [n][depth]int
	for r := range a {
		for k := range depth {
			a[r][k] = rng.IntN(15) - 7
		}
	}
	for c := range b {
		for k := range depth {
			b[c][k] = rng.IntN(15) - 7
		}
	}
	half := func(v int) uint16 {
		return uint16(fp.Convert(fp.F32, fp.F16, uint64(math.Float32bits(float32(v))), fp.Mode{}))
	}
	for _, la := range layouts {
		for _, lb := range layouts {
			shared := make([]byte, 2*second)
			for r := range a {
				for k := range depth {
					binary.LittleEndian.PutUint16(shared[la.at(uint32(r), uint32(k)):], half(a[r][k]))
				}
			}
			for c := range b {
				for k := range depth {
					binary.LittleEndian.PutUint16(shared[second+lb.at(uint32(c), uint32(k)):], half(b[c][k]))
				}
			}
			g := Group{Product: Product{M: 16, K: depth, A: FloatElem(fp.F16), B: FloatElem(fp.F16), Sum: FloatElem(fp.F32)}, N: n}
			g.TransA, g.TransB, g.Dot = la.across, lb.across, DotOf(90, g.A, g.Sum)
			mem := func(addr uint32) []byte { return shared[addr : addr+16] }
			for warp := range 4 {
				d := g.Run(warp, mem, Descriptor(la.desc), Descriptor(lb.desc|second>>4), nil, make([]Column, n/2))
				checkGroup(t, fmt.Sprintf("%s, %s, warp %d", la.name, lb.name, warp), d, a[16*warp:], b[:])
			}
		}
	}
}

func checkGroup(t *testing.T, name string, d []Column, a [][16]int, b [][16]int) {
	t.Helper()
	for l := range 32 {
		for i := range d {
			// PTX ISA: the fragment of D
			row, col := l/4+i/2%2*8, i/4*8+l%4*2+i%2
			want := 0
			for k := range 16 {
				want += a[row][k] * b[col][k]
			}
			if got := math.Float32frombits(d[i][l]); got != float32(want) {
				t.Fatalf("%s: row %d column %d is %g instead of %d", name, row, col, got, want)
			}
		}
	}
}
