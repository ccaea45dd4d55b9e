package async

import (
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// Tensor copies: one order for the warp. The uniform registers of an order
// are a block: where in shared memory, the barrier of a load, coordinates.

// PrepTensor finds the registers of UTMALDG, UTMASTG, UTMAREDG.
func PrepTensor(i *machine.Inst, parts []string) error {
	w := i.In.Word()
	uniform := func(at uint) uint16 { return code.RowUni + uint16(w.Field(at, 8)) } // sm_90 has 64 of them and zeros above
	i.Pair = slices.Contains(parts, "2CTA")
	i.Rows = slices.Contains(parts, "GATHER4") || slices.Contains(parts, "SCATTER4")
	if i.Multicast = slices.Contains(parts, "MULTICAST"); i.Multicast {
		i.S[2].Row = uniform(64)
	}
	switch mode := w.Field(82, 3); {
	case mode == modeTile, i.Rows:
	case mode == modeIm2col:
		i.Im2col = true
		if i.Op == sass.OpUTMALDG {
			i.S[2].Row = uniform(64)
		}
	default:
		return fmt.Errorf("%s is not simulated", i.Mnemonic)
	}
	i.Cmp = uint8(w.Field(79, 3)) + 1 // dimensions
	i.S[0].Row, i.S[1].Row = uniform(32), uniform(24)
	if most := uint16(code.NumRows - 8); i.S[0].Row > most || i.S[1].Row > most {
		return fmt.Errorf("%s without registers is not simulated", i.Mnemonic)
	}
	if i.Op == sass.OpUTMAREDG {
		i.Bop = uint8(w.Field(87, 3))
	}
	i.Full = true
	return nil
}

// Ways of a copy.
const (
	modeTile   = 0
	modeIm2col = 1
)

// tensorOrder reads the registers of an order: the map, where in shared
// memory, and the places in the tensor. .GATHER4 and .SCATTER4 have the
// column and four rows, of which each is a box.
func tensorOrder(w *machine.Warp, i *machine.Inst, skip uint16) (list []*box, shared uint32) {
	word := func(row uint16) uint32 { return w.R[row][0] }
	addr := uint64(word(i.S[1].Row)) | uint64(word(i.S[1].Row+1))<<32
	raw := w.MapAt(addr)
	if raw == nil {
		return nil, 0
	}
	m, err := tensor.Decode(raw)
	if err != nil {
		w.Fail(0, "%v", err)
		return nil, 0
	}
	if m.Rank != int(i.Cmp) || m.Im2col != i.Im2col {
		w.Fail(0, "a copy of %d dimensions of a tensor of %d, im2col %v of %v", i.Cmp, m.Rank, i.Im2col, m.Im2col)
		return nil, 0
	}
	coord := func(n uint16) int32 { return int32(word(i.S[0].Row + skip + n)) }
	if i.Rows {
		if m.Rank != 2 || m.Box[1] != 1 {
			w.Fail(0, "rows of boxes of %v of a tensor of %d dimensions", m.Box, m.Rank)
			return nil, 0
		}
		for n := range uint16(4) {
			list = append(list, newBox(m, [5]int32{coord(0), coord(1 + n)}, [3]int32{}))
		}
		return list, word(i.S[0].Row)
	}
	var at [5]int32
	for n := range uint16(i.Cmp) {
		at[n] = coord(n)
	}
	var off [3]int32
	if i.Im2col && i.Op == sass.OpUTMALDG { // one of sixteen bits, two of eight, three of five
		bits := [...]uint32{3: 16, 4: 8, 5: 5}[m.Rank]
		for n := range uint32(m.Rank - 2) {
			off[n] = int32(word(i.S[2].Row) & 0xffff >> (n * bits) & (1<<bits - 1))
		}
	}
	b := newBox(m, at, off)
	if b.illegal(i.Op != sass.OpUTMALDG) {
		w.Fail(0, "a copy at %v, where the machine takes none", at[:m.Rank])
		return nil, 0
	}
	return []*box{b}, word(i.S[0].Row)
}

// UTMALDG: a box of a tensor to shared memory; the barrier is told its bytes.
func Utmaldg(w *machine.Warp, i *machine.Inst, _ uint32) {
	list, shared := tensorOrder(w, i, 2)
	if list == nil {
		return
	}
	bar := uint64(w.R[i.S[0].Row+1][0])
	if elsewhere(w, i, uint64(shared)) {
		return
	}
	everywhere(w, i, w.R[i.S[2].Row][0], uint64(shared), bar, func(shared, bar uint64) {
		tileIn(w, list, uint32(shared), bar)
	})
}

// aloneFrom is the first GPU whose copies from global memory go to the block
// that asks for them alone.
const aloneFrom = 120

// elsewhere reports whether a copy goes to another block though the machine
// cannot do that, and tells it.
func elsewhere(w *machine.Warp, i *machine.Inst, to uint64) bool {
	if w.Sm() < aloneFrom || !i.Multicast && to>>machine.RankShift == w.Rank() {
		return false
	}
	w.Fail(0, "a copy to %#x, in another block, which this machine does not do", to)
	return true
}

// everywhere does a copy to shared memory for the block that the address
// names, or, where it is multicast, for each block of a mask: to the same
// place, with the barrier at the same place; .2CTA tells the block of each pair
// that has the parity of the one that bar names.
func everywhere(w *machine.Warp, i *machine.Inst, mask uint32, to, bar uint64, run func(to, bar uint64)) {
	if !i.Multicast {
		run(to, bar)
		return
	}
	const off = 1<<machine.RankShift - 1
	for rank := range uint64(16) {
		if mask>>(16+rank)&1 != 0 {
			told := rank
			if i.Pair {
				told = rank&^1 | bar>>machine.RankShift&1
			}
			run(to&off|rank<<machine.RankShift, bar&off|told<<machine.RankShift)
		}
	}
}

// tileIn orders the copy of boxes, which follow each other in shared memory.
func tileIn(w *machine.Warp, list []*box, shared uint32, bar uint64) {
	size := list[0].total()
	w.Load(bar, func() {
		for n, b := range list {
			boxIn(w, b, shared+uint32(n)*size)
		}
	}, list[0].told()*uint32(len(list)))
}

// boxIn copies a box to shared memory.
func boxIn(w *machine.Warp, b *box, shared uint32) {
	b.each(shared, func(shared, addr uint64, n int64, inside bool) bool {
		to := w.Part(machine.SpaceShared, shared, uint64(n), true)
		if to == nil {
			return false
		}
		if !inside {
			copy(to, b.missing(n))
			return true
		}
		from := w.Part(machine.SpaceGlobal, addr, uint64(n), false)
		copy(to, from)
		return from != nil
	})
}

// UTMASTG: a box of shared memory to a tensor; what is outside is left out.
func Utmastg(w *machine.Warp, i *machine.Inst, _ uint32) {
	tensorOut(w, i, func(_ *tensor.Map, to, from []byte) { copy(to, from) })
}

// UTMAREDG: the same, with an operation.
func Utmaredg(w *machine.Warp, i *machine.Inst, _ uint32) {
	tensorOut(w, i, func(t *tensor.Map, to, from []byte) {
		size := int(t.Elem())
		for k := 0; k+size <= len(to); k += size {
			tensor.Reduce(t.Type, tensor.Op(i.Bop), to[k:k+size], from[k:k+size])
		}
	})
}

func tensorOut(w *machine.Warp, i *machine.Inst, put func(t *tensor.Map, to, from []byte)) {
	list, shared := tensorOrder(w, i, 1)
	if list == nil {
		return
	}
	w.Unload(func() {
		for n, b := range list {
			boxOut(w, b, shared+uint32(n)*b.total(), put)
		}
	})
}

// boxOut copies a box out of shared memory.
func boxOut(w *machine.Warp, b *box, shared uint32, put func(t *tensor.Map, to, from []byte)) {
	b.each(shared, func(shared, addr uint64, n int64, inside bool) bool {
		if !inside {
			return true
		}
		from := w.Part(machine.SpaceShared, shared, uint64(n), false)
		if from == nil {
			return false
		}
		ok := true
		w.AsEnd(func() {
			to := w.Part(machine.SpaceGlobal, addr, uint64(n), true)
			if ok = to != nil; ok {
				put(b.Map, to, from)
			}
		})
		return ok
	})
}
