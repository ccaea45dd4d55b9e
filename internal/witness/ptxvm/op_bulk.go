package ptxvm

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// bulk is cp.async.bulk and cp.reduce.async.bulk: copies of many bytes, with
// or without an operation, and their groups.
func (d *decoder) bulk() {
	d.ignore(isa.WAsync, isa.WBulk, isa.WRead, isa.WL2, isa.WL2CacheHint, isa.WMbarrierCompleteTxBytes, isa.WBulkGroup)
	switch {
	case d.has(isa.WTensor):
		d.tensorCopy()
	case d.has(isa.WReduce):
		d.ignore(isa.WNoftz)
		t := d.typ(0)
		change, n := d.update(t, false), t.Size()
		d.bulkCopy(func(to, from []byte) {
			for k := 0; k < len(to); k += n {
				put(to[k:k+n], change(get(to[k:k+n]), get(from[k:k+n]), 0))
			}
		})
	case d.has(isa.WPrefetch):
		d.out.run = func(*warp) {}
	case d.has(isa.WCommitGroup), d.has(isa.WWaitGroup):
		d.out.run = d.groupStep(lateBulk)
	default:
		d.bulkCopy(func(to, from []byte) { copy(to, from) })
	}
}

// bulkUnit is what a bulk copy moves at least, and its alignment.
const bulkUnit = 16

func (d *decoder) bulkCopy(move func(to, from []byte)) {
	to, from, n := d.addr(0), d.addr(1), d.src(2, isa.U32)
	spTo, spFrom := d.in.Spaces[0].Base(), d.in.Spaces[1].Base()
	var bar func(w *warp, k int) *column
	if spTo != isa.SpaceGlobal {
		bar = d.addr(3)
	}
	mask := d.multicast(4)
	d.out.run = func(w *warp) {
		a, b, c := w.col8(to), *from(w, 7), w.col(&n, 1)
		size := *c
		dst := *a
		var at column
		if bar != nil {
			at = *bar(w, 6)
		}
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if size[l]%bulkUnit != 0 {
				w.fail(l, "a bulk copy of %d bytes", size[l])
			}
			from, n := b[l], size[l]
			run := func(to uint64) {
				for k := uint64(0); k < n; k += bulkUnit {
					move(w.bytes(spTo, to+k, l, bulkUnit, bulkUnit, true), w.bytes(spFrom, from+k, l, bulkUnit, bulkUnit, false))
				}
			}
			if to := dst[l]; bar == nil {
				w.begin(l, lateBulk, func() { run(to) })
				continue
			}
			w.everywhere(mask, l, dst[l], at[l], func(to uint64, mem []byte) {
				w.beginTold(mem, func() {
					run(to)
					w.completeTx(mem, n)
				})
			})
		}
		if bar != nil && w.cta.races != nil {
			w.cta.races.leave(w)
		}
	}
}

// multicast is the mask of blocks that a copy goes to, operand n; nil where
// it goes to one.
func (d *decoder) multicast(n int) *operand {
	if !d.has(isa.WMulticastCluster) {
		return nil
	}
	m := d.src(n, isa.U16)
	return &m
}

// everywhere does a copy for the block that its addresses name, or for each
// block of a mask: to the same place, with the barrier at the same place (PTX
// ISA, cp.async.bulk, .multicast::cluster).
func (w *warp) everywhere(mask *operand, l int, to, bar uint64, run func(to uint64, bar []byte)) {
	if mask == nil {
		run(to, w.barrierAt(isa.SpaceShared, bar, l))
		return
	}
	const off = 1<<rankShift - 1
	m := w.col(mask, 2)[l]
	for rank := range uint64(16) {
		if m>>rank&1 != 0 {
			there := (rank + 1) << rankShift
			run(to&off|there, w.barrierAt(isa.SpaceShared, bar&off|there, l))
		}
	}
}
