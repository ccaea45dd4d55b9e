package machine

import (
	"encoding/binary"
	"hash/fnv"
	"math/bits"
)

// What PTX leaves open: registers and local and shared memory begin with
// anything, clocks and numbers of multiprocessors tell anything, and threads
// that nothing orders come in any order. Two runs with another
// Options.Garbage and another Options.Schedule give the same buffers unless
// the launch depends on one of these.

// filler is what lies at a place: the garbage with some low bits of each
// byte flipped, so that places differ and numbers keep their size.
func (g *grid) filler(n uint64) uint64 {
	z := n * 0xBF58476D1CE4E5B9
	return g.opts.Garbage ^ (z^z>>29)&0x0101010101010101
}

// dirty fills memory that nobody has written, where that is asked for.
func (g *grid) dirty(b []byte) {
	if g.opts.Garbage == 0 {
		return
	}
	var word [8]byte
	for n := range b {
		if n%8 == 0 {
			binary.LittleEndian.PutUint64(word[:], g.filler(uint64(n)))
		}
		b[n] = word[n%8]
	}
}

// dirtyRegs does so with the registers of a frame.
func (g *grid) dirtyRegs(f *frame) {
	if g.opts.Garbage == 0 {
		return
	}
	for n, s := range f.fn.slots {
		width := widthOf(f.fn.body.Regs[n].Type)
		for k := s; int(k) < len(f.regs) && width > 0; k++ {
			for l := range Lanes {
				f.regs[k][l] = g.filler(uint64(int(k)*Lanes+l)) & Low(width)
			}
			width -= 64
		}
	}
}

// anyTime is what a clock, or a number of a place, tells.
func (w *Warp) anyTime(v uint64) uint64 {
	g := w.cta.grid
	g.open = true
	return v + g.opts.Garbage
}

// Order returns the lanes of a mask one after the other, in the order of the
// schedule: what instructions of several lanes on one place leave open.
func (w *Warp) Order(mask uint32, list *[Lanes]uint8) []uint8 {
	n := 0
	for m := mask; m != 0; m &= m - 1 {
		list[n] = uint8(bits.TrailingZeros32(m))
		n++
	}
	shuffleList(w.cta.grid, list[:n])
	return list[:n]
}

// hash sums up the buffers of the launch.
func (g *grid) hash() uint64 {
	h := fnv.New64a()
	first := len(g.p.lay.global)
	for _, b := range g.mem.segments[first : first+g.buffers] {
		h.Write(b) //nolint:errcheck // cannot fail
	}
	return h.Sum64()
}
