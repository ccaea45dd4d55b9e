package machine

import (
	"slices"

	"github.com/goptxas/goptxas/internal/witness/sim/order"
	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// OrderCopy gives a copy of LDGSTS its time.
func (w *Warp) OrderCopy(run func()) {
	f := &flight{run: run}
	if a := w.async; a != nil {
		f.Actor = order.Actor{Tid: uint16(w.tid(order.TidCopy)), Clock: a.copies.next(), Pc: w.At, View: a.Clone()}
		a.copies.open = append(a.copies.open, f)
	}
	w.start(f)
}

// CommitCopies closes a group of copies, which SB0 announces.
func (w *Warp) CommitCopies() {
	if a := w.async; a != nil {
		a.copies.commit()
		a.sb0 = append(a.sb0, &a.copies)
	}
}

// CommitBulk closes a group of bulk copies, likewise.
func (w *Warp) CommitBulk() {
	if a := w.async; a != nil {
		a.bulk.commit()
		a.sb0 = append(a.sb0, &a.bulk)
	}
}

// WaitBarriers waits for the scoreboards of a mask.
func (w *Warp) WaitBarriers(mask uint8) {
	if w.async == nil {
		return
	}
	for b := range w.async.waits {
		if mask>>b&1 != 0 {
			w.waited(b)
		}
	}
}

// WaitAnnounced waits until all but keep announcements of a scoreboard came.
func (w *Warp) WaitAnnounced(b, keep int) {
	a := w.async
	switch {
	case a == nil:
	case b == 0 && len(a.sb0) > 0:
		w.waitGroups(keep)
	case keep == 0 && b < len(a.waits):
		w.waited(b)
	}
}

// AfterCopies lets arrive tell mbarriers, of which bar is one, when the copies
// that the warp has ordered are over.
func (w *Warp) AfterCopies(bar uint64, arrive func(mine *order.View)) {
	mine := &order.View{}
	a := w.async
	if a == nil {
		arrive(mine)
		return
	}
	w.release(mine)
	copies := slices.Clone(a.copies.open)
	for _, g := range a.copies.closed {
		copies = append(copies, g...)
	}
	mine.Known.Raise(w.tid(order.TidCopy), a.copies.next())
	a.copies.commit() // its clock names no copy that comes later
	a.sb0 = append(a.sb0, &a.copies)
	f := &flight{run: func() {
		for _, c := range copies {
			w.cta.finish(c)
		}
		arrive(mine)
	}}
	f.bar, f.Actor = w.cta.barrierAt(bar), order.Actor{Pc: w.At, View: mine}
	w.start(f)
}

// Quietly makes accesses that the rules do not speak of.
func (w *Warp) Quietly(run func()) {
	if m := w.m.async; m != nil {
		was := m.quiet
		m.quiet = true
		defer func() { m.quiet = was }()
	}
	run()
}

// MapAt is the tensor map at an address, which must be the one that the
// tensor-map proxy sees; nil where there is no memory.
func (w *Warp) MapAt(addr uint64) []byte {
	if a := w.async; a != nil {
		w.readMap(addr, &a.View)
	}
	var b []byte
	w.Quietly(func() {
		for k := uint64(0); k < tensor.Size; k += 16 { // parameters lie as in the constant bank, where alone they are aligned to more
			p := w.Bytes(SpaceGeneric, 0, addr+k, 16, false)
			if p == nil {
				b = nil
				return
			}
			b = append(b, p...)
		}
	})
	return b
}
