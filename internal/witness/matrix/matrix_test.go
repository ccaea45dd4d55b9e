package matrix

import (
	"testing"

	"github.com/goptxas/goptxas/internal/engine/fp"
)

// products are the shapes and elements of mma.
func products() []Product {
	half, single := FloatElem(fp.F16), FloatElem(fp.F32)
	word := Elem{Bits: 32, Signed: true}
	var out []Product
	for _, k := range []int{8, 16} {
		out = append(out, Product{M: 16, K: k, A: half, B: half, Sum: single}, Product{M: 16, K: k, A: half, B: half, Sum: half})
	}
	for _, k := range []int{4, 8, 16} {
		f64 := FloatElem(fp.F64)
		out = append(out, Product{M: 16, K: k, A: f64, B: f64, Sum: f64})
	}
	for _, b := range []int{8, 4, 1} {
		e := Elem{Bits: b}
		out = append(out, Product{M: 8, K: 128 / b, A: e, B: e, Sum: word}, Product{M: 16, K: 256 / b, A: e, B: e, Sum: word})
	}
	return out
}

// TestPlaces: every place of every register holds one element.
func TestPlaces(t *testing.T) {
	all := products()
	for _, p := range all {
		for _, f := range []struct {
			name       string
			rows, cols int
			elem       Elem
			at         func(r, c int) place
		}{
			{"a", p.M, p.K, p.A, p.a}, {"b", p.K, 8, p.B, p.b}, {"c", p.M, 8, p.Sum, p.c},
		} {
			seen := map[place]bool{}
			for r := range f.rows {
				for c := range f.cols {
					x := f.at(r, c)
					if seen[x] {
						t.Fatalf("%+v %s: %+v holds two elements", p, f.name, x)
					}
					seen[x] = true
				}
			}
			if n := p.Words(f.name[0]) * 32 * 32 / f.elem.Bits; len(seen) != n {
				t.Errorf("%+v %s: %d places of %d", p, f.name, len(seen), n)
			}
		}
	}
	t.Logf("%d products", len(all))
}

// TestSparse: metadata reaches every row and stays inside its chunk.
func TestSparse(t *testing.T) {
	for _, c := range []struct {
		bits, k, lanes int
		bytes          bool
	}{{16, 16, 1, false}, {16, 32, 2, false}, {32, 8, 1, false}, {32, 16, 2, false}, {8, 32, 2, true}, {8, 64, 4, true}, {4, 64, 2, true}, {4, 128, 4, true}} {
		p := Product{M: 16, K: c.k, A: Elem{Bits: c.bits}, Sparse: true, Bytes: c.bytes}
		for l := range p.Meta {
			p.Meta[l] = 0xeeeeeeee // the last two
		}
		used := map[[2]int]bool{}
		for r := range 16 {
			for k := range c.k / 2 {
				at := p.partner(r, k)
				if at < 0 || at >= c.k {
					t.Fatalf("%+v: element %d meets %d", c, k, at)
				}
				used[[2]int{r, at}] = true
			}
		}
		if len(used) != 16*c.k/2 {
			t.Errorf("%+v: %d elements are met, want %d", c, len(used), 16*c.k/2)
		}
	}
}

// TestFragments: a fragment of wmma holds every element once.
func TestFragments(t *testing.T) {
	n := 0
	for _, s := range [][3]int{{16, 16, 16}, {8, 32, 16}, {32, 8, 16}} {
		for _, e := range []Elem{FloatElem(fp.F16), {Bits: 8}} {
			for _, which := range []byte("abc") {
				f := Fragment{Which: which, M: s[0], N: s[1], K: s[2], Elem: e}
				if which == 'c' && e.Bits == 8 {
					f.Elem = Elem{Bits: 32}
				}
				seen := map[Element]bool{}
				for l := range 32 {
					for _, x := range f.Elements(l) {
						seen[x] = true
					}
				}
				rows, cols := f.size()
				if len(seen) != rows*cols {
					t.Errorf("%c of %v: %d elements of %d", which, s, len(seen), rows*cols)
				}
				n++
			}
		}
	}
	t.Logf("%d fragments", n)
}

// TestTranspose: twice is nothing.
func TestTranspose(t *testing.T) {
	var v Column
	for l := range v {
		v[l] = uint32(l) * 0x01010203
	}
	once := Transpose(&v)
	if twice := Transpose(&once); twice != v || once == v {
		t.Error("a matrix transposed twice is another")
	}
}
