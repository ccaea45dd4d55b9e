package async

import "github.com/goptxas/goptxas/internal/witness/tensor"

// Where the bytes of a box lie, computed from their number. The interpreter
// walks over the tensor instead (package tensor); nothing of it is used here
// but the fields of the map.

// box is a copy of a map's box: rows of bytes that lie in one place of the
// tensor.
type box struct {
	*tensor.Map
	at   [5]int64
	off  [5]int64 // what im2col adds to each place
	size int64    // bytes of an element, or of as many as lie together
	left int64    // bytes of shared memory behind them that are left alone
	row  int64    // bytes of a row
	rows int64
	gap  int64 // from row to row in shared memory
}

// newBox describes the copy at a place. Offsets are those of im2col, for
// width, height and depth.
func newBox(m *tensor.Map, at [5]int32, off [3]int32) *box {
	b := &box{Map: m, rows: 1}
	for n, x := range at {
		b.at[n] = int64(x)
	}
	switch m.Type {
	case tensor.B4x16: // two to a byte
		b.pack(2, 1, 0)
	case tensor.B4x16P64:
		b.pack(16, 8, 8)
	case tensor.B6x16P32:
		b.pack(16, 12, 4)
	default:
		b.pack(1, 1<<[...]uint{0, 1, 2, 2, 3, 3, 1, 2, 2, 3, 1, 2, 2}[m.Type], 0)
	}
	m = b.Map
	b.row = int64(m.Box[0]) * (b.size + b.left)
	if m.Interleave > 0 {
		b.row = 16 << (m.Interleave - 1)
	}
	b.gap = b.row
	if span := int64(16) << m.Swizzle; m.Swizzle > 0 && m.Interleave == 0 && b.gap < span {
		b.gap = span
	}
	if m.Im2col {
		b.rows = int64(m.Pixels)
		for n := range m.Rank - 2 {
			b.off[b.width()+n] = int64(off[n])
		}
		return b
	}
	for d := b.width(); d < m.Rank; d++ {
		if m.Interleave == 0 || d != m.Rank-2 { // slices of channels come one at a time
			b.rows *= b.count(d)
		}
	}
	return b
}

// pack takes so many elements for one, of size bytes and a gap.
func (b *box) pack(count, size, gap int64) {
	m := *b.Map
	b.Map, b.size, b.left = &m, size, gap
	m.Box[0] /= uint32(count)
	m.Dim[0] = uint64((int64(m.Dim[0]) + count - 1) / count)
	m.Stride[0] = uint64(size)
	b.at[0] /= count
}

// width is the dimension of the width: what lies in one place has one of its
// own before it, unless it is interleaved.
func (b *box) width() int {
	if b.Interleave > 0 {
		return 0
	}
	return 1
}

// illegal reports whether the machine takes the copy for an illegal
// instruction: pixels that begin outside of their box, stores that begin
// before the tensor.
func (b *box) illegal(store bool) bool {
	for d := range b.Rank {
		k := d - b.width()
		pixel := b.Im2col && k >= 0 && k < b.Rank-2
		switch x := b.at[d]; {
		case store && x < 0, pixel && x < int64(b.Lower[k]), pixel && x > int64(b.Dim[d])-1+int64(b.Upper[k]):
			return true
		}
	}
	return false
}

// count is how many places of dimension d a tile has.
func (b *box) count(d int) int64 {
	step := int64(b.Step[d])
	return (int64(b.Box[d]) + step - 1) / step
}

// total is how many bytes the copy has.
func (b *box) total() uint32 { return uint32(b.rows * b.row) }

// told is how many bytes a barrier hears of: those that are moved.
func (b *box) told() uint32 {
	return b.total() / uint32(b.size+b.left) * uint32(b.size)
}

// place returns where row n is in the tensor.
func (b *box) place(n int64) [5]int64 {
	if b.Im2col {
		return b.pixel(n)
	}
	p := b.at
	put := func(d int, n int64) { p[d] += n * int64(b.Step[d]) }
	last := b.Rank - 1
	if b.Interleave == 0 {
		for d := 1; d <= last; d++ {
			put(d, n%b.count(d))
			n /= b.count(d)
		}
		return p
	}
	for d := 0; d < last-1; d++ {
		put(d, n%b.count(d))
		n /= b.count(d)
	}
	put(last, n)
	return p
}

// pixel returns where pixel n of a column is. Along each dimension the first
// run begins where the copy does, all others at the lower corner.
func (b *box) pixel(n int64) [5]int64 {
	p := b.at
	for k := range b.Rank - 2 {
		d := b.width() + k
		low, high, step := int64(b.Lower[k]), int64(b.Dim[d])-1+int64(b.Upper[k]), int64(b.Step[d])
		first, whole := runs(b.at[d], high, step), runs(low, high, step)
		if n < first {
			p[d] += n * step
			n = 0
			continue
		}
		n -= first
		p[d] = low + n%whole*step
		n = 1 + n/whole
	}
	p[b.Rank-1] += n * int64(b.Step[b.Rank-1])
	return p
}

// runs is how many places there are from first to last: one at least.
func runs(first, last, step int64) int64 {
	if last < first {
		return 1
	}
	return (last-first)/step + 1
}

// source returns the address of byte k of row n, or that it is outside.
func (b *box) source(n, k int64) (addr uint64, inside bool) {
	p := b.place(n)
	addr = b.Address
	for d := range b.Rank {
		x := p[d] + b.off[d]
		stride := int64(b.Stride[d])
		switch {
		case d > 0:
		case b.Interleave > 0:
			stride = b.row
		default:
			x += k / (b.size + b.left)
			k %= b.size + b.left
		}
		if x < 0 || x >= int64(b.Dim[d]) {
			return 0, false
		}
		addr += uint64(x * stride)
	}
	return addr + uint64(k), true
}

// chunk is what is moved at once: as much as no swizzle parts.
const chunk = 16

// each moves the box in parts of at most sixteen bytes that are inside or
// outside as a whole.
func (b *box) each(shared uint32, move func(shared, addr uint64, n int64, inside bool) bool) {
	step := min(b.size, chunk)
	if b.Interleave > 0 {
		step = chunk
	}
	for n := range b.rows {
		for at := int64(0); at < b.row; at += chunk {
			for k, end := at, min(at+chunk, b.row)-b.left; k < end; {
				addr, inside := b.source(n, k)
				e := k + step
				for e < end {
					next, in := b.source(n, e)
					if in != inside || in && next != addr+uint64(e-k) {
						break
					}
					e += step
				}
				if !move(b.mixed(uint64(shared)+uint64(n*b.gap+k)), addr, e-k, inside) {
					return
				}
				k = e
			}
		}
	}
}

// mixed swizzles an address of shared memory: the number of sixteen bytes in
// a line of 128 changes with the number of the line.
func (b *box) mixed(addr uint64) uint64 {
	line, place := addr/128, addr/16%8
	if b.Atom == 1 { // of thirty-two bytes, with the last two bits of the line
		return addr - place*16 + (place^line%4*2)*16
	}
	turned := place ^ line%(1<<b.Swizzle)
	return addr - place*16 + turned*16
}

// missing is what a load brings from outside of the tensor: zeros, or a NaN
// of sixteen bits again and again.
func (b *box) missing(n int64) []byte {
	out := make([]byte, n)
	if !b.NaN || b.Type < tensor.F16 || b.Type >= tensor.B4x16 {
		return out
	}
	for k := range out {
		out[k] = [2]byte{0xf7, 0x7f}[k%2]
	}
	return out
}
