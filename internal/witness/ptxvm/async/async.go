package async

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/memory"
)

// mbarrierWords order memory, which is always in order here.
var mbarrierWords = []isa.Word{
	isa.WRelease, isa.WAcquire, isa.WRelaxed, isa.WCta, isa.WCluster,
}

// Mbarrier is the instructions on mbarriers.
func Mbarrier(d *machine.Decoder) {
	d.Ignore(mbarrierWords...)
	switch {
	case d.Has(isa.WInit):
		n := d.Src(1, isa.U32)
		onBarrier(d, 0, func(w *machine.Warp, l int, _ uint64) uint64 {
			c := w.Col(&n, 1)[l] & machine.PendingMask
			return c | c<<20
		})
	case d.Has(isa.WInval):
		onBarrier(d, 0, func(_ *machine.Warp, _ int, v uint64) uint64 { return v })
	case d.Has(isa.WPendingCount):
		d.Map1(d.Dst(0), d.Src(1, isa.B64), func(a uint64) uint64 { return a & machine.PendingMask })
	case d.Has(isa.WTestWait), d.Has(isa.WTryWait):
		mbWait(d)
	case d.Has(isa.WArrive), d.Has(isa.WArriveDrop):
		mbArrive(d)
	case d.Has(isa.WExpectTx):
		n, addr := d.Src(1, isa.U32), d.Addr(0)
		onBarrier(d, 0, func(w *machine.Warp, l int, v uint64) uint64 { return w.ExpectTx(v, addr(w, 7)[l], w.Col(&n, 1)[l]) })
	case d.Has(isa.WCompleteTx):
		n := d.Src(1, isa.U32)
		onBarrier(d, 0, func(w *machine.Warp, l int, v uint64) uint64 {
			return w.WithoutTx(v, w.Col(&n, 1)[l])
		})
	default:
		d.Unknown()
	}
}

// onBarrier changes the mbarrier at argument n lane by lane.
func onBarrier(d *machine.Decoder, n int, f func(w *machine.Warp, l int, v uint64) uint64) {
	addr, space := d.Addr(n), MbSpace(d)
	d.Out.Run = func(w *machine.Warp) {
		a := w.Addresses(addr)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			mem := w.BarrierAt(space, a[l], l)
			machine.Put(mem, f(w, l, machine.Get(mem)))
		}
	}
}

// MbSpace is the space of the mbarrier: shared unless the address is generic.
func MbSpace(d *machine.Decoder) isa.Space { return d.Space(0) }

// mbArrive is arrive, arrive_drop and their forms with expect_tx.
func mbArrive(d *machine.Decoder) {
	d.Ignore(isa.WNoComplete)
	drop, expect := d.Has(isa.WArriveDrop), d.Has(isa.WExpectTx)
	at := 0
	dst := machine.Sink()
	if d.Args[0].Kind == isa.KReg || d.Args[0].Kind == isa.KSink {
		at, dst = 1, d.Dst(0)
	}
	n := machine.Constant(1)
	if at+1 < len(d.Args) {
		n = d.Src(at+1, isa.U32)
	}
	addr, space := d.Addr(at), MbSpace(d)
	d.Out.Run = func(w *machine.Warp) {
		a, c := w.Addresses(addr), w.Col(&n, 1)
		var r machine.Column
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			mem := w.BarrierAt(space, a[l], l)
			v := machine.Get(mem)
			r[l] = v
			count := c[l]
			if expect {
				v, count = w.ExpectTx(v, a[l], c[l]), 1
			}
			w.ArriveAt(mem, v, count, drop, l)
		}
		w.Published()
		w.Store(dst, &r)
	}
}

// mbWait is test_wait and try_wait, by state or by parity.
func mbWait(d *machine.Decoder) {
	parity := d.Has(isa.WParity)
	t := isa.B64
	if parity {
		t = isa.B32
	}
	dst, state := d.Dst(0), d.Src(2, t)
	addr, space := d.Addr(1), MbSpace(d)
	d.Out.Run = func(w *machine.Warp) {
		a, s := w.Addresses(addr), w.Col(&state, 1)
		var r machine.Column
		vain := false
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			mem := w.BarrierFor(space, a[l], l, false)
			was := s[l] >> 63
			if parity { // the phase that completed last has the other parity
				was = s[l] & 1
			}
			if machine.Get(mem)>>63 == was {
				w.Look(mem)
			}
			r[l] = machine.Truth(machine.Get(mem)>>63 != was)
			vain = vain || r[l] == 0
		}
		if vain {
			w.Poll()
		}
		w.Observed(&r)
		w.Store(dst, &r)
	}
}

// Cp is cp.async: copies, their groups and the waits for these.
func Cp(d *machine.Decoder) {
	if d.Has(isa.WAsync) && d.Has(isa.WBulk) {
		bulk(d)
		return
	}
	if !d.Has(isa.WAsync) {
		d.Unknown()
	}
	d.Ignore(memory.AccessWords...)
	switch {
	case d.Has(isa.WCommitGroup), d.Has(isa.WWaitGroup), d.Has(isa.WWaitAll):
		d.Out.Run = d.GroupStep(machine.LateCopies)
	case d.Has(isa.WMbarrier):
		noinc := d.Has(isa.WNoinc)
		d.Ignore(isa.WArrive)
		onBarrier(d, 0, func(w *machine.Warp, l int, v uint64) uint64 {
			w.FinishCopies(l)
			if !noinc { // counts itself first
				v++
			}
			return w.ArriveOne(v, l)
		})
	default:
		copyAsync(d)
	}
}

func copyAsync(d *machine.Decoder) {
	size := d.Args[2].Value
	to, from := d.Addr(0), d.Addr(1)
	n := machine.Constant(size)
	ignored := false
	last := len(d.Args)
	if d.Has(isa.WL2CacheHint) {
		last-- // the policy
	}
	if last > 3 {
		if a := &d.Args[3]; a.Type == isa.Pred {
			ignored = true
			n = d.Src(3, isa.Pred)
		} else {
			n = d.Src(3, isa.U32)
		}
	}
	d.Out.Run = func(w *machine.Warp) {
		a, b, c := w.Addresses(to), from(w, 7), w.Col(&n, 1)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			to, from, keep := a[l], b[l], min(c[l], size)
			if ignored {
				keep = size * (1 - c[l])
			}
			w.Begin(l, machine.LateCopies, func() {
				dst := w.Bytes(isa.SpaceShared, to, l, size, size, true)
				clear(dst)
				if keep > 0 {
					copy(dst, w.Bytes(isa.SpaceGlobal, from, l, keep, 1, false))
				}
			})
		}
	}
}
