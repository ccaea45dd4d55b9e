package tensor

// Piece is one run of elements of a box: so many bytes at an offset in
// shared memory, and where they lie in global memory, unless they are
// outside of the tensor.
type Piece struct {
	Shared  uint32 // from the start of the box, before the swizzle
	Bytes   uint32
	Global  uint64
	Outside bool
}

// unit is the length of pieces: what no swizzle parts.
const unit = 16

// slice is how many bytes of neighbouring channels an interleaved tensor has
// in one place: its dimensions are width, height and depth, then slices, then
// images, and the first of them counts slices.
func (m *Map) slice() uint32 { return uint32(16 * m.Interleave) }

// row is how many bytes of a box lie in one place of the tensor: a line of a
// tile, the channels of a pixel, or a slice.
func (m *Map) row() uint32 {
	if m.Interleave != 0 {
		return m.slice()
	}
	count, size := m.together()
	return m.Box[0] / count * size
}

// pitch is how far rows of a box are from each other in shared memory: where
// they are swizzled, a short one still takes the whole span.
func (m *Map) pitch() uint32 {
	if m.Swizzle == 0 || m.Interleave != 0 {
		return m.row()
	}
	return max(m.row(), uint32(unit<<m.Swizzle))
}

// order lists the dimensions whose places are counted, the fastest in shared
// memory first. Of an interleaved tensor one slice is copied, whatever the box
// says.
func (m *Map) order() []int {
	if m.Interleave == 0 {
		return []int{1, 2, 3, 4}[:m.Rank-1]
	}
	list := []int{0, 1, 2}[:m.Rank-2]
	return append(list[:len(list):len(list)], m.Rank-1)
}

// rows is how many rows a box has.
func (m *Map) rows() uint32 {
	if m.Im2col {
		return m.Pixels
	}
	n := uint32(1)
	for _, d := range m.order() {
		n *= (m.Box[d] + m.Step[d] - 1) / m.Step[d]
	}
	return n
}

// Bytes is how many bytes of shared memory a box has.
func (m *Map) Bytes() uint32 { return m.rows() * m.row() }

// Told is how many bytes a barrier is told of: those that are brought. CUTLASS
// expects so many of elements of less than a byte.
func (m *Map) Told() uint32 {
	_, size := m.together()
	return m.Bytes() / size * uint32(m.Elem())
}

// Tile visits the pieces of the box at a place, in the order of shared
// memory. Places may be outside of the tensor on either side. Offsets are
// those of im2col.
func (m *Map) Tile(at [5]int32, off [3]int32, visit func(Piece) bool) {
	rows, pitch := m.rows(), m.pitch()
	if count, _ := m.together(); count > 1 {
		packed := *m
		packed.Dim[0], packed.Box[0] = (m.Dim[0]+uint64(count)-1)/uint64(count), m.Box[0]/count
		m = &packed
		at[0] /= int32(count)
	}
	var place [5]int64
	for n := range place {
		place[n] = int64(at[n])
	}
	for k := range rows {
		if !m.visitRow(place, off, k*pitch, visit) {
			return
		}
		if m.Im2col {
			m.nextPixel(&place)
		} else {
			m.nextLine(at, &place)
		}
	}
}

// nextLine goes on to the next line of a tile.
func (m *Map) nextLine(at [5]int32, place *[5]int64) {
	for _, d := range m.order() {
		if place[d] += int64(m.Step[d]); place[d] < int64(at[d])+int64(m.Box[d]) {
			return
		}
		place[d] = int64(at[d])
	}
}

// space lists the dimensions that pixels have places in, and that of images.
func (m *Map) space() (dims []int, images int) {
	if m.Interleave != 0 {
		return []int{0, 1, 2}[:m.Rank-2], m.Rank - 1
	}
	return []int{1, 2, 3}[:m.Rank-2], m.Rank - 1
}

// Begins reports whether a copy may begin at a place: one of pixels only in
// their box, and one out of shared memory not before the tensor. The machine
// takes others for illegal instructions.
func (m *Map) Begins(at [5]int32, store bool) bool {
	for n := range m.Rank {
		if store && at[n] < 0 {
			return false
		}
	}
	if !m.Im2col {
		return true
	}
	dims, _ := m.space()
	for n, d := range dims {
		if at[d] < m.Lower[n] || int64(at[d]) >= int64(m.Dim[d])+int64(m.Upper[n]) {
			return false
		}
	}
	return true
}

// nextPixel goes on to the next pixel: from the upper corner of the box of
// pixels on at the lower one, in the next line, plane and image.
func (m *Map) nextPixel(place *[5]int64) {
	dims, images := m.space()
	for n, d := range dims {
		if place[d] += int64(m.Step[d]); place[d] < int64(m.Dim[d])+int64(m.Upper[n]) {
			return
		}
		place[d] = int64(m.Lower[n])
	}
	place[images] += int64(m.Step[images])
}

// visitRow visits the pieces of one row. Offsets move pixels, not where they
// are counted.
func (m *Map) visitRow(place [5]int64, off [3]int32, shared uint32, visit func(Piece) bool) bool {
	if m.Im2col {
		dims, _ := m.space()
		for n, d := range dims {
			place[d] += int64(off[n])
		}
	}
	addr, inside := m.Address, true
	for d := range m.Rank {
		if d == 0 && m.Interleave == 0 {
			continue
		}
		inside = inside && place[d] >= 0 && uint64(place[d]) < m.Dim[d]
		stride := m.Stride[d]
		if d == 0 {
			stride = uint64(m.slice())
		}
		addr += uint64(place[d]) * stride
	}
	if m.Interleave != 0 {
		for at := uint32(0); at < m.row(); at += unit {
			if !visit(Piece{Shared: shared + at, Bytes: unit, Global: addr + uint64(at), Outside: !inside}) {
				return false
			}
		}
		return true
	}
	_, size := m.together()
	for x := uint32(0); x < m.Box[0]; x += max(1, unit/size) {
		n := min(max(1, unit/size), m.Box[0]-x)
		if !m.elements(place[0]+int64(x), n, addr, inside, shared+x*size, visit) {
			return false
		}
	}
	return true
}

// elements visits n elements from x of a row, in parts where some are outside.
// Where shared memory has gaps, n is one.
func (m *Map) elements(x int64, n uint32, row uint64, inside bool, shared uint32, visit func(Piece) bool) bool {
	size := uint32(m.Elem())
	_, pitch := m.together()
	in := func(x int64) bool { return inside && x >= 0 && uint64(x) < m.Dim[0] }
	for k := uint32(0); k < n; {
		e := k + 1
		for e < n && in(x+int64(e)) == in(x+int64(k)) {
			e++
		}
		p := Piece{Shared: shared + k*pitch, Bytes: (e - k) * size, Outside: !in(x + int64(k))}
		if !p.Outside {
			p.Global = row + uint64(x+int64(k))*uint64(size)
		}
		if !visit(p) {
			return false
		}
		k = e
	}
	return true
}

// Swizzled returns where a byte of shared memory lies: bits 4 and up of its
// address are mixed with those from 7 on. Where 32 bytes stay together, bits 5
// and 6 are (CUTLASS reads the PTX ISA's figure so).
func (m *Map) Swizzled(addr uint32) uint32 {
	if m.Atom == 1 {
		return addr ^ (addr >> 7 & 3 << 5)
	}
	mask := uint32(1)<<m.Swizzle - 1
	return addr ^ (addr >> 7 & mask << 4)
}

// Fill is what loads give outside of a tensor. Of floats it is a NaN of
// sixteen bits, over and over.
func (m *Map) Fill() []byte {
	b := make([]byte, m.Elem())
	switch m.Type {
	case F16, BF16, F32, F32Ftz, F64, TF32, TF32Ftz:
		for k := 0; m.NaN && k < len(b); k += 2 {
			b[k], b[k+1] = 0xf7, 0x7f
		}
	}
	return b
}
