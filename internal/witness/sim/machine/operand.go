package machine

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/texture"
)

// AddrOf computes a lane's address.
func (w *Warp) AddrOf(a *code.Address, l int) uint64 {
	r := uint64(w.Row(a.Row)[l]) | uint64(w.Row(a.Hi)[l])<<32
	u := uint64(w.Row(a.Urow)[l]) | uint64(w.Row(a.Uh)[l])<<32
	return r<<a.Scale + u + uint64(a.Imm)
}

// Addr32 is an address of a space of 32 bits.
func (w *Warp) Addr32(a *code.Address, l int) uint64 {
	return uint64(uint32(w.Row(a.Row)[l]<<a.Scale + w.Row(a.Urow)[l] + uint32(a.Imm)))
}

// Locate computes the address of a lane in a space.
func (w *Warp) Locate(i *Inst, a *code.Address, space, l int) uint64 {
	if space == SpaceShared || space == SpaceLocal {
		return w.Addr32(a, l)
	}
	return w.AddrOf(a, l)
}

// Isrc returns a source with its integer marks applied: -x, ~x and |x|.
func (w *Warp) Isrc(s *code.Operand, k int) *[32]uint32 {
	r := w.Row(s.Row)
	if !s.Neg && !s.Inv && !s.Abs {
		return r
	}
	t := &w.Tmp[k]
	for l, v := range r {
		if s.Abs && int32(v) < 0 {
			v = -v
		}
		if s.Neg {
			v = -v
		}
		if s.Inv {
			v = ^v
		}
		t[l] = v
	}
	return t
}

// Dput writes 64 bits to the destination.
func (w *Warp) Dput(i *Inst, l int, v uint64) {
	w.R[i.D[0]][l], w.R[code.NextRow(i.D[0])][l] = uint32(v), uint32(v>>32)
}

// Fill writes a uniform row.
func (w *Warp) Fill(row uint16, v uint32) {
	r := &w.R[row]
	for l := range r {
		r[l] = v
	}
}

// Lanes is the mask that an operation with a uniform result works on.
func (w *Warp) Lanes(i *Inst) uint32 { return w.act & (w.P[i.Guard] ^ i.GuardNot) }

// Uniform64 reads a pair of uniform registers.
func (w *Warp) Uniform64(row uint16) uint64 {
	return uint64(w.R[row][0]) | uint64(w.R[code.Behind(row, 1)][0])<<32
}

// Row is a register, an immediate or a constant in all lanes.
func (w *Warp) Row(n uint16) *[32]uint32 {
	if n < code.NumRows {
		return &w.R[n]
	}
	return &w.m.pool[n-code.NumRows]
}

// Lane is the first lane of a mask.
func Lane(m uint32) int { return bits.TrailingZeros32(m) & 31 }

// Setp writes predicate p of the lanes m.
func (w *Warp) Setp(p uint8, m, v uint32) { w.P[p] = w.P[p]&^m | v&m }

// Pred reads a predicate source.
func (w *Warp) Pred(s code.Pred) uint32 { return w.P[s.P] ^ s.Neg }

// Sm is the number of the target.
func (w *Warp) Sm() int { return w.m.prog.Arch.SM }

// Rank is the number of the warp's block in its cluster.
func (w *Warp) Rank() uint64 { return uint64(w.cta.rank) }

// Textures are those of the launch.
func (w *Warp) Textures() *texture.Set { return w.m.l.Textures }

// Constant reads a word of a constant bank; outside it is zero.
func (w *Warp) Constant(bank int, off uint32) uint32 { return w.m.constant(bank, off) }

// Bank is a constant bank; ok tells whether there can be one of that number.
func (w *Warp) Bank(n int) (b []byte, ok bool) {
	if n >= len(w.m.bank) {
		return nil, false
	}
	return w.m.bank[n], true
}

// OwnShared is the shared memory of the warp's block where addresses without
// a rank reach it and nobody watches accesses, or nil.
func (w *Warp) OwnShared() []byte {
	if w.m.async != nil || w.cta.rank != 0 {
		return nil
	}
	return w.cta.shared
}

// CountShared counts an access to shared memory and the passes it takes
// beyond the first.
func (w *Warp) CountShared(beyond uint64) {
	w.m.stats.Shared++
	w.m.stats.Conflicts += beyond
}
