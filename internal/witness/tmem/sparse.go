package tmem

import "fmt"

// Metadata of a sparse A says for the given elements of each chunk of a row
// which elements of the whole row they are: two of four, of tf32 one of two, of
// four bits two pairs of four (PTX ISA, Sparse Matrices). The text shows where it lies in figures only;
// this is how CUTLASS lays it out for 128 rows, and for 64 and 32 where weights are
// stationary. There the same lies again in the other lanes, for the columns of D
// that are in them; the first is read.

// metaWord returns the bits of metadata of a row's elements from k on.
func (p *plan) metaWord(m *Memory, row, k int) uint32 {
	at := func(lane, column, bit int) uint32 {
		return m.words[p.Meta.Column()+column][(p.Meta.Lane()+lane)%Lanes] >> bit
	}
	switch p.a.bits {
	case 32:
		return at(p.lane(row%8+row/16*16)+k/8*8, p.selector, row/8%2*16+k%8*2)
	case 16:
		return at(p.lane(row%8+row/16*16)+k/16*8, p.selector, row/8%2*16+k%16)
	}
	if p.Kind == MXF4 { // of each pair
		k /= 2
	}
	return at(p.lane(row), k/32, k%32)
}

// spread makes a whole row of the given elements.
func (p *plan) spread(m *Memory, row int, xs []uint64) ([]uint64, error) {
	if p.organisation() == halves {
		return nil, fmt.Errorf("metadata of a product of %d rows has no meaning in the witnesses", p.m)
	}
	if err := m.span(p.Meta, 2); err != nil {
		return nil, err
	}
	if row == 0 {
		m.touch(0, Lanes, p.Meta.Column(), 2, false)
	}
	out := make([]uint64, p.k)
	if p.a.bits == 32 {
		for c, x := range xs {
			out[2*c+int(p.metaWord(m, row, 2*c)>>1&1)] = x
		}
		return out, nil
	}
	run := 1 // of elements that stay together
	if p.Kind == MXF4 {
		run = 2
	}
	for c := 0; c < len(xs); c += 2 * run {
		w := int(p.metaWord(m, row, 2*c))
		copy(out[2*c+run*(w&3):], xs[c:c+run])
		copy(out[2*c+run*(w>>2&3):], xs[c+run:c+2*run])
	}
	return out, nil
}
