package matrix

import "github.com/goptxas/goptxas/internal/engine/fp"

// Fragment is a matrix of wmma spread over a warp.
type Fragment struct {
	Which    byte // 'a', 'b' or 'c'
	M, N, K  int
	Elem     Elem
	ByColumn bool // in memory
}

// Element is one place of a matrix.
type Element struct{ Row, Col int }

// size returns the rows and columns of the matrix.
func (f *Fragment) size() (rows, cols int) {
	switch f.Which {
	case 'a':
		return f.M, f.K
	case 'b':
		return f.K, f.N
	}
	return f.M, f.N
}

// Line is the length of a line of the matrix in memory.
func (f *Fragment) Line() int {
	rows, cols := f.size()
	if f.ByColumn {
		return rows
	}
	return cols
}

// Words is how many registers of 32 bits hold the fragment.
func (f *Fragment) Words() int {
	rows, cols := f.size()
	return rows * cols * f.Elem.Bits / 1024
}

// packed is how many elements move together: those smaller than a byte.
func (f *Fragment) packed() int {
	if f.Elem.Bits < 8 {
		return 32 / f.Elem.Bits
	}
	return 1
}

// Elements returns the elements that lane l holds, in the order of its
// registers. Lane l is at line l/4 of the matrix and place l%4 along the
// depth (of C, along the row); blocks of eight lines follow.
func (f *Fragment) Elements(l int) []Element {
	n := per(f.Elem)
	group, place := l/4, l%4*n
	rows, cols := f.size()
	lines, deep := rows, cols // of A and C
	if f.Which == 'b' {
		lines, deep = cols, rows
	}
	turned := f.Which == 'b'
	if f.Which == 'c' {
		if n == 1 {
			place = l % 4 * 2
		}
		if f.M == 8 && f.N == 32 { // computed transposed
			turned = true
			lines, deep = cols, rows
		}
	}
	var out []Element
	add := func(line, at int) {
		for e := 0; e < f.run(); e += f.packed() {
			x := Element{line, at + e}
			if turned {
				x = Element{at + e, line}
			}
			out = append(out, x)
		}
	}
	f.blocks(lines, deep, func(line, at int) { add(group+line, place+at) })
	return out
}

// run is how many neighbouring elements a lane holds in one block.
func (f *Fragment) run() int {
	if f.Which == 'c' && per(f.Elem) == 1 {
		return 2
	}
	return per(f.Elem)
}

// blocks visits the blocks of eight lines and four lanes in the order of the
// registers: B goes along the depth first, unless it is the long factor;
// accumulators of squares, like A, along the lines; sixteen lines at a time.
func (f *Fragment) blocks(lines, deep int, visit func(line, at int)) {
	step := 4 * f.run()
	if f.Which == 'b' && lines <= 16 {
		for line := 0; line < lines; line += 8 {
			for at := 0; at < deep; at += step {
				visit(line, at)
			}
		}
		return
	}
	for first := 0; first < lines; first += 16 {
		for at := 0; at < deep; at += step {
			for line := first; line < min(first+16, lines); line += 8 {
				visit(line, at)
			}
		}
	}
}

// Offset returns where an element lies in memory, from the start of the
// matrix, and how many bytes move: of elements smaller than a byte a whole
// register.
func (f *Fragment) Offset(e Element, stride uint64) (at, size uint64) {
	line, place := uint64(e.Row), uint64(e.Col)
	if f.ByColumn {
		line, place = place, line
	}
	if f.packed() > 1 {
		return (line*stride + place) * uint64(f.Elem.Bits) / 8, 4
	}
	return (line*stride + place) * uint64(f.Elem.Bits) / 8, uint64(f.Elem.Bits / 8)
}

// Put writes the n-th element of lane l into registers.
func (f *Fragment) Put(v []Column, l, n int, x uint64) {
	switch {
	case f.Elem.Bits == 64:
		v[2*n][l], v[2*n+1][l] = uint32(x), uint32(x>>32)
	case f.packed() > 1:
		v[n][l] = uint32(x)
	default:
		p := per(f.Elem)
		v[n/p][l] |= uint32(x) << (n % p * f.Elem.Bits)
	}
}

// Get reads it.
func (f *Fragment) Get(v []Column, l, n int) uint64 {
	if f.Elem.Bits == 64 {
		return uint64(v[2*n][l]) | uint64(v[2*n+1][l])<<32
	}
	p := per(f.Elem)
	if f.packed() > 1 {
		p = 1
	}
	return uint64(v[n/p][l]) >> (n % p * f.Elem.Bits) & (1<<min(32, f.Elem.Bits) - 1)
}

// Widen makes f32 of an accumulator of f16.
func Widen(v []Column) []Column {
	out := make([]Column, 2*len(v))
	for n := range v {
		for l, x := range v[n] {
			for h := range 2 {
				out[2*n+h][l] = uint32(fp.Convert(fp.F16, fp.F32, uint64(x>>(16*h)&0xffff), fp.Mode{}))
			}
		}
	}
	return out
}

// Narrow rounds an accumulator of f32.
func Narrow(v []Column, to fp.Format) []Column {
	out := make([]Column, len(v)/2)
	for n := range out {
		for l := range out[n] {
			for h := range 2 {
				out[n][l] |= uint32(fp.Convert(fp.F32, to, uint64(v[2*n+h][l]), fp.Mode{})) << (16 * h)
			}
		}
	}
	return out
}

// Wide is the product of fragments of wmma: of products of sixteen rows and
// eight columns, transposed where there are eight rows.
func (p *Product) Wide(sm, m, n, k int, a, b, c []Column) []Column {
	x := *p
	x.M, x.K = min(16, max(m, n)), k
	if m == 8 && n == 8 {
		return x.On(sm, a, b, c)
	}
	long := m == 32 || n == 32
	if n == 32 {
		a, b, x.A, x.B = b, a, x.B, x.A
	}
	half := len(c) / 2
	words := x.Words('b')
	var out []Column
	for h := range 2 {
		fa, fb := a[:x.Words('a')], b[:words]
		if long {
			fa = a[h*x.Words('a') : (h+1)*x.Words('a')]
		} else {
			fb = b[h*words : (h+1)*words]
		}
		sum := c[h*half : (h+1)*half]
		if x.A.Bits == 32 { // half the depth at a time
			y := x
			y.K = k / 2
			for i := range 2 {
				sum = y.On(sm, fa[2*i:2*i+2], fb[i:i+1], sum)
			}
		} else {
			sum = x.On(sm, fa, fb, sum)
		}
		out = append(out, sum...)
	}
	return out
}
