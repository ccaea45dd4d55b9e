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

// counts returns how many elements of each dimension a box has in shared
// memory.
func (m *Map) counts() [5]uint32 {
	c := [5]uint32{1, 1, 1, 1, 1}
	for n := range m.Rank {
		c[n] = (m.Box[n] + m.Step[n] - 1) / m.Step[n]
	}
	if m.Interleave == 0 {
		c[0] = m.Box[0] // steps count from the second dimension on
	}
	return c
}

// Bytes is how many bytes of shared memory a box fills, and how many a
// barrier is told of.
func (m *Map) Bytes() uint32 {
	n := uint32(1)
	for _, c := range m.counts() {
		n *= c
	}
	return n * uint32(m.Elem())
}

// Tile visits the pieces of the box at a place, in the order of shared
// memory. Places may be outside of the tensor on either side.
func (m *Map) Tile(at [5]int32, visit func(Piece) bool) {
	c, size := m.counts(), m.Elem()
	run := max(1, uint32(unit/size))
	var i [5]uint32
	shared := uint32(0)
	for i[4] = 0; i[4] < c[4]; i[4]++ {
		for i[3] = 0; i[3] < c[3]; i[3]++ {
			for i[2] = 0; i[2] < c[2]; i[2]++ {
				for i[1] = 0; i[1] < c[1]; i[1]++ {
					line, outside := m.line(at, i)
					for x := uint32(0); x < c[0]; x += run {
						n := min(run, c[0]-x)
						if !m.row(int64(at[0])+int64(x), n, line, outside, shared, visit) {
							return
						}
						shared += n * uint32(size)
					}
				}
			}
		}
	}
}

// line returns the address of the start of a line of the tensor.
func (m *Map) line(at [5]int32, i [5]uint32) (addr uint64, outside bool) {
	addr = m.Address
	for n := 1; n < m.Rank; n++ {
		x := int64(at[n]) + int64(i[n])*int64(m.Step[n])
		if x < 0 || uint64(x) >= m.Dim[n] {
			return 0, true
		}
		addr += uint64(x) * m.Stride[n]
	}
	return addr, false
}

// row visits n elements from x of a line, in parts where some are outside.
func (m *Map) row(x int64, n uint32, line uint64, outside bool, shared uint32, visit func(Piece) bool) bool {
	size := uint32(m.Elem())
	inside := func(x int64) bool { return !outside && x >= 0 && uint64(x) < m.Dim[0] }
	for k := uint32(0); k < n; {
		e := k + 1
		for e < n && inside(x+int64(e)) == inside(x+int64(k)) {
			e++
		}
		p := Piece{Shared: shared + k*size, Bytes: (e - k) * size, Outside: !inside(x + int64(k))}
		if !p.Outside {
			p.Global = line + uint64(x+int64(k))*uint64(size)
		}
		if !visit(p) {
			return false
		}
		k = e
	}
	return true
}

// Swizzled returns where a byte of shared memory lies: bits 4 and up of its
// address are mixed with those from 7 on.
func (m *Map) Swizzled(addr uint32) uint32 {
	mask := uint32(1)<<m.Swizzle - 1
	return addr ^ (addr >> 7 & mask << 4)
}

// Fill is what loads give outside of a tensor.
func (m *Map) Fill() []byte {
	if !m.NaN {
		return make([]byte, m.Elem())
	}
	switch m.Type {
	case F16:
		return []byte{0xff, 0x7f}
	case BF16:
		return []byte{0xff, 0x7f}
	case F64:
		return []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}
	case F32, F32Ftz, TF32, TF32Ftz:
		return []byte{0xff, 0xff, 0xff, 0x7f}
	}
	return make([]byte, m.Elem())
}
