package machine

import (
	"encoding/binary"

	"github.com/goptxas/goptxas/internal/witness/sim/order"
)

// A barrier in memory is the 64-bit word that the reference's code builds
// for mbarrier.init: bits 1 to 20 hold the expected arrivals, bits 21 to 41
// the bytes that are still to come, bits 43 to 62 the pending arrivals, bit
// 63 the phase. Counts of arrivals are stored negative.
const (
	mbTx     = 21
	mbTxBits = 21
	mbPend   = 43
	mbField  = 1<<20 - 1
)

// arrive counts n arrivals and tx bytes to come, and ends the phase when
// nothing is left.
func mbArrive(v uint64, n, tx uint32) uint64 {
	pend := (v>>mbPend + uint64(n)) & mbField
	left := (v>>mbTx + uint64(tx)) & (1<<mbTxBits - 1)
	phase := v >> 63
	if pend == 0 && left == 0 {
		pend, phase = v>>1&mbField, phase^1
	}
	const keep = 1<<mbTx - 1
	return v&keep | left<<mbTx | pend<<mbPend | phase<<63
}

// Load orders a copy to shared memory that tells a barrier its bytes.
func (w *Warp) Load(bar uint64, run func(), bytes uint32) {
	f := &flight{}
	if w.async != nil {
		f.bar = w.cta.barrierAt(bar)
		w.useBarrier(f.bar, bar)
		f.Actor = order.Actor{Tid: uint16(f.bar.Tid), Clock: f.bar.Phase + 1, Pc: w.At, View: w.async.Clone(), Proxy: true}
	}
	f.run = func() {
		run()
		w.Tell(bar, 0, -bytes, f.View)
	}
	w.start(f)
}

// Tell counts arrivals and bytes at an mbarrier for somebody who knows v.
func (w *Warp) Tell(bar uint64, n, tx uint32, v *order.View) uint64 {
	b := w.Barrier(0, bar)
	if b == nil {
		return 0
	}
	old := binary.LittleEndian.Uint64(b)
	now := mbArrive(old, n, tx)
	binary.LittleEndian.PutUint64(b, now)
	if w.async != nil {
		s := w.cta.barrierAt(bar)
		s.Open.Merge(v)
		if old>>63 != now>>63 {
			s.Flip()
		}
	}
	return old
}

// Barrier is the word of an mbarrier, whose accesses are the rules
// themselves.
func (w *Warp) Barrier(l int, addr uint64) (b []byte) {
	w.Quietly(func() { b = w.Bytes(SpaceShared, l, addr, 8, true) })
	return b
}

// store orders a copy out of shared memory.
func (w *Warp) Unload(run func()) {
	f := &flight{run: run}
	if a := w.async; a != nil {
		f.Actor = order.Actor{Tid: uint16(w.tid(order.TidBulkRead)), Clock: a.bulk.next(), Pc: w.At, View: a.Clone(), Proxy: true}
		a.bulk.open = append(a.bulk.open, f)
	}
	w.start(f)
}

// AsEnd lets run make accesses that only the end of a group orders.
func (w *Warp) AsEnd(run func()) {
	m := w.m.async
	if m == nil || m.actor == nil {
		run()
		return
	}
	was := m.actor
	x := *was
	x.Tid += order.TidBulkDone - order.TidBulkRead
	m.actor = &x
	run()
	m.actor = was
}

// Observe looks at a phase: what may only be late until somebody looks
// happens now, and a phase that is over tells what its arrivals knew.
func (w *Warp) Observe(addr uint64, over func() bool) {
	if w.async == nil {
		return
	}
	b := w.cta.barrierAt(addr)
	if !over() {
		for _, c := range w.cta.cluster.blocks { // whoever ordered them
			if c != w.cta {
				c.steps++ // time passes for a block that only waits
			}
			c.finishWhere(func(f *flight) bool {
				return f.bar == b && (f.due == never || w.m.async.when != BySeed || f.due <= c.steps)
			})
		}
	}
	if over() {
		w.acquire(&b.Done)
	}
}

// OptOut lets later phases of the barrier in b expect n arrivals fewer.
func OptOut(b []byte, n uint32) {
	v := binary.LittleEndian.Uint64(b)
	binary.LittleEndian.PutUint64(b, v&^(mbField<<1)|(v>>1+uint64(n))&mbField<<1)
}

// UsedBarrier is the word of an mbarrier that the warp must know was made.
func (w *Warp) UsedBarrier(l int, addr uint64) []byte {
	if w.async != nil {
		w.useBarrier(w.cta.barrierAt(addr), addr)
	}
	return w.Barrier(l, addr)
}

// MadeBarrier notes that an instruction makes an mbarrier: others may use it
// when they know of what the warp did once the instruction was waited for.
func (w *Warp) MadeBarrier(i *Inst, addr uint64) {
	if a := w.async; a != nil {
		s := w.cta.barrierAt(addr)
		s.By, s.Init, s.Pc = w.tid(0), ^uint32(0), w.At // until its barrier is waited for
		w.whenWaited(i, func() { s.Init = a.Known.At(w.tid(0)) })
	}
}

// Released is what the warp knows; what it does later is later.
func (w *Warp) Released() *order.View {
	mine := &order.View{}
	if w.async != nil {
		w.release(mine)
	}
	return mine
}
