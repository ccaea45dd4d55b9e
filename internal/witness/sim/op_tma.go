package sim

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// Tensor copies: one order for the warp. The uniform registers of an order
// are a block: where in shared memory, the barrier of a load, coordinates.

// prepTensor finds the registers of UTMALDG, UTMASTG, UTMAREDG.
func prepTensor(i *inst, parts []string) error {
	w := i.in.Word()
	if slices.Contains(parts, "2CTA") {
		return fmt.Errorf("%s is not simulated", i.mn)
	}
	if i.multicast = slices.Contains(parts, "MULTICAST"); i.multicast {
		i.s[2].row = rowUni + uint16(w.Field(64, 6))
	}
	if w.Field(82, 3) != 0 {
		return fmt.Errorf("%s is not simulated", i.mn)
	}
	i.cmp = uint8(w.Field(79, 3)) + 1 // dimensions
	i.s[0].row, i.s[1].row = rowUni+uint16(w.Field(32, 6)), rowUni+uint16(w.Field(24, 6))
	if i.op == sass.OpUTMAREDG {
		i.bop = uint8(w.Field(87, 3))
	}
	i.full = true
	return nil
}

// tensorOrder reads the registers of an order: the map, where in shared
// memory, and the place in the tensor.
func (w *warp) tensorOrder(i *inst, skip uint16) (m *tensor.Map, shared uint32, at [5]int32) {
	word := func(row uint16) uint32 { return w.r[row][0] }
	addr := uint64(word(i.s[1].row)) | uint64(word(i.s[1].row+1))<<32
	if a := w.async; a != nil {
		w.m.async.quiet = true
		defer func() { w.m.async.quiet = false }()
		w.readMap(addr, &a.view)
	}
	var b [tensor.Size]byte
	for k := uint64(0); k < tensor.Size; k += 16 { // parameters lie as in the constant bank, where alone they are aligned to more
		p := w.bytes(spGeneric, 0, addr+k, 16, false)
		if p == nil {
			return nil, 0, at
		}
		copy(b[k:], p)
	}
	m, err := tensor.Decode(b[:])
	if err != nil {
		w.fail(0, "%v", err)
		return nil, 0, at
	}
	if m.Rank != int(i.cmp) || m.Interleave != 0 {
		w.fail(0, "a copy of %d dimensions of a tensor of %d, interleave %d", i.cmp, m.Rank, m.Interleave)
		return nil, 0, at
	}
	for n := range uint16(i.cmp) {
		at[n] = int32(word(i.s[0].row + skip + n))
	}
	return m, word(i.s[0].row), at
}

// UTMALDG: a box of a tensor to shared memory; the barrier is told its bytes.
func utmaldg(w *warp, i *inst, _ uint32) {
	t, shared, at := w.tensorOrder(i, 2)
	if t == nil {
		return
	}
	bar := uint64(w.r[i.s[0].row+1][0])
	w.everywhere(i, w.r[i.s[2].row][0], uint64(shared), bar, func(shared, bar uint64) {
		w.tileIn(t, at, uint32(shared), bar)
	})
}

// everywhere does a copy to shared memory for the block that the address
// names, or, where it is multicast, for each block of a mask: to the same
// place, with the barrier at the same place.
func (w *warp) everywhere(i *inst, mask uint32, to, bar uint64, run func(to, bar uint64)) {
	if !i.multicast {
		run(to, bar)
		return
	}
	const off = 1<<rankShift - 1
	for rank := range uint64(16) {
		if mask>>(16+rank)&1 != 0 {
			run(to&off|rank<<rankShift, bar&off|rank<<rankShift)
		}
	}
}

// tileIn orders the copy of a box.
func (w *warp) tileIn(t *tensor.Map, at [5]int32, shared uint32, bar uint64) {
	w.load(bar, func() {
		fill := t.Fill()
		t.Tile(at, func(p tensor.Piece) bool {
			to := w.part(spShared, uint64(t.Swizzled(shared+p.Shared)), uint64(p.Bytes), true)
			if to == nil {
				return false
			}
			if p.Outside {
				for k := range to {
					to[k] = fill[k%len(fill)]
				}
				return true
			}
			from := w.part(spGlobal, p.Global, uint64(p.Bytes), false)
			copy(to, from)
			return from != nil
		})
	}, t.Bytes())
}

// part is memory of any length.
func (w *warp) part(space int, addr, n uint64, write bool) []byte {
	if n&(n-1) == 0 && addr&(n-1) == 0 {
		return w.bytes(space, 0, addr, n, write)
	}
	if w.m.async != nil {
		w.touch(space, addr, n, write)
	}
	if space == spGlobal {
		return w.piece(0, addr, n)
	}
	return w.sharedBytes(0, addr, n)
}

// load orders a copy to shared memory that tells a barrier its bytes.
func (w *warp) load(bar uint64, run func(), bytes uint32) {
	f := &flight{}
	if w.async != nil {
		f.bar = w.cta.barrierAt(bar)
		w.useBarrier(f.bar, bar)
		f.actor = actor{tid: uint16(f.bar.tid), clock: f.bar.phase + 1, pc: w.at, view: w.async.clone(), proxy: true}
	}
	f.run = func() {
		run()
		w.tell(bar, 0, -bytes, f.view)
	}
	w.start(f)
}

// tell counts arrivals and bytes at an mbarrier for somebody who knows v.
func (w *warp) tell(bar uint64, n, tx uint32, v *view) uint64 {
	b := w.barrier(0, bar)
	if b == nil {
		return 0
	}
	old := binary.LittleEndian.Uint64(b)
	now := mbArrive(old, n, tx)
	binary.LittleEndian.PutUint64(b, now)
	if w.async != nil {
		s := w.cta.barrierAt(bar)
		s.open.merge(v)
		if old>>63 != now>>63 {
			s.flip()
		}
	}
	return old
}

// barrier is the word of an mbarrier, whose accesses are the rules
// themselves.
func (w *warp) barrier(l int, addr uint64) []byte {
	if m := w.m.async; m != nil {
		was := m.quiet
		m.quiet = true
		defer func() { m.quiet = was }()
	}
	return w.bytes(spShared, l, addr, 8, true)
}

// store orders a copy out of shared memory.
func (w *warp) unload(run func()) {
	f := &flight{run: run}
	if a := w.async; a != nil {
		f.actor = actor{tid: uint16(w.tid(tidBulkRead)), clock: a.bulk.next(), pc: w.at, view: a.clone(), proxy: true}
		a.bulk.open = append(a.bulk.open, f)
	}
	w.start(f)
}

// asEnd lets run make accesses that only the end of a group orders.
func (w *warp) asEnd(run func()) {
	m := w.m.async
	if m == nil || m.actor == nil {
		run()
		return
	}
	was := m.actor
	x := *was
	x.tid += tidBulkDone - tidBulkRead
	m.actor = &x
	run()
	m.actor = was
}

// UTMASTG: a box of shared memory to a tensor; what is outside is left out.
func utmastg(w *warp, i *inst, _ uint32) {
	w.tensorOut(i, func(_ *tensor.Map, to, from []byte) { copy(to, from) })
}

// UTMAREDG: the same, with an operation.
func utmaredg(w *warp, i *inst, _ uint32) {
	w.tensorOut(i, func(t *tensor.Map, to, from []byte) {
		size := int(t.Elem())
		for k := 0; k+size <= len(to); k += size {
			tensor.Reduce(t.Type, tensor.Op(i.bop), to[k:k+size], from[k:k+size])
		}
	})
}

func (w *warp) tensorOut(i *inst, put func(t *tensor.Map, to, from []byte)) {
	t, shared, at := w.tensorOrder(i, 1)
	if t == nil {
		return
	}
	w.unload(func() {
		t.Tile(at, func(p tensor.Piece) bool {
			if p.Outside {
				return true
			}
			from := w.part(spShared, uint64(t.Swizzled(shared+p.Shared)), uint64(p.Bytes), false)
			if from == nil {
				return false
			}
			ok := true
			w.asEnd(func() {
				to := w.part(spGlobal, p.Global, uint64(p.Bytes), true)
				if ok = to != nil; ok {
					put(t, to, from)
				}
			})
			return ok
		})
	})
}
