package tmem

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/fp"
)

// TestMoves checks that every shape reaches each word of its lanes and columns
// once, and that a load reads what a store wrote.
func TestMoves(t *testing.T) {
	for _, s := range []Shape{S32x32, S16x64, S16x128, S16x256} {
		for _, pack := range []bool{false, true} {
			m := New(0)
			m.Hold(1<<Units - 1)
			x := Move{Shape: s, At: 32<<16 | 8, Repeat: 4, Pack: pack, Warp: 1}
			regs := make([][32]uint32, 4*s.Regs())
			n := uint32(0)
			for r := range regs {
				for l := range regs[r] {
					n++
					regs[r][l] = n | n<<16
				}
			}
			if err := x.Store(m, regs); err != nil {
				t.Fatal(err)
			}
			seen := 0
			for c := range m.words {
				for l, w := range m.words[c] {
					if w == 0 {
						continue
					}
					seen++
					if l < 32 || l >= 64 || c < 8 {
						t.Errorf("shape %d: lane %d column %d is written", s, l, c)
					}
				}
			}
			want := len(regs) * 32
			if pack {
				want *= 2
			}
			back := make([][32]uint32, len(regs))
			if err := x.Load(m, back); err != nil || seen != want {
				t.Errorf("shape %d: %d words, want %d, %v", s, seen, want, err)
			}
			for r := range regs {
				if back[r] != regs[r] {
					t.Errorf("shape %d: register %d differs", s, r)
				}
			}
		}
	}
}

// TestRefused names what is no access: another warp's lanes, columns that
// nobody allocated.
func TestRefused(t *testing.T) {
	m := New(0)
	if _, ok := m.Find(2, true); !ok {
		t.Fatal("no columns")
	}
	regs := make([][32]uint32, 1)
	for _, x := range []Move{
		{At: 32 << 16, Repeat: 1},
		{At: 64, Repeat: 1},
		{Shape: S16x64, At: 24 << 16, Repeat: 1},
	} {
		if err := x.Load(m, regs); err == nil {
			t.Errorf("%v is taken", x)
		}
	}
}

// TestZeroColumns is the examples of the PTX ISA, Zero-Column Mask Descriptor.
func TestZeroColumns(t *testing.T) {
	const skip, use, some = 2 << 40, 3 << 48, 1 << 39
	for _, x := range []struct {
		m    uint32
		desc uint64
		want []string // of each part, the first column last
	}{
		{128, skip | use, nil},
		{128, skip | use | some, []string{"11100001110000"}},
		{64, skip | use | some | 1<<32, []string{"00001110000111", "11100001110000"}},
		{32, skip | use | some | 3<<32 | 1<<24 | 2<<16 | 1<<8, []string{"00001110000111", "0000111000011", "111000011100", "1110000111000"}},
	} {
		o := Order{WS: true, Zero: x.desc, I: x.m>>4<<24 | 64>>3<<17 | 1<<4}
		p, err := o.read()
		if err != nil {
			t.Fatal(err)
		}
		if x.want == nil && p.zero != nil {
			t.Error("columns are zero that should not be")
		}
		for part, s := range x.want {
			for k := range len(s) {
				at := part*64/len(x.want) + k
				if want := s[len(s)-1-k] == '1'; p.zero[at] != want {
					t.Errorf("%d rows, part %d, column %d: %v", x.m, part, k, !want)
				}
			}
		}
	}
}

// TestProduct compares products of numbers whose sums are exact with plain
// arithmetic, in every organisation of the lanes.
func TestProduct(t *testing.T) {
	for _, x := range []struct {
		m, n     int
		ws, pair bool
		lane     func(r, n int) (block, lane, column int)
	}{
		{128, 32, false, false, func(r, n int) (int, int, int) { return 0, r, n }},
		{64, 32, false, false, func(r, n int) (int, int, int) { return 0, r%16 + r/16*32, n }},
		{64, 64, true, false, func(r, n int) (int, int, int) { return 0, r + n/32*64, n % 32 }},
		{32, 64, true, false, func(r, n int) (int, int, int) { return 0, r + n/16*32, n % 16 }},
		{256, 32, false, true, func(r, n int) (int, int, int) { return r / 128, r % 128, n }},
		{128, 32, false, true, func(r, n int) (int, int, int) { return r / 64, r%64 + n/16*64, n % 16 }},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		blocks := []*Block{{}}
		if x.pair {
			blocks = append(blocks, &Block{})
		}
		a, b := make([][]float64, x.m), make([][]float64, x.n)
		for k := range blocks {
			mem := make([]byte, 1<<16)
			blocks[k] = &Block{Mem: New(0), Shared: func(at uint32) []byte { return mem[at : at+16] }}
			blocks[k].Mem.Hold(1<<Units - 1)
			fill := func(lines [][]float64, at int) {
				for r := range lines {
					lines[r] = make([]float64, 16)
					for c := range lines[r] {
						v := float64(rng.IntN(17) - 8)
						lines[r][c] = v
						h := fp.Convert(fp.F64, fp.F16, math.Float64bits(v), fp.Mode{})
						off := at + r/8*256 + r%8*16 + c/8*128 + c%8*2
						mem[off], mem[off+1] = byte(h), byte(h>>8)
					}
				}
			}
			rows, cols := x.m/len(blocks), x.n/len(blocks)
			fill(a[k*rows:(k+1)*rows], 0)
			fill(b[k*cols:(k+1)*cols], 1<<15)
		}
		desc := Descriptor(8<<16 | 16<<32)
		o := Order{WS: x.ws, Pair: x.pair, A: desc, B: desc | 1<<15>>4, D: 4, I: uint32(x.m>>4<<24 | x.n>>3<<17 | 1<<4)}
		if err := o.Run(blocks); err != nil {
			t.Fatal(err)
		}
		for r := range x.m {
			for n := range x.n {
				want := 0.0
				for k := range a[r] {
					want += a[r][k] * b[n][k]
				}
				block, lane, col := x.lane(r, n)
				if got := math.Float32frombits(blocks[block].Mem.words[4+col][lane]); float64(got) != want {
					t.Fatalf("%dx%d ws %v pair %v: row %d column %d is %v, want %v", x.m, x.n, x.ws, x.pair, r, n, got, want)
				}
			}
		}
	}
}

// TestTimes checks scales: powers of two and their NaN.
func TestTimes(t *testing.T) {
	d := fp.Dot{Bits: sumBits, Round: fp.RZ}
	one := fp.E2M1.Term(2)
	for x, want := range map[uint64]float32{127: 1, 130: 8, 0: 0x1p-127, 124: 0.125} {
		got := math.Float32frombits(uint32(d.AddTerms(fp.F32, []fp.Term{one.Times(fp.UE8M0.Term(x))}, []fp.Term{one}, 0)))
		if got != want {
			t.Errorf("scale %d makes %v of one, want %v", x, got, want)
		}
	}
	if got := d.AddTerms(fp.F32, []fp.Term{one.Times(fp.UE8M0.Term(255))}, []fp.Term{one}, 0); got != fp.F32.NaN() {
		t.Errorf("scale 255 makes %#x", got)
	}
}

// TestScaledSparse: metadata tells of bytes which two of four they are and of
// four bits which two pairs of four, and a scale counts for twice as many
// elements as in a dense product.
func TestScaledSparse(t *testing.T) {
	const rows, columns = 128 >> 4 << 24, 64 >> 3 << 17
	for _, x := range []struct {
		o          Order
		run, depth int
		block      int
	}{
		{Order{Kind: MXF8F6F4, Block: 32, I: rows | columns | 1<<23 | 1<<2}, 1, 64, 64},
		{Order{Kind: MXF4, Block: 32, I: rows | columns | 1<<23 | 1<<2 | 1<<7 | 1<<10}, 2, 128, 64},
		{Order{Kind: MXF4, Block: 16, I: rows | columns | 1<<2 | 1<<7 | 1<<10}, 2, 128, 32},
	} {
		p, err := x.o.read()
		if err != nil {
			t.Fatal(err)
		}
		if p.k != x.depth || p.block != x.block {
			t.Errorf("depth %d, scales of %d; want %d, %d", p.k, p.block, x.depth, x.block)
		}
		m := New(0)
		m.Hold(1<<Units - 1)
		xs := make([]uint64, p.k/2)
		want := make([]uint64, p.k)
		for c := range xs {
			xs[c] = uint64(c + 1)
		}
		const row = 37
		for chunk := range p.k / (4 * x.run) { // in turn the first and third, the second and last
			low, high := chunk%2, 2+chunk%2
			m.words[chunk/8][row] |= uint32(low|high<<2) << (chunk % 8 * 4)
			for e := range x.run {
				want[(4*chunk+low)*x.run+e] = xs[2*chunk*x.run+e]
				want[(4*chunk+high)*x.run+e] = xs[(2*chunk+1)*x.run+e]
			}
		}
		got, err := p.spread(m, row, xs)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("kind %v: %v, %v\nwant %v", x.o.Kind, got, err, want)
		}
	}
}
