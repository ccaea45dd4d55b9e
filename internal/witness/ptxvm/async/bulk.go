package async

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/memory"
)

// bulk is cp.async.bulk and cp.reduce.async.bulk: copies of many bytes, with
// or without an operation, and their groups.
func bulk(d *machine.Decoder) {
	d.Ignore(isa.WAsync, isa.WBulk, isa.WRead, isa.WL2, isa.WL2CacheHint, isa.WMbarrierCompleteTxBytes, isa.WBulkGroup)
	switch {
	case d.Has(isa.WTensor):
		tensorCopy(d)
	case d.Has(isa.WReduce):
		d.Ignore(isa.WNoftz)
		t := d.Type(0)
		change, n := memory.Update(d, t, false), t.Size()
		bulkCopy(d, func(to, from []byte) {
			for k := 0; k < len(to); k += n {
				machine.Put(to[k:k+n], change(machine.Get(to[k:k+n]), machine.Get(from[k:k+n]), 0))
			}
		})
	case d.Has(isa.WPrefetch):
		d.Out.Run = func(*machine.Warp) {}
	case d.Has(isa.WCommitGroup), d.Has(isa.WWaitGroup):
		d.Out.Run = d.GroupStep(machine.LateBulk)
	default:
		bulkCopy(d, func(to, from []byte) { copy(to, from) })
	}
}

// bulkUnit is what a bulk copy moves at least, and its alignment.
const bulkUnit = 16

func bulkCopy(d *machine.Decoder, move func(to, from []byte)) {
	to, from, n := d.Addr(0), d.Addr(1), d.Src(2, isa.U32)
	spTo, spFrom := d.In.Spaces[0].Base(), d.In.Spaces[1].Base()
	var bar func(w *machine.Warp, k int) *machine.Column
	if spTo != isa.SpaceGlobal {
		bar = d.Addr(3)
	}
	mask := Multicast(d, 4)
	if d.Has(isa.WCpMask) {
		maskedCopy(d, to, from, n)
		return
	}
	d.Out.Run = func(w *machine.Warp) {
		a, b, c := w.Addresses(to), *from(w, 7), w.Col(&n, 1)
		size := *c
		dst := *a
		var at machine.Column
		if bar != nil {
			at = *bar(w, 6)
		}
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if size[l]%bulkUnit != 0 {
				w.Fail(l, "a bulk copy of %d bytes", size[l])
			}
			from, n := b[l], size[l]
			run := func(to uint64) {
				for k := uint64(0); k < n; k += bulkUnit {
					move(w.Bytes(spTo, to+k, l, bulkUnit, bulkUnit, true), w.Bytes(spFrom, from+k, l, bulkUnit, bulkUnit, false))
				}
			}
			if to := dst[l]; bar == nil {
				w.Begin(l, machine.LateBulk, func() { run(to) })
				continue
			}
			Everywhere(w, mask, false, l, dst[l], at[l], func(to uint64, mem []byte) {
				w.BeginTold(mem, func() {
					run(to)
					w.CompleteTx(mem, n)
				})
			})
		}
		if bar != nil {
			w.Published()
		}
	}
}

// maskedCopy is the copy to global memory that leaves out the bytes of every
// 16 whose bit in the last operand is not set (PTX ISA, .cp_mask).
func maskedCopy(d *machine.Decoder, to, from func(w *machine.Warp, k int) *machine.Column, n machine.Operand) {
	mask := d.Src(len(d.Args)-1, isa.B16)
	d.Out.Run = func(w *machine.Warp) {
		dst, src, size, which := *w.Addresses(to), *from(w, 7), *w.Col(&n, 1), *w.Col(&mask, 2)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if size[l]%bulkUnit != 0 || dst[l]%bulkUnit != 0 || src[l]%bulkUnit != 0 {
				w.Fail(l, "a bulk copy of %d bytes from %#x to %#x", size[l], src[l], dst[l])
			}
			w.Begin(l, machine.LateBulk, func() {
				for k := range size[l] {
					if which[l]>>(k%bulkUnit)&1 != 0 {
						w.Bytes(isa.SpaceGlobal, dst[l]+k, l, 1, 1, true)[0] = w.Bytes(isa.SpaceShared, src[l]+k, l, 1, 1, false)[0]
					}
				}
			})
		}
	}
}

// Multicast is the mask of blocks that a copy goes to, operand n; nil where
// it goes to one.
func Multicast(d *machine.Decoder, n int) *machine.Operand {
	if !d.Has(isa.WMulticastCluster) {
		return nil
	}
	m := d.Src(n, isa.U16)
	return &m
}

// Everywhere does a copy for the block that its addresses name, or for each
// block of a mask: to the same place, with the barrier at the same place (PTX
// ISA, cp.async.bulk, .multicast::cluster). For pairs (.cta_group::2) the
// barrier is that of the block in the pair which is even or odd as the one
// that bar names.
func Everywhere(w *machine.Warp, mask *machine.Operand, pair bool, l int, to, bar uint64, run func(to uint64, bar []byte)) {
	if mask == nil {
		run(to, w.BarrierAt(isa.SpaceShared, bar, l))
		return
	}
	const off = 1<<machine.RankShift - 1
	m := w.Col(mask, 2)[l]
	for rank := range uint64(16) {
		if m>>rank&1 != 0 {
			told := rank
			if pair {
				told = rank&^1 | w.RankOf(bar)&1
			}
			run(to&off|machine.Block(rank), w.BarrierAt(isa.SpaceShared, bar&off|machine.Block(told), l))
		}
	}
}
