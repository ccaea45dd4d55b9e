package machine

import (
	"encoding/binary"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/witness/launch"
)

// Blind launches: kernels of which nobody said how they are started. Every
// parameter of eight bytes is taken for a pointer to a buffer of its own,
// every other one for a small number; what the file says about the block
// size is obeyed. Two cubins of one program, started alike, must leave the
// same bytes, and timed mode must have nothing to say about either.

// blindSize is the size of a buffer, blindNumber the value of a number.
const (
	blindSize   = 1 << 18
	blindNumber = 64
)

// Blind makes such a launch. fill and seed choose the contents of buffers.
// With tail the last parameter holds numbers only: the sizes of an indexer,
// or a count of 64 bits.
func (p *Program) Blind(fill string, seed uint64, tail bool) *Case {
	mem := p.module.Memory()
	c := &Case{Launch: Launch{Grid: [3]uint32{2, 1, 1}, Block: p.blindBlock(), Smem: p.blindSmem(), Memory: mem}}
	for n, x := range p.kernel.Params {
		end := int(x.Offset) + int(x.Size)
		if end > len(c.Launch.Params) {
			c.Launch.Params = append(c.Launch.Params, make([]byte, end-len(c.Launch.Params))...)
		}
		b := c.Launch.Params[x.Offset:end]
		var buf []byte
		switch {
		case len(b) >= 8 && tail && n == len(p.kernel.Params)-1:
			for k := 0; k+8 <= len(b); k += 8 {
				binary.LittleEndian.PutUint64(b[k:], blindNumber)
			}
		case len(b) >= 8:
			buf = launch.Data(fill, seed+uint64(n), blindSize)
			binary.LittleEndian.PutUint64(b, mem.Alloc(buf))
			for k := 8; k+8 <= len(b); k += 8 { // sizes and strides behind a pointer
				binary.LittleEndian.PutUint64(b[k:], 8)
			}
		case len(b) == 4:
			binary.LittleEndian.PutUint32(b, blindNumber)
		default:
			b[0] = blindNumber
		}
		c.Buffers = append(c.Buffers, buf)
	}
	return c
}

// blindBlock is the block size that the file asks for, or 128 threads.
func (p *Program) blindBlock() [3]uint32 {
	b := [3]uint32{128, 1, 1}
	for _, a := range p.kernel.Attrs {
		if (a.ID == cubin.AttrReqNTid || a.ID == cubin.AttrMaxThreads) && len(a.Words) == 3 {
			b = [3]uint32{max(a.Words[0], 1), max(a.Words[1], 1), max(a.Words[2], 1)}
			if a.ID == cubin.AttrReqNTid {
				return b
			}
		}
	}
	return b
}

// blindSmem is enough dynamic shared memory for most.
func (p *Program) blindSmem() uint32 { return 64 << 10 }

// nowhere is what a blind launch finds where there is no memory: zeros, and
// stores are lost.
func (w *Warp) nowhere(n uint64) []byte {
	clear(w.void[:])
	return w.void[:n]
}
